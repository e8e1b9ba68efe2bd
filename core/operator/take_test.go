package operator_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// takings are the ways to take a card from its run, and where it is then.
var takings = []struct {
	name string
	to   core.Status
	take func(ctx context.Context, d *desk, c operator.Card, stop bool) error
}{
	{"block", core.Blocked, func(ctx context.Context, d *desk, c operator.Card, stop bool) error {
		_, err := d.Operator.Block(ctx, c, stop, "which colour?", "needs_input")
		return err
	}},
	{"schedule", core.Scheduled, func(ctx context.Context, d *desk, c operator.Card, stop bool) error {
		return d.Operator.Schedule(ctx, c, stop, "monday")
	}},
	{"archive", core.Archived, func(ctx context.Context, d *desk, c operator.Card, stop bool) error {
		return d.Operator.Archive(ctx, c, stop)
	}},
	{"complete", core.Done, func(ctx context.Context, d *desk, c operator.Card, stop bool) error {
		return d.Operator.Complete(ctx, c, stop, "done by hand")
	}},
	{"review", core.Review, func(ctx context.Context, d *desk, c operator.Card, stop bool) error {
		return d.Operator.RequestReview(ctx, c, stop, "lead", "please look")
	}},
}

func TestLiveWorkerKeepsItsCardUntilItIsStopped(t *testing.T) {
	for _, way := range takings {
		t.Run(way.name, func(t *testing.T) {
			d := newDesk(t)
			c, gone := d.working("a card")
			before, events := d.task(c.ID), d.count("SELECT count(*) FROM task_events")
			if err := way.take(t.Context(), d, c, false); !errors.Is(err, board.ErrLiveWorker) {
				t.Fatalf("without a stop: %v", err)
			}
			if now := d.task(c.ID); now.Status != before.Status || d.count("SELECT count(*) FROM task_events") != events {
				t.Fatal("something was written although nothing was stopped")
			}
			if err := way.take(t.Context(), d, c, true); err != nil {
				t.Fatal(err)
			}
			<-gone
			if now := d.task(c.ID); now.Status != way.to || now.WorkerPID != nil || now.ClaimLock != nil {
				t.Errorf("the card is %s with worker %v", now.Status, now.WorkerPID)
			}
			if n := d.count("SELECT count(*) FROM task_runs WHERE ended_at IS NULL"); n != 0 {
				t.Error("the run is still open")
			}
		})
	}
}

// immortal is a worker that outlives every stop.
type immortal struct{}

func (immortal) Stop(_ context.Context, w process.Worker) core.Termination {
	return core.Termination{PrevPID: w.PID, HostLocal: true, Attempted: true}
}

func TestCardOfAWorkerThatCannotBeStoppedStaysAsItIs(t *testing.T) {
	for _, way := range takings {
		t.Run(way.name, func(t *testing.T) {
			d := newDesk(t)
			c, _ := d.working("a card")
			d.Stopper = immortal{}
			if err := way.take(t.Context(), d, c, true); !errors.Is(err, operator.ErrSurvives) {
				t.Fatalf("got %v", err)
			}
			if now := d.task(c.ID); now.Status != core.Running {
				t.Errorf("the card is %s", now.Status)
			}
		})
	}
}

func TestWorkerThatWasNeverShownIsNotStopped(t *testing.T) {
	for _, way := range append(takings, struct {
		name string
		to   core.Status
		take func(ctx context.Context, d *desk, c operator.Card, stop bool) error
	}{"requeue", core.Ready, func(ctx context.Context, d *desk, c operator.Card, _ bool) error {
		seen := operator.Standing{Task: core.Task{ID: c.ID, Status: c.Seen.Status, CurrentRun: c.Seen.RunID, ClaimLock: c.Seen.ClaimLock, Generation: c.Seen.Generation}}
		_, err := d.Requeue(ctx, seen, false, "")
		return err
	}}) {
		t.Run(way.name, func(t *testing.T) {
			d := newDesk(t)
			c, gone := d.working("a card")
			// The card went back and was claimed anew, by the same worker for all anybody can tell.
			d.sql("INSERT INTO task_runs(id, task_id, profile, status, started_at) VALUES (900, ?, 'dev', 'running', ?)", c.ID, d.now)
			d.sql("UPDATE tasks SET current_run_id = 900 WHERE id = ?", c.ID)
			if err := way.take(t.Context(), d, c, true); !errors.Is(err, core.ErrChanged) {
				t.Fatalf("got %v", err)
			}
			select {
			case <-gone:
				t.Error("the worker of another run was stopped")
			default:
			}
		})
	}
}

func TestWorkerThatMayLiveKeepsItsCard(t *testing.T) {
	for _, way := range takings {
		d := newDesk(t)
		c, _ := d.working("a card")
		d.sql("UPDATE tasks SET worker_started_at = 'unverified' WHERE id = ?", c.ID)
		if err := way.take(t.Context(), d, c, true); !errors.Is(err, operator.ErrCannotTell) {
			t.Errorf("%s: %v", way.name, err)
		}
	}
}

func TestArchivedCardLetsItsChildrenGo(t *testing.T) {
	d := newDesk(t)
	c, gone := d.working("parent")
	child, err := d.CreateTask(t.Context(), board.NewTask{Title: "child", Assignee: "dev", Parents: []string{c.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Operator.Archive(t.Context(), c, true); err != nil {
		t.Fatal(err)
	}
	<-gone
	if now := d.task(child.ID); now.Status != core.Ready {
		t.Errorf("the child is %s", now.Status)
	}
	if n := d.count("SELECT count(*) FROM task_events WHERE kind = 'archive_worker_termination' AND json_extract(payload, '$.terminated') = 1"); n != 1 {
		t.Error("nothing tells how the worker was stopped")
	}
}
