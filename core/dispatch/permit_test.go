package dispatch_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

func TestAPausedBoardIsOnlyWatchedUntilItIsResumed(t *testing.T) {
	w := newWorld(t)
	w.card(board.NewTask{Assignee: "sleeper"})
	w.must(w.d.Place.Pause("ann", 0))
	before := w.digest()
	for _, o := range []dispatch.Options{{}, {LanesOnly: true}, {NoSpawn: true}, {DryRun: true}} {
		report, err := w.d.Tick(t.Context(), o)
		if want := `paused by "ann" since 1970-01-01 00:00:00 UTC`; !errors.Is(err, dispatch.ErrWatching) || report.Watching != want {
			t.Errorf("%+v: %q, %v", o, report.Watching, err)
		}
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
	w.must(w.d.Place.Resume())
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 || report.Watching != "" {
		t.Errorf("afterwards: %+v", report)
	}
}

func TestOnANetworkFileSystemNothingIsDispatched(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	for kind, remote := range map[string]bool{"nfs4": true, "cifs": true, "fuse.sshfs": true, "9p": true} {
		var asked string
		w.d.NetworkFS = func(path string) (bool, string, error) { asked = path; return remote, kind, nil }
		before := w.digest()
		report, err := w.d.Tick(t.Context(), dispatch.Options{})
		if !errors.Is(err, dispatch.ErrNetworkFS) || !errors.Is(err, dispatch.ErrWatching) || asked != w.d.Place.DB {
			t.Errorf("%s at %q: %v", kind, asked, err)
		}
		if want := "network file system (" + kind + "): viewing only, dispatching is off"; report.Watching != want {
			t.Errorf("watching %q, want %q", report.Watching, want)
		}
		if diff := cmp.Diff(before, w.digest()); diff != "" {
			t.Error(diff)
		}
		if _, err := os.Stat(w.d.Place.DispatchLock()); err == nil {
			t.Error("a lock was taken where locks are worth nothing")
		}
	}
	// A single edit is not dispatching.
	_, err := w.b.Comment(t.Context(), board.Target{ID: id}, "ann", "hello")
	w.must(err)

	broken := errors.New("no such call")
	w.d.NetworkFS = func(string) (bool, string, error) { return false, "", broken }
	if _, err := w.d.Tick(t.Context(), dispatch.Options{}); !errors.Is(err, broken) || errors.Is(err, dispatch.ErrWatching) {
		t.Errorf("a file system that cannot be asked: %v", err)
	}
	w.d.NetworkFS = nil
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		t.Errorf("allowed: %+v", report)
	}
}
