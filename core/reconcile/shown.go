package reconcile

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// The shapes of what cannot be true and is only shown: no repair is better than
// what a person makes of it.
const (
	HeartbeatAhead   Kind = "heartbeat_in_future"
	StartAhead       Kind = "start_in_future"
	WorkspaceMissing Kind = "workspace_missing"
	LogMissing       Kind = "log_missing"
	DoneUnrecorded   Kind = "done_without_record"
)

// Show is the action of telling a person and doing nothing.
const Show Action = "show"

// slip is how many seconds a time may lie ahead before it is worth a word: clocks
// of two machines differ a little.
const slip = 120

// Files says whether what a card names is there; a test gives its own.
type Files interface {
	Exists(path string) bool
	// Log is the path of a card's log, empty for an id that can have none.
	Log(task string) string
}

// Shown lists what cannot be true of a card. It is pure but for the files.
func Shown(c board.Curious, files Files, now int64) []Finding {
	var out []Finding
	show := func(kind Kind, reason, evidence string) {
		out = append(out, Finding{Task: c.Task, Kind: kind, Reason: reason, Evidence: evidence, Action: Show})
	}
	if c.Unrecorded {
		show(DoneUnrecorded, "done, but nothing says when, by whom or with what result", "no completion time, no event, no result")
		return out
	}
	if c.LastHeartbeat != nil && *c.LastHeartbeat > now+slip {
		show(HeartbeatAhead, "its heartbeat lies in the future", fmt.Sprintf("%d s ahead", *c.LastHeartbeat-now))
	}
	if c.RunStarted != nil && *c.RunStarted > now+slip {
		show(StartAhead, "its run starts in the future", fmt.Sprintf("%d s ahead", *c.RunStarted-now))
	}
	if !c.Spawned {
		return out
	}
	if c.Workspace != "" && !files.Exists(c.Workspace) {
		show(WorkspaceMissing, "its workspace is missing", fmt.Sprintf("%q is not there", c.Workspace))
	}
	if log := files.Log(c.Task); log != "" && !files.Exists(log) {
		show(LogMissing, "its worker's log is missing", fmt.Sprintf("%q is not there", log))
	}
	return out
}
