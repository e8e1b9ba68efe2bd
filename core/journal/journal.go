package journal

import (
	"context"
	"sync"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// Board is what the journal needs of the board that its results belong to.
type Board interface {
	ApplyResult(ctx context.Context, r board.RunResult) (board.Decision, error)
	DecideResult(ctx context.Context, r board.RunResult) (board.Decision, error)
	AcceptResult(ctx context.Context, r board.RunResult, actor string) (board.Decision, error)
	NoteQuarantine(ctx context.Context, n board.QuarantineNote) (board.QuarantineEffect, error)
	NoteReplayable(ctx context.Context, task string, run int64, why string) error
	NotCompleted(ctx context.Context, runs []board.RunRef) ([]board.RunRef, error)
	QuarantineReasons(ctx context.Context, task string) (map[string]string, error)
	Task(ctx context.Context, id string) (core.Task, error)
	Run(ctx context.Context, id int64) (core.Run, error)
	Generation() int
}

// Journal brings the results of one board's workers to the board. Its exported
// fields are set once, before it is used. One Journal serves a whole session: it
// remembers what it need not ask again.
type Journal struct {
	Board Board
	Place Place
	// Held says that a process of that run holds its lease, or that this cannot
	// be known.
	Held func(task string, run int64) bool
	// Sight looks at the worker that a board recorded.
	Sight func(process.Worker) core.Sighting
	Now   func() int64 // epoch seconds

	mu     sync.Mutex
	pause  pause
	judged map[string]judged // by name in the folder
	known  map[string]bool   // in the quarantine, and the card was told
	chores chores

	openFolder, makeFolder func() (*Folder, error) // nil: those of Place
}

// judged is a record that was not applied, and why.
type judged struct {
	info     Info
	decision board.Decision
}

func (j *Journal) open() (*Folder, error) {
	if j.openFolder != nil {
		return j.openFolder()
	}
	return j.Place.Open()
}

func (j *Journal) make() (*Folder, error) {
	if j.makeFolder != nil {
		return j.makeFolder()
	}
	return j.Place.Make()
}

// pause is how long nothing is tried after the board could not be used.
type pause struct {
	until, step int64 // epoch seconds, seconds
	why         string
}

const (
	firstPause = 2
	maxPause   = 30
)

// on reports whether the pause lasts. A clock that was set back ends it.
func (p pause) on(now int64) bool { return now < p.until && p.until-now <= p.step }

func (p pause) longer(now int64, why string) pause {
	step := min(max(2*p.step, firstPause), maxPause)
	return pause{until: now + step, step: step, why: why}
}

// The outcomes of a journal in a replay.
const (
	Applied     = string(board.ResultApplied)
	Already     = string(board.ResultAlready)
	Superseded  = string(board.ResultSuperseded)
	Waiting     = string(board.ResultWaiting)
	Quarantined = "quarantined"
)

// Result is what a replay did with one file.
type Result struct {
	File    string `json:"file"`
	Task    string `json:"task"`
	Run     int64  `json:"run"`
	Outcome string `json:"outcome"`
	Guard   string `json:"guard"` // running-run or ended-run where it was applied
	Reason  string `json:"reason,omitempty"`
	// Aside is the name in the quarantine. Reclaimed says that the run was taken
	// back for another attempt, Blocked that this happened too often.
	Aside     string `json:"aside,omitempty"`
	Reclaimed bool   `json:"reclaimed,omitempty"`
	Blocked   bool   `json:"blocked,omitempty"`

	detail string
}

// ExitCode is what a runner that delivered a result exits with: 0 when the board
// has it, 75 when it is durable but not on the board yet, else 1.
func (r Result) ExitCode() int {
	switch r.Outcome {
	case Applied, Already:
		return 0
	case Waiting:
		return 75
	}
	return 1
}

// Report is what a replay did.
type Report struct {
	Replayed int      `json:"replayed"` // results that were applied
	Results  []Result `json:"results"`
	// Locked says that another program is replaying these journals just now, so
	// that nothing was done.
	Locked bool `json:"locked,omitempty"`
}

func (r *Report) add(one Result) {
	if one.Outcome == Applied {
		r.Replayed++
	}
	r.Results = append(r.Results, one)
}
