package board_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestAClaimKeepsWhatAWorkerLeftUnlessItIsAskedToBeFresh(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		d := newDesk(t)
		id := d.card()
		d.sql("UPDATE tasks SET last_heartbeat_at = 7, worker_pid = 8, worker_started_at = 'x|9' WHERE id = ?", id)
		claim, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:1", Fresh: fresh})
		d.must(err)
		task := claim.Task
		if (task.LastHeartbeat == nil) != fresh || (task.WorkerPID == nil) != fresh || (task.WorkerStarted == nil) != fresh {
			t.Errorf("fresh %v: heartbeat %v, pid %v, fingerprint %v", fresh, task.LastHeartbeat, task.WorkerPID, task.WorkerStarted)
		}
		if got := d.one("SELECT last_heartbeat_at FROM task_runs"); got != "NULL" {
			t.Errorf("the run begins with the heartbeat %s", got)
		}
	}
}

func TestOnlyTheOwnerOfALockExtendsIt(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	if _, err := d.ExtendClaim(ctx, at(id), "there:1", 60); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused", err)
	}
	d.now += 100
	expires, err := d.ExtendClaim(ctx, at(id), "here:1", 60)
	d.must(err)
	if got := d.one("SELECT claim_expires FROM task_runs WHERE id = ?", claim.Run); expires != d.now+60 || got != fmt.Sprint(expires) {
		t.Errorf("expires %d, run %s", expires, got)
	}
}

func TestARunThatACardLostIsClosedBeforeTheCardGoesOn(t *testing.T) {
	for status, c := range map[string]struct {
		ask  func(*desk, string) error
		note string
	}{
		"ready": {func(d *desk, id string) error {
			_, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:2"})
			return err
		}, "invariant recovery on re-claim"},
		"blocked": {func(d *desk, id string) error { _, err := d.Unblock(ctx, at(id)); return err }, "invariant recovery on unblock"},
		"review":  {func(d *desk, id string) error { _, err := d.ReopenReview(ctx, at(id)); return err }, "invariant recovery on review reopen"},
	} {
		t.Run(status, func(t *testing.T) {
			d := newDesk(t)
			id, claim := d.claimed()
			d.sql("UPDATE tasks SET status = ?, claim_lock = NULL, claim_expires = NULL WHERE id = ?", status, id)
			d.must(c.ask(d, id))
			if got, want := d.one("SELECT concat_ws(' ', outcome, status, ended_at, summary, claim_lock) FROM task_runs WHERE id = ?", claim.Run),
				fmt.Sprintf("reclaimed reclaimed %d %s", d.now, c.note); got != want {
				t.Errorf("the lost run: %q, want %q", got, want)
			}
			if run := d.state(id).CurrentRun; run != nil && *run == claim.Run {
				t.Error("the card still points to it")
			}
		})
	}
}

func TestAReclaimMayKeepTheFailures(t *testing.T) {
	for _, keep := range []bool{false, true} {
		d := newDesk(t)
		id, _ := d.claimed()
		d.sql("UPDATE tasks SET consecutive_failures = 1, last_failure_error = 'x' WHERE id = ?", id)
		_, err := d.Reclaim(ctx, board.ReclaimRequest{Target: at(id), Reason: new("why"), KeepFailures: keep})
		d.must(err)
		if task := d.state(id); (task.Failures == 1) != keep || (task.LastError == "x") != keep {
			t.Errorf("keep %v: %d failures, %q", keep, task.Failures, task.LastError)
		}
	}
}

func TestAReassignmentTakesTheCardAndForgetsFailuresInOneStep(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	if err := d.Assign(ctx, at(id), "bob"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused while it runs", err)
	}
	d.must(d.Reassign(ctx, board.ReclaimRequest{Target: board.Target{ID: id, Run: &claim.Run}, Reason: new("slow")}, " BOB "))
	task := d.state(id)
	if task.Assignee != "bob" || task.Status != core.Ready || task.ClaimLock != nil || task.CurrentRun != nil {
		t.Errorf("%+v", task)
	}
	if got, want := d.said(id), `{"assignee": "bob", "from": "alice"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.must(d.Reassign(ctx, board.ReclaimRequest{Target: at(id)}, ""))
	if got := d.one("SELECT assignee FROM tasks WHERE id = ?", id); got != "NULL" {
		t.Errorf("assignee %s, want nobody", got)
	}
}
