// Package lane runs a command-line agent on one card: it picks a route, builds
// the prompt from the card, follows the agent's output into the card's log,
// keeps the claim alive, reads the agent's result, and makes it durable in the
// journal before the board hears of it. It runs as a process of its own, the
// worker of a run, and survives the screen and the dispatcher.
package lane
