//go:build !race

package journal

const slower = 1
