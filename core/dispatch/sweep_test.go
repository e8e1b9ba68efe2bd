package dispatch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

// running inserts a running card with a whole claim and its open run.
func (w *world) running(id, lock, expires, pid, started, heartbeat string) {
	w.t.Helper()
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid,last_heartbeat_at) VALUES
	 ('` + id + `','x','dev','running',@NOW@-90000,` + started + `,'` + lock + `',` + expires + `,` + pid + `,` + heartbeat + `);
	INSERT INTO task_runs(task_id,profile,status,claim_lock,claim_expires,worker_pid,started_at,last_heartbeat_at) VALUES
	 ('` + id + `','dev','running','` + lock + `',` + expires + `,` + pid + `,` + started + `,` + heartbeat + `);
	UPDATE tasks SET current_run_id = (SELECT max(id) FROM task_runs) WHERE id = '` + id + `'`)
}

func TestTheExpiredClaimOfALivingWorkerIsRenewedAndTheWorkerLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.running("t_1", host+":1", "@NOW@-60", live(t, "HERMES_KANBAN_TASK=t_1"), "@NOW@-1500", "@NOW@-7200")
	w.tick(dispatch.Options{NoSpawn: true})
	task, err := w.b.Task(t.Context(), "t_1")
	w.must(err)
	if task.Status != core.Running || *task.ClaimExpires != w.clock+w.rules.ClaimTTL {
		t.Errorf("card %+v", task)
	}
	if diff := cmp.Diff([]string{"claim_extended"}, w.kinds("t_1")); diff != "" {
		t.Error(diff)
	}
}

func TestAClaimOfAnotherHostIsKeptUntilItHasExpiredAndGoneSilent(t *testing.T) {
	w := newWorld(t)
	gone := dead(t)
	w.running("t_own", "oldname:1", "@NOW@-60", live(t, "HERMES_KANBAN_TASK=t_own"), "@NOW@-1500", "@NOW@-50")
	w.running("t_beats", host+":7", "@NOW@+300", gone, "@NOW@-600", "@NOW@-20")
	w.running("t_young", "otherbox:7", "@NOW@+300", gone, "@NOW@-600", "NULL")
	w.running("t_silent", "otherbox:7", "@NOW@-70000", gone, "@NOW@-80000", "NULL")
	report := w.tick(dispatch.Options{NoSpawn: true})
	for id, want := range map[string]core.Status{"t_own": core.Running, "t_beats": core.Running, "t_young": core.Running, "t_silent": core.Ready} {
		if got := w.status(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if diff := cmp.Diff([]string{"t_silent"}, report.Reclaimed); diff != "" {
		t.Error(diff)
	}
	if kinds := append(w.kinds("t_beats"), w.kinds("t_young")...); len(kinds) != 0 {
		t.Errorf("events %v on cards that are held", kinds)
	}
	held := map[string]string{}
	for _, n := range report.Held {
		held[n.Task] = n.Reason
	}
	if !strings.Contains(held["t_beats"], "alive by heartbeat") {
		t.Errorf("held %v", held)
	}
}

func TestARecycledPidIsACrashAndTheStrangerGetsNoSignal(t *testing.T) {
	w := newWorld(t)
	stranger := live(t)
	w.running("t_1", host+":1", "@NOW@-60", stranger, "@NOW@-7000", "@NOW@-1200")
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_1"}, report.Crashed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"crashed"}, w.kinds("t_1")); diff != "" {
		t.Error(diff)
	}
}

func TestAClaimThatRanOutWithoutEverHavingAWorkerCountsAsAFailure(t *testing.T) {
	w := newWorld(t)
	w.running("t_hand", host+":4242", "@NOW@+780", "NULL", "@NOW@-120", "NULL")
	w.running("t_never", host+":4242", "@NOW@-100", "NULL", "@NOW@-1000", "NULL")
	w.running("t_alive", host+":4242", "@NOW@-100", "NULL", "@NOW@-1000", "@NOW@-900")
	w.sql(`UPDATE tasks SET consecutive_failures = 1`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	for id, want := range map[string]core.Status{"t_hand": core.Running, "t_never": core.Blocked, "t_alive": core.Ready} {
		if got := w.status(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if diff := cmp.Diff([]string{"t_never"}, report.AutoBlocked); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"reclaimed", "gave_up"}, w.kinds("t_never")); diff != "" {
		t.Error(diff)
	}
}

func TestBlockedStaysBlockedUnlessItOnlyWaitedForParents(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,consecutive_failures,last_failure_error) VALUES
	 ('t_a','blocked by its worker','dev','blocked',@NOW@-9000,0,NULL),
	 ('t_b','born blocked: human gate','dev','blocked',@NOW@-9000,0,NULL),
	 ('t_c','gave up at 1','dev','blocked',@NOW@-9000,1,'pid 1 not alive'),
	 ('t_d','waits for a parent, now done','dev','blocked',@NOW@-9000,0,NULL),
	 ('t_p','the parent','dev','done',@NOW@-9500,0,NULL);
	INSERT INTO task_links VALUES('t_p','t_d');
	INSERT INTO task_events(task_id,kind,payload,created_at) VALUES
	 ('t_a','blocked','{"reason":"review-required"}',@NOW@-8000),('t_b','created','{"status":"blocked"}',@NOW@-9000),
	 ('t_c','gave_up','{"failures":1,"effective_limit":1}',@NOW@-8000),('t_d','created','{}',@NOW@-9000)`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_d"}, report.Promoted); diff != "" {
		t.Error(diff)
	}
}

func TestAWaitForSomethingThatIsNotLinkedIsNotStartedForEver(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES ('t_a','waits, but for what?','dev','todo',@NOW@-9000),('t_b','plain todo','dev','todo',@NOW@-9000);
	INSERT INTO task_runs(task_id,profile,status,outcome,summary,started_at,ended_at) VALUES
	 ('t_a','dev','blocked','blocked','depends on the schema card',@NOW@-300,@NOW@-280),
	 ('t_a','dev','blocked','blocked','needs schema first',@NOW@-240,@NOW@-220),
	 ('t_a','dev','blocked','blocked','schema not there yet',@NOW@-180,@NOW@-160);
	INSERT INTO task_events(task_id,kind,payload,created_at) VALUES ('t_a','dependency_wait','{"reason":"schema not there yet"}',@NOW@-160)`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_b"}, report.Promoted); diff != "" {
		t.Error(diff)
	}
	w.sql(`INSERT INTO tasks(id,title,status,created_at) VALUES ('t_schema','the schema','done',@NOW@); INSERT INTO task_links VALUES ('t_schema','t_a')`)
	if report := w.tick(dispatch.Options{NoSpawn: true}); len(report.Promoted) != 1 || report.Promoted[0] != "t_a" {
		t.Errorf("promoted %v after the link", report.Promoted)
	}
}

func TestAnArchivedParentReleasesItsChildrenAndABlockedChildWaitsForAPerson(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES
	 ('t_p','archived parent','dev','archived',@NOW@-9000),('t_q','done parent','dev','done',@NOW@-9000),('t_r','open parent','dev','todo',@NOW@-9000),
	 ('t_a','child of archived + done','dev','todo',@NOW@-8000),('t_b','child of archived + open','dev','todo',@NOW@-8000),
	 ('t_c','blocked child of archived','dev','blocked',@NOW@-8000);
	INSERT INTO task_links VALUES('t_p','t_a'),('t_q','t_a'),('t_p','t_b'),('t_r','t_b'),('t_p','t_c');
	INSERT INTO task_events(task_id,kind,payload,created_at) VALUES ('t_c','blocked','{"reason":"x"}',@NOW@-7000)`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_r", "t_a"}, report.Promoted); diff != "" {
		t.Error(diff)
	}
	if got, err := w.b.Unblock(t.Context(), board.Target{ID: "t_c"}); err != nil || got != core.Ready {
		t.Errorf("unblocked to %s, %v", got, err)
	}
}

func TestATriggerThatProtectsACardLeavesItWithoutAnEvent(t *testing.T) {
	w := newWorld(t)
	w.sql(`ALTER TABLE tasks ADD COLUMN claim_epoch INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE tasks ADD COLUMN metadata TEXT;
	CREATE TRIGGER guard BEFORE UPDATE ON tasks WHEN old.id='t_b' BEGIN SELECT RAISE(IGNORE); END;
	INSERT INTO tasks(id,title,assignee,status,created_at) VALUES('t_a','plain','dev','todo',@NOW@-900),('t_b','protected by a trigger','dev','todo',@NOW@-900)`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_a"}, report.Promoted); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"promoted"}, w.kinds("t_a")); diff != "" {
		t.Error(diff)
	}
	if kinds := w.kinds("t_b"); w.status("t_b") != core.Todo || len(kinds) != 0 {
		t.Errorf("the protected card is %s with events %v", w.status("t_b"), kinds)
	}
}

func TestMendedBookkeepingIsNoSignThatACardWasForcedToRun(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES ('t_a','x','dev','ready',@NOW@-9000)`)
	for range 2 { // an open run of a card at rest
		w.sql(`INSERT INTO task_runs(task_id,profile,status,started_at) VALUES ('t_a','dev','running',@NOW@-600)`)
		w.tick(dispatch.Options{NoSpawn: true})
	}
	w.sql(`UPDATE tasks SET status = 'running'`)
	w.tick(dispatch.Options{NoSpawn: true})
	if got := w.status("t_a"); got != core.Ready {
		t.Errorf("found running without a claim once, the card is %s", got)
	}
}

func TestAFailureCountsAlthoughItsCardWaitsForAParent(t *testing.T) {
	w := newWorld(t)
	w.running("t_a", host+":1", "@NOW@+300", dead(t), "@NOW@-600", "NULL")
	w.sql(`INSERT INTO tasks(id,title,status,created_at) VALUES ('t_p','open','todo',@NOW@-9000);
		INSERT INTO task_links(parent_id,child_id) VALUES ('t_p','t_a');
		UPDATE tasks SET consecutive_failures = 1 WHERE id = 't_a'`)
	w.tick(dispatch.Options{NoSpawn: true})
	task, err := w.b.Task(t.Context(), "t_a")
	w.must(err)
	if task.Failures != 2 || task.Status != core.Todo {
		t.Errorf("the card is %s with %d failures", task.Status, task.Failures)
	}
}

func TestAStaleLockWithAnExpiryInFractionsOfASecondIsTakenOff(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,claim_lock,claim_expires) VALUES ('t_a','x','dev','todo',@NOW@-9000,'@HOST@:1',@NOW@-60.5)`)
	w.tick(dispatch.Options{NoSpawn: true})
	task, err := w.b.Task(t.Context(), "t_a")
	w.must(err)
	if task.ClaimLock != nil {
		t.Errorf("still locked by %q", *task.ClaimLock)
	}
}

func TestABrokenClaimIsKeptWhileTheWorkerOfItsRunLives(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at,current_run_id) VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,7);
		INSERT INTO task_runs(id,task_id,profile,status,claim_lock,worker_pid,started_at) VALUES (7,'t_a','dev','running','@HOST@:1',@LIVE@,@NOW@-600)`,
		"@LIVE@", live(t, "HERMES_KANBAN_TASK=t_a"))
	if report := w.tick(dispatch.Options{NoSpawn: true}); w.status("t_a") != core.Running || len(report.Held) == 0 {
		t.Errorf("the card of a living worker is %s, held %v", w.status("t_a"), report.Held)
	}
}

func TestACardThatTakesNoWriteKeepsNoOtherFromBeingReleased(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"t_bad", "t_good"} {
		w.running(id, host+":1", "@NOW@+300", dead(t), "@NOW@-600", "NULL")
	}
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at) VALUES
		('t_bad_orphan','x','dev','running',@NOW@-9000,@NOW@-600),('t_good_orphan','x','dev','running',@NOW@-9000,@NOW@-600);
		INSERT INTO tasks(id,title,assignee,status,created_at,claim_lock,claim_expires) VALUES
		('t_bad_lock','x','dev','todo',@NOW@-9000,'@HOST@:1',@NOW@-60),('t_good_lock','x','dev','todo',@NOW@-9000,'@HOST@:1',@NOW@-60);
		CREATE TRIGGER protected BEFORE UPDATE ON tasks WHEN old.id LIKE 't_bad%' BEGIN SELECT RAISE(ABORT, 'hands off'); END`)
	report, err := w.d.Tick(t.Context(), dispatch.Options{})
	w.must(err)
	for _, id := range []string{"t_bad", "t_bad_orphan", "t_bad_lock"} {
		if !slices.ContainsFunc(report.Errors, func(e string) bool { return strings.HasPrefix(e, id+":") }) {
			t.Errorf("nothing is said of %s: %v", id, report.Errors)
		}
	}
	for _, id := range []string{"t_good", "t_good_orphan"} {
		if got := w.status(id); got != core.Ready {
			t.Errorf("%s is %s", id, got)
		}
	}
	if len(report.Spawned) == 0 {
		t.Errorf("nothing was started: %+v", report)
	}
}

func TestWorkersKilledFromOutsideOrWithoutATraceAreNoCommonFault(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"t_a", "t_b", "t_c"} {
		w.running(id, host+":1", "@NOW@+300", dead(t), "@NOW@-600", "NULL")
	}
	if report := w.tick(dispatch.Options{NoSpawn: true}); len(report.Crashed) != 3 || len(report.AutoBlocked) != 0 {
		t.Errorf("report %+v", report)
	}
}
