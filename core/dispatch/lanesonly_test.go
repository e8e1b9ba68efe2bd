package dispatch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// lanesOnly makes lanes of some assignees, and a Hermes gateway dispatch beside
// the world's dispatcher.
func (w *world) lanesOnly() dispatch.Options {
	w.t.Helper()
	w.d.Lane = func(name string) bool { return name == "sleeper" || name == "dies" }
	w.must(os.MkdirAll(filepath.Dir(w.d.Home.GatewayLock()), 0o700))
	gateway, err := home.TryLock(w.d.Home.GatewayLock())
	w.must(err)
	w.t.Cleanup(func() { _ = gateway.Release() })
	return dispatch.Options{LanesOnly: true}
}

func TestBesideAGatewayOnlyCardsOfLanesAreStarted(t *testing.T) {
	w := newWorld(t)
	lane := w.card(board.NewTask{Assignee: "sleeper"})
	profile := w.card(board.NewTask{Assignee: "dev"})
	nobody := w.card(board.NewTask{})
	o := w.lanesOnly()
	if _, err := w.d.Tick(t.Context(), dispatch.Options{}); !errors.Is(err, dispatch.ErrWatching) {
		t.Fatalf("without being told to serve lanes: %v", err)
	}
	report := w.tick(o)
	if len(report.Spawned) != 1 || report.Spawned[0].Task != lane {
		t.Errorf("started %+v", report.Spawned)
	}
	if w.status(profile) != core.Ready || len(w.kinds(profile)) != 1 {
		t.Errorf("the card of a profile is %s with events %v", w.status(profile), w.kinds(profile))
	}
	if diff := cmp.Diff([]dispatch.Note{{Task: nobody, Reason: "no owner"}}, report.Skipped); diff != "" {
		t.Error(diff)
	}
}

func TestAProfileIsNoLaneAlthoughALaneHasItsName(t *testing.T) {
	w := newWorld(t)
	workers := w.d.Starter.(*dispatch.Workers)
	workers.Settings = func() home.Settings { return home.Settings{Lanes: map[string]home.Lane{"dev": {}, "cli": {}}} }
	for name, want := range map[string]bool{"cli": true, "dev": false, "default": false, "ghost": false, "": false} {
		if got := workers.Lane(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestBesideAGatewayTheDefaultAssigneeCountsOnlyIfItIsALane(t *testing.T) {
	for assignee, started := range map[string]int{"dev": 0, "sleeper": 1} {
		w := newWorld(t)
		w.rules.DefaultAssignee = assignee
		w.card(board.NewTask{})
		if report := w.tick(w.lanesOnly()); len(report.Spawned) != started || len(report.Skipped) != 0 {
			t.Errorf("%s: %+v", assignee, report)
		}
	}
}

func TestBesideAGatewayOnlyWorkersOfLanesAreWatched(t *testing.T) {
	w := newWorld(t)
	o := w.lanesOnly()
	w.card(board.NewTask{Assignee: "dies"})
	// A gateway's card whose worker is gone and whose claim ran out.
	gone := dead(t)
	w.running("t_theirs", host+":1", "@NOW@-60", gone, "@NOW@-5000", "NULL")
	w.sql(`UPDATE tasks SET assignee = 'dev' WHERE id = 't_theirs'; UPDATE task_runs SET profile = 'dev' WHERE task_id = 't_theirs'`)
	// Broken bookkeeping and a card to promote: the gateway's as well.
	zombie := w.card(board.NewTask{Assignee: "sleeper"})
	parent := w.card(board.NewTask{Assignee: "sleeper"})
	child := w.card(board.NewTask{Assignee: "sleeper", Parents: []string{parent}})
	w.sql(fmt.Sprintf(`UPDATE tasks SET status = 'running' WHERE id = '%s'; UPDATE tasks SET status = 'done' WHERE id = '%s'`, zombie, parent))
	crashed := false
	for range 2000 {
		report := w.tick(o)
		crashed = crashed || len(report.Crashed) > 0
		if len(report.Reconciled)+len(report.Reclaimed)+len(report.Promoted)+len(report.Stale) > 0 {
			t.Fatalf("the gateway's work was done: %+v", report)
		}
		if crashed {
			break
		}
		time.Sleep(time.Millisecond) // gives the reaper of our children the processor
	}
	if !crashed {
		t.Error("the death of a lane's worker was never seen")
	}
	for id, want := range map[string]core.Status{"t_theirs": core.Running, zombie: core.Running, child: core.Todo} {
		if got := w.status(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	// Without a gateway the very same board is put right.
	w.d.Home.Root = filepath.Join(w.dir, "elsewhere")
	if report := w.tick(dispatch.Options{NoSpawn: true}); len(report.Reconciled) != 1 || len(report.Promoted) != 1 || len(report.Crashed)+len(report.Reclaimed) != 1 {
		t.Errorf("alone: %+v", report)
	}
}

func TestBesideAGatewayAMissingHermesIsNoComplaint(t *testing.T) {
	w := newWorld(t)
	w.card(board.NewTask{Assignee: "dev"})
	w.must(os.Remove(filepath.Join(w.dir, "hermes")))
	if report := w.tick(w.lanesOnly()); len(report.Skipped) != 0 {
		t.Errorf("skipped %+v", report.Skipped)
	}
	w.rules.DefaultAssignee = "dev"
	w.card(board.NewTask{})
	if report := w.tick(dispatch.Options{LanesOnly: true}); len(report.Skipped) != 0 {
		t.Errorf("with a default assignee: skipped %+v", report.Skipped)
	}
}

func TestBesideAGatewayTheWorkerOfAnEndedRunIsStoppedOnlyIfItIsALanes(t *testing.T) {
	for assignee, stopped := range map[string]bool{"dev": false, "sleeper": true} {
		w := newWorld(t)
		id := w.card(board.NewTask{Assignee: assignee})
		pid := w.tick(dispatch.Options{}).Spawned[0].PID
		task, err := w.b.Task(t.Context(), id)
		w.must(err)
		_, err = w.b.Reclaim(t.Context(), board.ReclaimRequest{Target: board.Target{ID: id}, Saw: core.Sighting{PID: task.WorkerPID, Fingerprint: task.WorkerStarted}})
		w.must(err)
		w.clock += 121
		o := w.lanesOnly()
		o.NoSpawn = true
		w.tick(o)
		if lives(int(pid)) == stopped {
			t.Errorf("the worker of %s: stopped %v", assignee, !stopped)
		}
		if !stopped {
			w.d.Lane = func(string) bool { return true }
			w.tick(o) // nothing is left running behind the test
		}
	}
}
