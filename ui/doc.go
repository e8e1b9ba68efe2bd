// Package ui is the screen: one Bubble Tea model and the parts it draws. The
// model owns the state and swaps whole snapshots in; everything it asks of the
// board or of the dispatcher runs in commands off the screen's goroutine and
// comes back as one message. Which key does what is said in one table of
// actions, which also feeds the footer and the help.
package ui
