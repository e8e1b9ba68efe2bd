//go:build race

package journal

// slower divides counts: the race detector makes everything many times slower.
const slower = 20
