package dispatch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

func TestACardThatFailedToStartIsTriedAgainAlthoughTheBoardIsQuiet(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	// A file stands where the launch records belong, so that no claim can commit.
	runs := filepath.Join(w.d.Place.StateRoot, w.d.Place.Slug)
	w.must(os.MkdirAll(filepath.Dir(runs), 0o700))
	w.must(os.RemoveAll(runs))
	w.must(os.WriteFile(runs, nil, 0o600))
	for i := range 3 {
		report, err := w.d.Tick(t.Context(), dispatch.Options{})
		w.must(err)
		if len(report.Errors) == 0 || len(report.Spawned) != 0 {
			t.Errorf("tick %d: %+v", i, report)
		}
	}
	w.must(os.Remove(runs))
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 || report.Spawned[0].Task != id {
		t.Errorf("nothing started although it can: %+v", report)
	}
}

func TestADefaultAssigneeThatAppearsLaterGetsTheWaitingCards(t *testing.T) {
	w := newWorld(t)
	w.rules.DefaultAssignee = "late"
	w.card(board.NewTask{})
	for range 2 {
		if report := w.tick(dispatch.Options{}); len(report.Spawned) != 0 {
			t.Fatalf("started %+v", report.Spawned)
		}
	}
	w.agent("late", "exec sleep 600")
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		t.Errorf("the card still waits: %+v", report)
	}
}

func TestAnOwnerThatDisappearsIsNotRunnableAnyMore(t *testing.T) {
	w := newWorld(t)
	w.card(board.NewTask{Assignee: "sleeper"})
	for range 2 {
		if report := w.tick(dispatch.Options{NoSpawn: true}); len(report.WouldSpawn) != 1 {
			t.Fatalf("report %+v", report)
		}
	}
	w.must(os.RemoveAll(filepath.Join(w.dir, "profiles", "sleeper")))
	if report := w.tick(dispatch.Options{NoSpawn: true}); len(report.WouldSpawn) != 0 || len(report.Skipped) != 1 {
		t.Errorf("report %+v", report)
	}
}

func TestAStartThatFailedHalfwayIsFreeAgainWhileItsDispatcherLives(t *testing.T) {
	for name, once := range map[string]bool{"of a loop": false, "of a single tick": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.d.Once = once
			id := w.card(board.NewTask{Assignee: "sleeper"})
			w.sql(`CREATE TRIGGER broken BEFORE UPDATE OF workspace_path ON tasks BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END`)
			report, err := w.d.Tick(t.Context(), dispatch.Options{})
			w.must(err)
			if len(report.Errors) == 0 {
				t.Fatalf("report %+v", report)
			}
			w.sql(`DROP TRIGGER broken`)
			if w.tick(dispatch.Options{NoSpawn: true}); w.status(id) != core.Ready {
				t.Errorf("the card is %s, claimed by nobody at work", w.status(id))
			}
		})
	}
}

func TestAPlanCountsTheCardsThatRunAlready(t *testing.T) {
	w := newWorld(t)
	w.rules.MaxSpawn, w.rules.MaxInProgressPerProfile = 3, 1
	for range 3 {
		w.card(board.NewTask{Assignee: "sleeper"})
	}
	w.tick(dispatch.Options{})
	w.card(board.NewTask{Assignee: "dev"})
	if report := w.tick(dispatch.Options{DryRun: true}); len(report.WouldSpawn) != 1 || report.WouldSpawn[0].Assignee != "dev" {
		t.Errorf("the assignee has as many as may run, would start %+v", report.WouldSpawn)
	}
	w.rules.MaxSpawn, w.rules.MaxInProgressPerProfile = 2, 0
	if report := w.tick(dispatch.Options{DryRun: true}); len(report.WouldSpawn) != 1 || report.Queued != 2 {
		t.Errorf("one runs of two that may, would start %+v, queued %d", report.WouldSpawn, report.Queued)
	}
}

func TestAReviewThatCannotStartKeepsNoSlotFree(t *testing.T) {
	w := newWorld(t)
	w.rules.MaxSpawn = 1
	review := w.card(board.NewTask{Assignee: "sleeper"})
	w.must(w.b.RequestReview(t.Context(), board.ReviewRequest{Target: board.Target{ID: review}}))
	w.sql(`INSERT INTO task_runs(task_id, profile, status, outcome, started_at, ended_at) VALUES ('` + review + `', 'sleeper', 'rate_limited', 'rate_limited', @NOW@-20, @NOW@-10)`)
	ready := w.card(board.NewTask{Assignee: "dev"})
	report := w.tick(dispatch.Options{})
	if len(report.Spawned) != 1 || report.Spawned[0].Task != ready {
		t.Errorf("started %+v while the review waits for its quota", report.Spawned)
	}
}
