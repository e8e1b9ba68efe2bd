//go:build race

package board_test

// slower divides counts and board sizes: the race detector makes SQLite in Go
// many times slower.
const slower = 20
