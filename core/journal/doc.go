// Package journal makes the final result of a worker durable before the board
// hears of it, and brings it to exactly the run that made it, exactly once. A
// record that cannot be trusted goes to quarantine with its bytes intact.
//
// docs/journal.md describes the protocol. Rules that hold in every file here:
//
//   - Everything happens on directories that are held open; a name is a single
//     part and no link is ever followed below the state root.
//   - Nothing that was read earlier is applied: a record is read again
//     immediately before each transaction of the board.
//   - An error of a disk, a lock or a database blocks no card, counts as nobody's
//     failure and quarantines no record.
package journal
