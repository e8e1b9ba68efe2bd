// Package process answers who a process is, whether it is the worker that a
// board recorded, and how it ended, and it stops workers that are proven to be
// ours. It never guesses: what cannot be read or proven is core.Unknown.
package process
