package dispatch

import "fmt"

// Report says what one tick did, as lists of task ids by what happened to them.
// It is what the screen flashes and what `dispatch --json` prints; its keys are
// part of the command line's contract. Every list is non-nil, so that it prints
// as [] and not as null.
type Report struct {
	SkippedLocked bool          `json:"skipped_locked"`
	Watching      string        `json:"watching,omitempty"` // why the tick did nothing, where that is no failure
	Reconciled    []string      `json:"reconciled"`
	Reclaimed     []string      `json:"reclaimed"`
	Crashed       []string      `json:"crashed"`
	TimedOut      []string      `json:"timed_out"`
	Stale         []string      `json:"stale"`
	RateLimited   []string      `json:"rate_limited"`
	Promoted      []string      `json:"promoted"`
	Spawned       []Spawned     `json:"spawned"`
	WouldSpawn    []Spawned     `json:"would_spawn,omitempty"` // only without spawning
	Replayed      []Replayed    `json:"replayed"`
	Quarantined   []Quarantined `json:"quarantined"`
	Held          []Note        `json:"held"` // not decided in this tick, and why
	AutoBlocked   []string      `json:"auto_blocked"`
	Skipped       []Note        `json:"skipped"` // ready, but not started, and why
	Queued        int           `json:"queued"`  // cards that could start, but for a limit that is reached
	Errors        []string      `json:"errors"`
}

// Spawned is a worker that was started.
type Spawned struct {
	Task      string `json:"task"`
	Assignee  string `json:"assignee"`
	PID       int64  `json:"pid"`
	Workspace string `json:"workspace"`
}

// Replayed is a journal that was brought to its run.
type Replayed struct {
	Task    string `json:"task"`
	Run     int64  `json:"run"`
	Outcome string `json:"outcome"`
}

// Quarantined is a journal that cannot be trusted and was put aside.
type Quarantined struct {
	File   string `json:"file"`
	Task   string `json:"task"`
	Run    int64  `json:"run"`
	Reason string `json:"reason"`
}

// Note is a task with the reason why nothing was done to it. The reason begins
// with words that are the same for every card held back by the same thing; what
// is particular to the card follows after a colon, a semicolon, a quotation mark
// or "for another".
type Note struct {
	Task   string `json:"task"`
	Reason string `json:"reason"`
}

// NewReport returns a report of a tick in which nothing happened yet.
func NewReport() *Report {
	return &Report{
		Reconciled: []string{}, Reclaimed: []string{}, Crashed: []string{}, TimedOut: []string{},
		Stale: []string{}, RateLimited: []string{}, Promoted: []string{}, Spawned: []Spawned{}, Replayed: []Replayed{},
		Quarantined: []Quarantined{}, Held: []Note{}, AutoBlocked: []string{}, Skipped: []Note{},
		Errors: []string{},
	}
}

// Lines says what happened in words, one line for each card, in the order of
// the tick. Nothing happened: no lines.
func (r *Report) Lines() []string {
	var out []string
	add := func(what string, ids []string) {
		for _, id := range ids {
			out = append(out, id+" "+what)
		}
	}
	for _, j := range r.Replayed {
		out = append(out, fmt.Sprintf("%s result of run %d: %s", j.Task, j.Run, j.Outcome))
	}
	for _, q := range r.Quarantined {
		out = append(out, fmt.Sprintf("%s journal of run %d quarantined: %s", q.Task, q.Run, q.Reason))
	}
	add("reclaimed: its claim ran out with nobody behind it", r.Reclaimed)
	add("reconciled", r.Reconciled)
	add("stale: released", r.Stale)
	add("crashed: released for another attempt", r.Crashed)
	add("timed out: stopped and released", r.TimedOut)
	add("met a quota: it starts again later", r.RateLimited)
	add("blocked: it failed too often", r.AutoBlocked)
	add("promoted", r.Promoted)
	for _, s := range r.Spawned {
		out = append(out, fmt.Sprintf("%s started as %s, pid %d", s.Task, s.Assignee, s.PID))
	}
	for _, s := range r.WouldSpawn {
		out = append(out, fmt.Sprintf("%s would start as %s", s.Task, s.Assignee))
	}
	for _, n := range r.Held {
		out = append(out, n.Task+" held: "+n.Reason)
	}
	for _, n := range r.Skipped {
		out = append(out, n.Task+" not started: "+n.Reason)
	}
	return append(out, r.Errors...)
}
