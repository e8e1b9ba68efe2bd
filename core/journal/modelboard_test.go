package journal

import (
	"context"
	"fmt"
	"maps"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// modelBoard is as much of a board as the schedules need: one card with its
// runs. Its begin and its commit are operations of the same machine that the
// file system counts, so that a plan can break or stop them too.
type modelBoard struct {
	fs   *memFS
	card modelCard
	disk modelCard // what a power cut leaves
	// told says that a writer asked for its result to be applied.
	told bool
}

type modelCard struct {
	status   core.Status
	current  int64
	runs     map[int64]modelRun
	failures int
	writes   int
	events   map[string]int // quarantine events by file
}

type modelRun struct {
	started int64
	outcome core.Outcome
	summary string
	applied int
}

func (c modelCard) copy() modelCard {
	c.runs, c.events = maps.Clone(c.runs), maps.Clone(c.events)
	return c
}

func newModelBoard(fs *memFS) *modelBoard {
	b := &modelBoard{fs: fs, card: modelCard{status: core.Running, current: 1,
		runs: map[int64]modelRun{1: {started: fs.now - 60}}, events: map[string]int{}}}
	b.disk = b.card.copy()
	return b
}

func (b *modelBoard) newest() int64 {
	n := int64(0)
	for id := range b.card.runs {
		n = max(n, id)
	}
	return n
}

func (b *modelBoard) begin() error {
	if err := b.fs.do(false, func() error { return nil }); err != nil {
		return fmt.Errorf("%w: %w", board.ErrBusy, err)
	}
	return nil
}

// commit replaces the card, durably. One that fails may have happened.
func (b *modelBoard) commit(change func(*modelCard)) error {
	next := b.card.copy()
	change(&next)
	next.writes++
	err := b.fs.do(true, func() error {
		b.card = next
		if b.fs.mutant != normalUnverified {
			b.disk = next.copy()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", board.ErrFull, err)
	}
	return nil
}

func (b *modelBoard) decide(r board.RunResult) board.Decision {
	run, there := b.card.runs[r.Run]
	switch {
	case r.Task != "t_1" || !there || r.RunStarted != nil && *r.RunStarted != run.started:
		return board.Decision{Judgement: board.ResultForeign}
	case run.outcome == core.Completed:
		return board.Decision{Judgement: board.ResultAlready, Another: run.summary != *r.Summary}
	case b.newest() > r.Run && b.fs.mutant != lateToNewer:
		return board.Decision{Judgement: board.ResultSuperseded}
	case b.card.current == r.Run:
		return board.Decision{Judgement: board.ResultApplied, Guard: board.RunningRun}
	}
	return board.Decision{Judgement: board.ResultApplied, Guard: board.EndedRun}
}

func (b *modelBoard) ApplyResult(_ context.Context, r board.RunResult) (board.Decision, error) {
	b.told = true
	if err := b.begin(); err != nil {
		return board.Decision{}, err
	}
	if err := r.Unchanged(); err != nil {
		return board.Decision{}, err
	}
	if b.fs.mutant == noRunGuard && b.card.current != 0 {
		r.Run = b.card.current
	}
	d := b.decide(r)
	if d.Judgement != board.ResultApplied {
		return d, nil
	}
	if b.fs.mutant == commitFirst {
		if dir, err := b.fs.open().Enter("b"); err == nil {
			name := Name{Task: r.Task, Run: r.Run}
			_ = dir.RenameNew(name.pending(), dir, name.committed())
		}
	}
	return d, b.commit(func(c *modelCard) {
		run := c.runs[r.Run]
		run.outcome, run.summary, run.applied = core.Completed, *r.Summary, run.applied+1
		c.runs[r.Run], c.status, c.current = run, core.Done, 0
	})
}

func (b *modelBoard) DecideResult(_ context.Context, r board.RunResult) (board.Decision, error) {
	if err := b.begin(); err != nil {
		return board.Decision{}, err
	}
	return b.decide(r), nil
}

func (b *modelBoard) AcceptResult(context.Context, board.RunResult, string) (board.Decision, error) {
	panic("nobody accepts anything in a schedule")
}

// NoteQuarantine keeps one event a file and takes the run back.
func (b *modelBoard) NoteQuarantine(_ context.Context, n board.QuarantineNote) (board.QuarantineEffect, error) {
	if err := b.begin(); err != nil {
		return board.QuarantineEffect{}, err
	}
	working := b.card.current == n.Run && b.card.status == core.Running
	if n.Unfinished && b.card.events[n.File] > 0 {
		return board.QuarantineEffect{}, nil
	}
	err := b.commit(func(c *modelCard) {
		c.events[n.File]++
		if working {
			c.reclaim()
		}
	})
	return board.QuarantineEffect{Told: true, Reclaimed: working}, err
}

func (c *modelCard) reclaim() {
	run := c.runs[c.current]
	run.outcome = core.Reclaimed
	c.runs[c.current], c.status, c.current = run, core.Ready, 0
}

// NoteReplayable is where the mutant blocks the card.
func (b *modelBoard) NoteReplayable(context.Context, string, int64, string) error {
	if err := b.begin(); err != nil {
		return err
	}
	return b.commit(func(c *modelCard) {
		if b.fs.mutant == blockOnDirSync {
			c.status = core.Blocked
		}
	})
}

func (b *modelBoard) NotCompleted(_ context.Context, runs []board.RunRef) ([]board.RunRef, error) {
	if err := b.begin(); err != nil {
		return nil, err
	}
	var out []board.RunRef
	for _, r := range runs {
		if run, there := b.card.runs[r.Run]; there && run.outcome != core.Completed {
			out = append(out, r)
		}
	}
	return out, nil
}

func (b *modelBoard) QuarantineReasons(context.Context, string) (map[string]string, error) {
	return nil, nil
}

func (b *modelBoard) Task(context.Context, string) (core.Task, error) {
	if err := b.begin(); err != nil {
		return core.Task{}, err
	}
	t := core.Task{ID: "t_1", Status: b.card.status}
	if b.card.current != 0 {
		t.CurrentRun = &b.card.current
	}
	return t, nil
}

func (b *modelBoard) Run(_ context.Context, id int64) (core.Run, error) {
	return core.Run{ID: id, TaskID: "t_1"}, nil
}

func (b *modelBoard) Generation() int { return 0 }
