package board_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
)

func TestTheChildrenOfARunningCardGoOnWhenItsWorkerIsStopped(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	d.sql("UPDATE tasks SET worker_pid = 4711, worker_started_at = 'boot|1' WHERE id = ?", id)
	child := d.card(under(id))
	a, err := d.Archive(ctx, at(id), nil)
	d.must(err)
	if !a.WasRunning || *a.WorkerPID != 4711 || *a.WorkerStarted != "boot|1" || *a.ClaimLock != "here:1" || *a.Run != claim.Run {
		t.Errorf("%+v does not name the worker", a)
	}
	d.must(d.RecordArchiveTermination(ctx, a, core.Termination{PrevPID: a.WorkerPID, HostLocal: true, Attempted: true, Terminated: true}))
	if got := d.kinds(id); got != "created claimed archived archive_worker_termination" {
		t.Errorf("events %q", got)
	}
	if got := d.state(child).Status; got != core.Ready {
		t.Errorf("the child is %s, want ready", got)
	}
}

func TestDeletingACardLeavesNothingOfItAndLetsItsChildrenGo(t *testing.T) {
	d := newDesk(t)
	id, _ := d.claimed()
	child := d.card(under(id))
	d.sql("INSERT INTO kanban_notify_subs(task_id, platform, chat_id, created_at) VALUES(?, 'tui', '1', 1)", id)
	_, err := d.Comment(ctx, at(id), "ann", "hello")
	d.must(err)
	if err := d.DeleteArchived(ctx, at(id)); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused: it is not archived", err)
	}
	d.must(d.Delete(ctx, at(id)))
	if strings.Contains(d.everything(), id) {
		// The child's own "created" event names its parent, as Hermes leaves it.
		d.sql("DELETE FROM task_events WHERE task_id = ?", child)
		if rest := d.everything(); strings.Contains(rest, id) {
			t.Errorf("left:\n%s", rest)
		}
	}
	if got := d.state(child).Status; got != core.Ready {
		t.Errorf("the child is %s, want ready", got)
	}
}
