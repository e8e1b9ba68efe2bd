package main

import (
	"strconv"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// actor is who asks: the profile for which a worker runs, else the user of this
// machine. It stands in events and as the author of what is written.
func (a *app) actor() string {
	for _, name := range []string{"HERMES_PROFILE", "USER", "LOGNAME"} {
		if who := strings.TrimSpace(a.env.Get(name)); who != "" {
			return who
		}
	}
	return "cli"
}

// target names a card in the name of whoever asks.
func (a *app) target(id string) board.Target { return board.Target{ID: id, Actor: a.actor()} }

// workerTarget is target for what a worker does to its own card: it speaks for
// the run that it was told, or that its dispatcher started it for. A late worker
// can then never end the run of another one.
func (a *app) workerTarget(id string, run *int64) board.Target {
	t := a.target(id)
	t.Run = run
	if run == nil && a.env.Get("HERMES_KANBAN_TASK") == id {
		if n, err := strconv.ParseInt(a.env.Get("HERMES_KANBAN_RUN_ID"), 10, 64); err == nil {
			t.Run = &n
		}
	}
	return t
}
