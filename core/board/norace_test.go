//go:build !race

package board_test

const slower = 1
