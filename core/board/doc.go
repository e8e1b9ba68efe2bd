// Package board is the only door to a board file: it opens it as a guest, reads
// it, and makes every guarded transition. All SQL of the program lives here.
//
// Rules that hold in every file of this package:
//
//   - Looking changes nothing: no creation, migration, journal mode change,
//     repair or checkpoint.
//   - Every write is one immediate transaction whose update names what the
//     caller had seen; the event is written only if a row changed, and in the
//     same transaction.
//   - The file, its -wal and its -shm are opened by nothing but the driver.
//   - Columns are named, never counted on by position, and a column that this
//     board lacks is left out.
//
// The format is that of Hermes Agent; docs/hermes.md lists where we differ.
package board
