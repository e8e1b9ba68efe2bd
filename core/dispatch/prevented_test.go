package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

// troubled is the real starter, before each of whose steps something may happen.
type troubled struct {
	dispatch.Starter
	prepare, start func() error
}

func (s *troubled) Prepare(ctx context.Context, claim board.Claimed) (board.Workspace, error) {
	if s.prepare != nil {
		if err := s.prepare(); err != nil {
			return board.Workspace{}, err
		}
	}
	return s.Starter.Prepare(ctx, claim)
}

func (s *troubled) Start(ctx context.Context, claim board.Claimed, at board.Workspace) (dispatch.Started, error) {
	if s.start != nil {
		if err := s.start(); err != nil {
			return dispatch.Started{}, err
		}
	}
	return s.Starter.Start(ctx, claim, at)
}

// blameless fails unless the card waits as before, with nothing counted against
// it, and starts when the pause after such a failure is over.
func (w *world) blameless(id string) {
	w.t.Helper()
	d, err := w.b.Detail(w.t.Context(), id)
	w.must(err)
	if d.Task.Status != core.Ready || d.Task.Failures != 0 || d.Task.ClaimLock != nil || d.Runs[0].Outcome != core.SpawnFailed {
		w.t.Errorf("card %+v, run %+v", d.Task, d.Runs[0])
	}
	if said := d.Runs[0].Metadata; said == nil || !strings.Contains(*said, `"infrastructure": true`) {
		w.t.Errorf("run %+v", d.Runs[0])
	}
	w.clock += 3600
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		w.t.Errorf("report %+v", report)
	}
}

func TestAFullDiskIsNoFailureOfTheCard(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "dev"})
	starter := &troubled{Starter: w.d.Starter, prepare: func() error { return fmt.Errorf("make the workspace: %w", syscall.ENOSPC) }}
	w.d.Starter = starter
	report, err := w.d.Tick(t.Context(), dispatch.Options{})
	if w.must(err); len(report.Errors) != 1 {
		t.Errorf("report %+v", report)
	}
	starter.prepare = nil
	w.blameless(id)
}

func TestBeingAskedToEndWhileAWorkerIsPreparedIsNoFailureOfTheCard(t *testing.T) {
	for _, step := range []string{"prepare", "start"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			id := w.card(board.NewTask{Assignee: "dev"})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			starter := &troubled{Starter: w.d.Starter}
			end := func() error { cancel(); return nil }
			if step == "prepare" {
				starter.prepare = end
			} else {
				starter.start = end
			}
			w.d.Starter = starter
			report, err := w.d.Tick(ctx, dispatch.Options{})
			if len(report.Spawned) != 0 {
				t.Fatalf("started %+v, %v", report.Spawned, err)
			}
			starter.prepare, starter.start = nil, nil
			w.blameless(id)
		})
	}
}

func TestABoardThatCannotBeWrittenWhileAWorkerStartsIsNoFailureOfTheCard(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "dev"})
	starter := &troubled{Starter: w.d.Starter, start: func() error {
		w.sql(`CREATE TRIGGER broken BEFORE UPDATE ON tasks BEGIN SELECT RAISE(ABORT, 'the database is ill'); END`)
		return nil
	}}
	w.d.Starter = starter
	report, err := w.d.Tick(t.Context(), dispatch.Options{})
	if w.must(err); len(report.Errors) != 1 || len(report.Spawned) != 0 || w.status(id) != core.Running {
		t.Errorf("the card is %s, report %+v", w.status(id), report)
	}
	w.sql("DROP TRIGGER broken")
	starter.start = nil
	report = w.tick(dispatch.Options{})
	if diff := cmp.Diff([]string{id}, report.Reclaimed); diff != "" {
		t.Error(diff)
	}
	w.blameless(id)
}
