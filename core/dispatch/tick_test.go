package dispatch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
)

func TestATickReconcilesAlsoWhenItMayNotStartAnything(t *testing.T) {
	w := newWorld(t)
	zombie := w.card(board.NewTask{Assignee: "sleeper"})
	w.sql(`UPDATE tasks SET status = 'running' WHERE id = '` + zombie + `'`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{zombie}, report.Reconciled); diff != "" {
		t.Error(diff)
	}
	if got := w.status(zombie); got != core.Ready {
		t.Errorf("the card is %s", got)
	}
	if len(report.Spawned) != 0 {
		t.Errorf("started %v", report.Spawned)
	}
	report = w.tick(dispatch.Options{NoSpawn: true})
	if len(report.WouldSpawn) != 1 || report.WouldSpawn[0].Task != zombie {
		t.Errorf("would start %v", report.WouldSpawn)
	}
}

func TestReconcilingCanBeSwitchedOff(t *testing.T) {
	for name, off := range map[string]func(*world) dispatch.Options{
		"by Hermes' configuration": func(w *world) dispatch.Options {
			w.rules.ReconcileOrphans = false
			return dispatch.Options{NoSpawn: true}
		},
		"by the command line": func(*world) dispatch.Options { return dispatch.Options{NoSpawn: true, NoReconcile: true} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			zombie := w.card(board.NewTask{Assignee: "sleeper"})
			w.sql(`UPDATE tasks SET status = 'running' WHERE id = '` + zombie + `'`)
			if report := w.tick(off(w)); len(report.Reconciled) != 0 {
				t.Errorf("reconciled %v", report.Reconciled)
			}
			if got := w.status(zombie); got != core.Running {
				t.Errorf("the card is %s", got)
			}
		})
	}
}

func TestACardReleasedInATickIsNotStartedBeforeTheNext(t *testing.T) {
	w := newWorld(t)
	zombie := w.card(board.NewTask{Assignee: "sleeper"})
	w.sql(`UPDATE tasks SET status = 'running' WHERE id = '` + zombie + `'`)
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 0 {
		t.Fatalf("started %v in the tick that released it", report.Spawned)
	}
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		t.Errorf("started %v in the next tick", report.Spawned)
	}
}

func TestAPlanWritesNothingAndSaysWhatATickWouldDo(t *testing.T) {
	w := newWorld(t)
	zombie := w.card(board.NewTask{Assignee: "sleeper"})
	ready := w.card(board.NewTask{Assignee: "sleeper"})
	parent := w.card(board.NewTask{Assignee: "sleeper"})
	child := w.card(board.NewTask{Assignee: "sleeper", Parents: []string{parent}})
	w.sql(`UPDATE tasks SET status = 'running' WHERE id = '` + zombie + `'; UPDATE tasks SET status = 'done' WHERE id = '` + parent + `'`)
	before := w.digest()
	report := w.tick(dispatch.Options{DryRun: true})
	if diff := cmp.Diff([]string{zombie}, report.Reconciled); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{child}, report.Promoted); diff != "" {
		t.Error(diff)
	}
	var starts []string
	for _, s := range report.WouldSpawn {
		starts = append(starts, s.Task)
	}
	if diff := cmp.Diff([]string{ready, child}, starts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(w.d.Place.DispatchLock()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the plan made a lock file: %v", err)
	}
}

func TestWhileAnotherDispatcherTicksNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.card(board.NewTask{Assignee: "sleeper"})
	lock, err := home.TryLock(w.d.Place.DispatchLock())
	w.must(err)
	before := w.digest()
	if report := w.tick(dispatch.Options{}); !report.SkippedLocked {
		t.Error("the tick went on beside another")
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
	w.must(lock.Release())
	if report := w.tick(dispatch.Options{}); report.SkippedLocked || len(report.Spawned) != 1 {
		t.Errorf("after the lock was free: %+v", report)
	}
}

func TestALockThatCannotBeOpenedFailsTheTick(t *testing.T) {
	w := newWorld(t)
	w.card(board.NewTask{Assignee: "sleeper"})
	w.must(os.Mkdir(w.d.Place.DispatchLock(), 0o700))
	before := w.digest()
	if _, err := w.d.Tick(t.Context(), dispatch.Options{}); err == nil || !strings.Contains(err.Error(), "dispatch lock") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsDispatchedBesideAHermesGatewayOrInAnEmergencyStop(t *testing.T) {
	w := newWorld(t)
	w.card(board.NewTask{Assignee: "sleeper"})
	before := w.digest()
	w.must(os.MkdirAll(filepath.Dir(w.d.Home.GatewayLock()), 0o700))
	gateway, err := home.TryLock(w.d.Home.GatewayLock())
	w.must(err)
	if _, err := w.d.Tick(t.Context(), dispatch.Options{}); !errors.Is(err, dispatch.ErrWatching) || !strings.Contains(err.Error(), "gateway") {
		t.Errorf("beside a gateway: %v", err)
	}
	w.must(gateway.Release())
	w.must(w.d.Home.Engage("test", w.clock))
	if _, err := w.d.Tick(t.Context(), dispatch.Options{}); !errors.Is(err, dispatch.ErrWatching) || !strings.Contains(err.Error(), "emergency stop") {
		t.Errorf("in an emergency stop: %v", err)
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
	w.must(w.d.Home.Release())
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		t.Errorf("afterwards: %+v", report)
	}
}

func TestASecondTickWithNothingChangedWritesNothing(t *testing.T) {
	w := newWorld(t)
	for _, assignee := range []string{"sleeper", "", "ghost"} {
		w.card(board.NewTask{Assignee: assignee})
	}
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,worker_pid) VALUES ('t_held','x','dev','running',@NOW@,@LIVE@)`, "@LIVE@", live(t))
	w.tick(dispatch.Options{})
	before := w.digest()
	for range 3 {
		w.tick(dispatch.Options{})
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
}
