// Package dispatch is the dispatcher's tick: one pass over a board in a fixed
// order that repairs what broke, promotes what may start, claims and starts
// workers, and returns a Report. It never draws and never sends messages; the
// screen and the command line run the very same Tick.
package dispatch
