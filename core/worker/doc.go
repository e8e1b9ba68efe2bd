// Package worker starts the worker of a run: it prepares the workspace, the log,
// the environment and the command line, and starts the program behind a barrier,
// so that the worker's identity is on the board before its program does anything.
//
// The program that is started first is this one, as a hidden subcommand. It
// waits on a pipe and then becomes the worker under the same pid. When the pipe
// closes without the word to go, because the dispatcher gave up or died, it ends
// and nothing was ever started.
package worker
