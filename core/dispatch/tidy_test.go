package dispatch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

func TestLeasesOfEndedRunsAreRemovedOnceAnHour(t *testing.T) {
	w := newWorld(t)
	w.agent("dev", "exit 0")
	w.card(board.NewTask{Assignee: "dev"})
	lease := filepath.Join(w.d.Place.StateRoot, w.d.Place.Slug, "run", "t_00000001.1.lease")
	there := func() bool { _, err := os.Lstat(lease); return err == nil }
	w.tick(dispatch.Options{})
	w.until("the worker ended", func(r *dispatch.Report) bool { return len(r.Crashed) == 1 })
	if !there() {
		t.Error("the lease was removed before its time")
	}
	w.clock += 3600
	w.sql("UPDATE tasks SET status = 'blocked'")
	before := w.digest()
	w.tick(dispatch.Options{})
	if there() {
		t.Error("the lease of an ended run is still there")
	}
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
}
