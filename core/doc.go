// Package core is the vocabulary and the rules of a board: tasks, runs, events,
// what a status means and what may follow what. It is pure: it reads no clock,
// no file, no environment and no database, so everything here can be tested
// with values alone.
//
// A task is called a card where it is shown on screen. All times are whole
// seconds since the Unix epoch, as Hermes stores them.
package core
