package dispatch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/process"
)

func TestAReadyCardGetsARealWorkerWhoseIdentityIsOnTheBoard(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "shows"})
	report := w.tick(dispatch.Options{})
	if len(report.Spawned) != 1 || report.Spawned[0].Task != id {
		t.Fatalf("started %+v", report.Spawned)
	}
	if diff := cmp.Diff([]string{"created", "claimed", "tip_scratch_workspace", "spawned"}, w.kinds(id)); diff != "" {
		t.Error(diff)
	}
	d, err := w.b.Detail(t.Context(), id)
	w.must(err)
	pid := report.Spawned[0].PID
	table := process.Table{Host: host}
	if d.Task.WorkerPID == nil || *d.Task.WorkerPID != pid || d.Task.WorkerStarted == nil || *d.Task.WorkerStarted != table.Fingerprint(pid) {
		t.Errorf("card names %v %v, the worker is %d %s", d.Task.WorkerPID, d.Task.WorkerStarted, pid, table.Fingerprint(pid))
	}
	if run := d.Runs[0]; run.WorkerPID == nil || *run.WorkerPID != pid {
		t.Errorf("run %+v", run)
	}
	if want := filepath.Join(w.d.Place.Workspaces, id); d.Task.WorkspacePath != want || report.Spawned[0].Workspace != want {
		t.Errorf("workspace %q, want %q", d.Task.WorkspacePath, want)
	}
	facts, err := table.Look(pid)
	w.must(err)
	if facts.Session != pid || facts.Group != pid {
		t.Errorf("the worker is in session %d and group %d, want its own", facts.Session, facts.Group)
	}
	log := filepath.Join(w.d.Place.Logs, id+".log")
	w.until("the worker wrote its environment", func(*dispatch.Report) bool {
		data, _ := os.ReadFile(log)
		return strings.Contains(string(data), "HERMES_KANBAN_TASK="+id) && strings.Contains(string(data), "HERMES_KANBAN_DB="+w.d.Place.DB)
	})
}

func TestAWorkerThatDiesIsSeenItsCardGoesBackAndTheSecondTimeItIsBlocked(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "dies"})
	crashes := 0
	w.until("two crashes", func(r *dispatch.Report) bool {
		if len(r.Crashed) > 0 && len(r.Spawned) > 0 {
			t.Fatalf("released and started in one tick: %+v", r)
		}
		crashes += len(r.Crashed)
		return crashes == 2
	})
	if got := w.status(id); got != core.Blocked {
		t.Errorf("the card is %s, want blocked", got)
	}
	want := []string{"created", "claimed", "tip_scratch_workspace", "spawned", "crashed", "claimed", "spawned", "crashed", "gave_up"}
	if diff := cmp.Diff(want, w.kinds(id)); diff != "" {
		t.Error(diff)
	}
	d, err := w.b.Detail(t.Context(), id)
	w.must(err)
	if d.Task.Failures != 2 || !strings.Contains(d.Task.LastError, "exit") {
		t.Errorf("%d failures, last error %q", d.Task.Failures, d.Task.LastError)
	}
	if d.Runs[1].Outcome != core.Crashed || d.Task.WorkerPID != nil || d.Task.ClaimLock != nil {
		t.Errorf("run %+v, card %+v", d.Runs[1], d.Task)
	}
	before := w.digest()
	w.tick(dispatch.Options{})
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error("a blocked card was touched:", diff)
	}
}

func TestNoCardIsBlamedForAHermesThatIsNotInstalled(t *testing.T) {
	w := newWorld(t)
	w.must(os.Remove(filepath.Join(w.dir, "hermes")))
	id := w.card(board.NewTask{Assignee: "dev"})
	report := w.tick(dispatch.Options{})
	if len(report.Skipped) != 1 || !strings.Contains(report.Skipped[0].Reason, "Hermes is not there") {
		t.Errorf("report %+v", report)
	}
	if diff := cmp.Diff([]string{"created"}, w.kinds(id)); diff != "" {
		t.Error(diff)
	}
}

func TestAWorkspaceThatCannotBeMadeCountsFailedStarts(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "dev", WorkspaceKind: "dir", WorkspacePath: filepath.Join(w.dir, "hermes", "inside a file")})
	for range 2 {
		report, err := w.d.Tick(t.Context(), dispatch.Options{})
		w.must(err)
		if len(report.Errors) != 1 || len(report.Spawned) != 0 {
			t.Errorf("report %+v", report)
		}
	}
	if diff := cmp.Diff([]string{"created", "claimed", "spawn_failed", "claimed", "gave_up"}, w.kinds(id)); diff != "" {
		t.Error(diff)
	}
	if got := w.status(id); got != core.Blocked {
		t.Errorf("the card is %s, want blocked", got)
	}
}

func TestRunningCardsCountAgainstTheCapsOnceAndReviewersToo(t *testing.T) {
	w := newWorld(t)
	w.rules.MaxSpawn, w.rules.MaxInProgress = 2, 2
	running := w.card(board.NewTask{Assignee: "sleeper", Priority: 9})
	w.tick(dispatch.Options{})
	first := w.card(board.NewTask{Assignee: "sleeper", Priority: 2})
	w.card(board.NewTask{Assignee: "sleeper", Priority: 1})
	report := w.tick(dispatch.Options{})
	if len(report.Spawned) != 1 || report.Spawned[0].Task != first {
		t.Errorf("started %+v beside %s, want only %s", report.Spawned, running, first)
	}
	w.sql(`DELETE FROM tasks WHERE status = 'ready'`)
	review := w.card(board.NewTask{Assignee: "sleeper"})
	w.must(w.b.RequestReview(t.Context(), board.ReviewRequest{Target: board.Target{ID: review}}))
	w.rules.MaxInProgress = 1
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 0 {
		t.Errorf("a reviewer was started beyond the limit: %+v", report.Spawned)
	}
}

func TestTheCapOfAnAssigneeLeavesOthersRunnable(t *testing.T) {
	w := newWorld(t)
	w.rules.MaxInProgressPerProfile = 1
	for range 2 {
		w.card(board.NewTask{Assignee: "sleeper", Priority: 5})
	}
	other := w.card(board.NewTask{Assignee: "shows"})
	report := w.tick(dispatch.Options{})
	if len(report.Spawned) != 2 || report.Spawned[1].Task != other || len(report.Skipped) != 1 {
		t.Errorf("report %+v", report)
	}
}

func TestCardsThatNobodyCanRunAreSkippedWithAReasonAndNoEvent(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES
	 ('t_a','no owner',NULL,'ready',@NOW@-9000),('t_b','empty owner','','ready',@NOW@-9000),('t_c','blank owner','  ','ready',@NOW@-9000),
	 ('t_d','not a profile','ghost','ready',@NOW@-9000),('t_e','wrong case','Dev','ready',@NOW@-9000),('t_f','review, no owner',NULL,'review',@NOW@-9000)`)
	var report *dispatch.Report
	for range 3 {
		report = w.tick(dispatch.Options{NoSpawn: true})
	}
	reasons := map[string]string{}
	for _, n := range report.Skipped {
		reasons[n.Task] = n.Reason
	}
	want := map[string]string{"t_a": "no owner", "t_b": "no owner", "t_c": "no owner", "t_d": `unknown profile "ghost"`, "t_f": "review without owner"}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Error(diff)
	}
	if len(report.WouldSpawn) != 1 || report.WouldSpawn[0].Task != "t_e" {
		t.Errorf("would start %+v, want t_e", report.WouldSpawn)
	}
	for id := range want {
		if kinds := w.kinds(id); len(kinds) != 0 {
			t.Errorf("%s got events %v", id, kinds)
		}
	}
}

func TestAnUnownedCardGoesToTheDefaultAssignee(t *testing.T) {
	w := newWorld(t)
	w.rules.DefaultAssignee = "sleeper"
	id := w.card(board.NewTask{})
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 || report.Spawned[0].Assignee != "sleeper" {
		t.Errorf("started %+v", report.Spawned)
	}
	if kinds := w.kinds(id); len(kinds) < 2 || kinds[1] != "assigned" {
		t.Errorf("events %v", kinds)
	}
}

func TestAReviewCardIsClaimedForReview(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	w.must(w.b.RequestReview(t.Context(), board.ReviewRequest{Target: board.Target{ID: id}}))
	w.rules.ReviewDispatch = false
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 0 {
		t.Fatalf("started %+v although reviews are off", report.Spawned)
	}
	w.rules.ReviewDispatch = true
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		t.Fatalf("report %+v", report)
	}
	cards, err := w.b.RunningCards(t.Context())
	w.must(err)
	if len(cards) != 1 || !cards[0].Review {
		t.Errorf("running %+v", cards)
	}
}

func TestAFreshClaimInheritsNothingOfTheLastRun(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	w.sql(`UPDATE tasks SET last_heartbeat_at = @NOW@-7200, worker_pid = 1, worker_started_at = 'unverified' WHERE id = '` + id + `'`)
	report := w.tick(dispatch.Options{})
	task, err := w.b.Task(t.Context(), id)
	w.must(err)
	if task.LastHeartbeat != nil || *task.WorkerPID != report.Spawned[0].PID {
		t.Errorf("card %+v", task)
	}
}
