package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// Results brings the durable results of workers to the board.
type Results interface {
	Replay(ctx context.Context, o journal.ReplayOptions) (journal.Report, error)
	// Plan says what a replay would do, and does nothing.
	Plan(ctx context.Context) (journal.Report, error)
	// HasPending reports whether a result of that run waits. An error means that
	// this cannot be known.
	HasPending(task string, run int64) (bool, error)
}

// replay brings every pending result to its run, before anything is decided
// about the run: a finished result beats a requeue.
func (p *pass) replay(ctx context.Context) error {
	if p.Results == nil {
		return nil
	}
	var report journal.Report
	var err error
	if p.DryRun {
		report, err = p.Results.Plan(ctx)
	} else {
		report, err = p.Results.Replay(ctx, journal.ReplayOptions{})
	}
	p.replayed(report)
	if err != nil && ctx.Err() == nil {
		// A folder that cannot be read keeps its results; the rest of the tick
		// holds every run of which it cannot be known whether it has one.
		p.Errors = append(p.Errors, fmt.Sprintf("replay journals: %v", err))
		return nil
	}
	return err
}

// replayed reports what a replay did, or would do.
func (p *pass) replayed(report journal.Report) {
	for _, r := range report.Results {
		switch r.Outcome {
		case journal.Applied, journal.Already:
			p.Replayed = append(p.Replayed, Replayed{Task: r.Task, Run: r.Run, Outcome: r.Outcome})
		case journal.Quarantined:
			p.Quarantined = append(p.Quarantined, Quarantined{File: cmp.Or(r.Aside, r.File), Task: r.Task, Run: r.Run, Reason: r.Reason})
			if r.Reclaimed {
				p.released[r.Task] = true
			}
			if r.Blocked {
				p.AutoBlocked = append(p.AutoBlocked, r.Task)
			}
		case journal.Waiting:
			// It is met again at each look before a release, and told once.
			if note := (Note{r.Task, "a finished result waits: " + r.Reason}); !slices.Contains(p.Held, note) {
				p.hold(note.Task, note.Reason)
			}
		}
	}
}

// unfinished keeps those runs of which no finished result waits. What became
// durable since the tick began is brought to the board first; a run whose result
// must wait, or of which it cannot be known, is held.
func (p *pass) unfinished(ctx context.Context, endings []board.Ending) []board.Ending {
	if p.Results == nil {
		return endings
	}
	return slices.DeleteFunc(endings, func(e board.Ending) bool {
		return e.Card.Run != nil && p.finished(ctx, e.Card.Task.ID, e.Card.Run.ID)
	})
}

// finished reports whether a run has a result that its end would throw away.
func (p *pass) finished(ctx context.Context, task string, run int64) bool {
	waits, err := p.Results.HasPending(task, run)
	switch {
	case err != nil:
		p.hold(task, fmt.Sprintf("it cannot be known whether a finished result waits: %v", err))
		return true
	case !waits:
		return false
	case p.DryRun:
		return true
	}
	report, err := p.Results.Replay(ctx, journal.ReplayOptions{Task: task})
	p.replayed(report)
	if err != nil {
		p.trouble(task, err)
	}
	// A result that only a person may accept is kept; its run ends like any other.
	return !slices.ContainsFunc(report.Results, func(r journal.Result) bool {
		return r.Task == task && r.Run == run && r.Outcome == journal.Superseded
	})
}
