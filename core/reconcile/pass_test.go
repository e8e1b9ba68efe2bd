package reconcile_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

const host = "testhost"

// world is a real board with the real process table, at a fixed moment.
type world struct {
	t    *testing.T
	now  int64
	path string
	b    *board.Board
	db   *sql.DB // another program on the same file
	pass reconcile.Pass
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Now().Unix(), path: filepath.Join(t.TempDir(), "kanban.db")}
	if err := board.Create(t.Context(), w.path, time.Second); err != nil {
		t.Fatal(err)
	}
	clock := func() int64 { return w.now }
	b, err := board.Open(t.Context(), w.path, board.Options{Now: clock, Busy: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	w.b = b
	if w.db, err = sql.Open("sqlite", "file:"+w.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close(); _ = b.Close() })
	table := &process.Table{Host: host}
	w.pass = reconcile.Pass{Board: b, Prober: table, Now: clock}
	return w
}

// sql plays a script with the placeholders of the field.
func (w *world) sql(script string, args ...string) {
	w.t.Helper()
	script = strings.NewReplacer(append([]string{"@NOW@", fmt.Sprint(w.now), "@HOST@", host}, args...)...).Replace(script)
	if _, err := w.db.Exec(script); err != nil {
		w.t.Fatal(err)
	}
}

// dump is every row of the tables a repair could touch.
func (w *world) dump() map[string][]map[string]any {
	w.t.Helper()
	out := map[string][]map[string]any{}
	for _, table := range []string{"tasks", "task_runs", "task_events", "task_comments"} {
		rows, err := w.db.Query("SELECT * FROM " + table + " ORDER BY rowid")
		if err != nil {
			w.t.Fatal(err)
		}
		names, _ := rows.Columns()
		for rows.Next() {
			values := make([]any, len(names))
			dest := make([]any, len(names))
			for i := range values {
				dest[i] = &values[i]
			}
			if err := rows.Scan(dest...); err != nil {
				w.t.Fatal(err)
			}
			row := map[string]any{}
			for i, name := range names {
				row[name] = values[i]
			}
			out[table] = append(out[table], row)
		}
		if err := rows.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

func (w *world) run() ([]string, []reconcile.Finding) {
	w.t.Helper()
	ids, findings, err := w.pass.Run(context.Background(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return ids, findings
}

func (w *world) task(id string) core.Task {
	w.t.Helper()
	task, err := w.b.Task(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return task
}

// unclaimed fails unless nothing of a claim is left on the card.
func (w *world) unclaimed(id string, status core.Status) {
	w.t.Helper()
	task := w.task(id)
	if task.Status != status {
		w.t.Errorf("%s is %s, want %s", id, task.Status, status)
	}
	if task.ClaimLock != nil || task.ClaimExpires != nil || task.WorkerPID != nil || task.WorkerStarted != nil ||
		task.LastHeartbeat != nil || task.CurrentRun != nil {
		w.t.Errorf("%s still carries a claim: %+v", id, task)
	}
}

func (w *world) events(id, kind string) []core.Event {
	w.t.Helper()
	d, err := w.b.Detail(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []core.Event
	for _, e := range d.Events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// deadPID is the number of a process that has ended and was reaped.
func deadPID(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(cmd.Process.Pid)
}

// live starts a process that lives until the test ends.
func live(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return fmt.Sprint(cmd.Process.Pid)
}

const plain = `INSERT INTO tasks(id, title, assignee, status, created_at) VALUES ('t_1', 'zombie', 'w', 'ready', @NOW@-100);`

func TestARunningCardWithoutALockGoesBackToReadyWithEveryClaimColumnNull(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running' WHERE id = 't_1'`)
	ids, _ := w.run()
	if diff := cmp.Diff([]string{"t_1"}, ids); diff != "" {
		t.Error(diff)
	}
	w.unclaimed("t_1", core.Ready)
}

func TestARunningCardWhoseLockHasNoExpiryGoesBackToReadyWhateverTheLockSays(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running', claim_lock = '@HOST@:dead' WHERE id = 't_1'`)
	ids, _ := w.run()
	if diff := cmp.Diff([]string{"t_1"}, ids); diff != "" {
		t.Error(diff)
	}
	w.unclaimed("t_1", core.Ready)
}

func TestARepairLeavesOneReconciledEventAndANoteThatSaysSo(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running' WHERE id = 't_1'`)
	w.run()
	events := w.events("t_1", "reconciled")
	if len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	var payload map[string]any
	if err := json.Unmarshal([]byte(events[0].Payload), &payload); err != nil {
		t.Fatal(err)
	}
	if payload["reason"] != "orphaned_running" || payload["shape"] != "no_claim" {
		t.Errorf("payload %v", payload)
	}
	d, err := w.b.Detail(t.Context(), "t_1")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Comments) != 1 || !strings.Contains(strings.ToLower(d.Comments[0].Body), "reconciled") || d.Comments[0].Author != "dispatcher" {
		t.Errorf("comments %+v", d.Comments)
	}
}

func TestAProperlyClaimedCardIsNotTouched(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running', claim_lock = '@HOST@:1', claim_expires = @NOW@+900 WHERE id = 't_1'`)
	before := w.dump()
	ids, findings := w.run()
	if len(ids) != 0 || len(findings) != 0 {
		t.Errorf("ids %v, findings %v", ids, findings)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

func TestALivePidOfUnknownOwnerDefersAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.sql(plain+`UPDATE tasks SET status = 'running', worker_pid = @LIVE@ WHERE id = 't_1'`, "@LIVE@", live(t))
	before := w.dump()
	for range 2 {
		ids, findings := w.run()
		if len(ids) != 0 {
			t.Errorf("repaired %v", ids)
		}
		if len(findings) != 1 || findings[0].Action != reconcile.Hold {
			t.Errorf("findings %+v", findings)
		}
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

func TestADeadPidIsRequeued(t *testing.T) {
	w := newWorld(t)
	w.sql(plain+`UPDATE tasks SET status = 'running', worker_pid = @DEAD@ WHERE id = 't_1'`, "@DEAD@", deadPID(t))
	w.run()
	w.unclaimed("t_1", core.Ready)
}

func TestCardsThatDoNotRunAreNeverTouched(t *testing.T) {
	w := newWorld(t)
	for _, status := range []string{"triage", "todo", "scheduled", "ready", "blocked", "review", "done", "archived", "somethingelse"} {
		w.sql(`INSERT INTO tasks(id, title, status, created_at) VALUES ('t_` + status + `', 'x', '` + status + `', @NOW@-100)`)
	}
	before := w.dump()
	w.run()
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

const zombies = `
INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid,current_run_id) VALUES
 ('t_a','no claim, no run','dev','running',@NOW@-9000,@NOW@-7200,NULL,NULL,NULL,NULL),
 ('t_b','no claim, open run','dev','running',@NOW@-9000,@NOW@-7200,NULL,NULL,NULL,101),
 ('t_c','lock but no expiry, no pid','dev','running',@NOW@-9000,@NOW@-7200,'@HOST@:@DEAD@',NULL,NULL,102),
 ('t_d','expiry but no lock','dev','running',@NOW@-9000,@NOW@-7200,NULL,@NOW@+100000,NULL,NULL),
 ('t_e','dead pid, lock wiped','dev','running',@NOW@-9000,@NOW@-7200,NULL,NULL,@DEAD@,NULL),
 ('t_h','healthy control','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+600,@LIVE@,103),
 ('t_g','claimed 5 s ago, not spawned yet','dev','running',@NOW@-9000,@NOW@-5,'@HOST@:1',@NOW@+895,NULL,104);
INSERT INTO task_runs(id,task_id,profile,status,claim_lock,claim_expires,worker_pid,started_at) VALUES
 (101,'t_b','dev','running',NULL,NULL,NULL,@NOW@-7200),
 (102,'t_c','dev','running','@HOST@:@DEAD@',NULL,NULL,@NOW@-7200),
 (103,'t_h','dev','running','@HOST@:1',@NOW@+600,@LIVE@,@NOW@-600),
 (104,'t_g','dev','running','@HOST@:1',@NOW@+895,NULL,@NOW@-5);`

func TestEveryShapeOfABrokenClaimIsRepairedOnceAndNamed(t *testing.T) {
	w := newWorld(t)
	w.sql(zombies, "@DEAD@", deadPID(t), "@LIVE@", live(t, "HERMES_KANBAN_TASK=t_h"))
	healthy, young := w.task("t_h"), w.task("t_g")
	ids, findings := w.run()
	if diff := cmp.Diff([]string{"t_a", "t_b", "t_c", "t_d", "t_e"}, ids); diff != "" {
		t.Error(diff)
	}
	if len(findings) != 5 {
		t.Errorf("findings %+v", findings)
	}
	shapes := map[string]string{
		"t_a": "no_claim", "t_b": "no_claim", "t_c": "lock_without_expiry", "t_d": "expiry_without_lock", "t_e": "no_claim",
	}
	for id, shape := range shapes {
		w.unclaimed(id, core.Ready)
		if got := w.task(id).Failures; got != 0 {
			t.Errorf("%s counts %d failures", id, got)
		}
		events := w.events(id, "reconciled")
		if len(events) != 1 || !strings.Contains(events[0].Payload, `"shape": "`+shape+`"`) {
			t.Errorf("%s: events %+v, want shape %s", id, events, shape)
		}
	}
	for _, id := range []int64{101, 102} {
		run, err := w.b.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if run.EndedAt == nil || run.Outcome != core.Reclaimed || run.Status != "reclaimed" || run.Error == nil {
			t.Errorf("run %d: %+v", id, run)
		}
	}
	if diff := cmp.Diff(healthy, w.task("t_h")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(young, w.task("t_g")); diff != "" {
		t.Error(diff)
	}
	before := w.dump()
	if ids, findings := w.run(); len(ids) != 0 || len(findings) != 0 {
		t.Errorf("a second pass found %v %v", ids, findings)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasOverwrittenStaysInTheEvent(t *testing.T) {
	w := newWorld(t)
	dead := deadPID(t)
	w.sql(plain+`UPDATE tasks SET status = 'running', claim_lock = 'other:5', worker_pid = @DEAD@, worker_started_at = 'unverified',
		last_heartbeat_at = @NOW@-5000, current_run_id = 77 WHERE id = 't_1'`, "@DEAD@", dead)
	// A lock of another host says nothing about a pid here, so the word of a
	// person would be needed; without the lock the pid is simply gone.
	w.sql(`UPDATE tasks SET claim_lock = NULL, claim_expires = @NOW@+5 WHERE id = 't_1'`)
	w.run()
	events := w.events("t_1", "reconciled")
	if len(events) != 1 {
		t.Fatalf("%d events", len(events))
	}
	want := fmt.Sprintf(`{"reason": "orphaned_running", "claim_lock": null, "claim_expires": %d, "worker_pid": %s, "now": %d, `+
		`"shape": "expiry_without_lock", "worker_started_at": "unverified", "last_heartbeat_at": %d, "current_run_id": 77}`,
		w.now+5, dead, w.now, w.now-5000)
	if diff := cmp.Diff(want, events[0].Payload); diff != "" {
		t.Error(diff)
	}
}

func TestAReviewRunReturnsToReviewAndAnUnfinishedParentLeadsToTodo(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,status,created_at,current_run_id) VALUES
	 ('t_rev','was in review','running',@NOW@-900,1), ('t_child','waits','running',@NOW@-900,NULL), ('t_par','open','todo',@NOW@-900,NULL);
	INSERT INTO task_runs(id,task_id,status,started_at) VALUES (1,'t_rev','running',@NOW@-800);
	INSERT INTO task_events(task_id,run_id,kind,payload,created_at) VALUES ('t_rev',1,'claimed','{"lock": "x:1", "source_status": "review"}',@NOW@-800);
	INSERT INTO task_links VALUES ('t_par','t_child');`)
	w.run()
	w.unclaimed("t_rev", core.Review)
	w.unclaimed("t_child", core.Todo)
}

func TestAHeartbeatOfThisRunHoldsACardThatNobodyClaimed(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,status,created_at,started_at,last_heartbeat_at) VALUES
	 ('t_beat','somebody works','running',@NOW@-900,@NOW@-800,@NOW@-119),
	 ('t_old','long silent','running',@NOW@-900,@NOW@-800,@NOW@-120),
	 ('t_last','of an earlier run','running',@NOW@-900,@NOW@-50,@NOW@-60)`)
	ids, findings := w.run()
	if diff := cmp.Diff([]string{"t_old", "t_last"}, ids); diff != "" {
		t.Error(diff)
	}
	if findings[0].Task != "t_beat" || findings[0].Action != reconcile.Hold {
		t.Errorf("findings %+v", findings)
	}
}

func TestTheThirdTimeInARowWithoutAnyWorkerBlocksTheCard(t *testing.T) {
	w := newWorld(t)
	w.sql(plain)
	for i := range 3 {
		w.sql(`UPDATE tasks SET status = 'running' WHERE id = 't_1'`)
		w.run()
		want := core.Ready
		if i == 2 {
			want = core.Blocked
		}
		if got := w.task("t_1").Status; got != want {
			t.Fatalf("after %d repairs the card is %s, want %s", i+1, got, want)
		}
	}
	gaveUp := w.events("t_1", "gave_up")
	if len(gaveUp) != 1 || !strings.Contains(gaveUp[0].Payload, `"sticky": true`) {
		t.Errorf("gave_up events %+v", gaveUp)
	}
	// A worker that was really started begins a new count.
	w.sql(`INSERT INTO task_events(task_id,kind,created_at) VALUES ('t_1','spawned',@NOW@);
		UPDATE tasks SET status = 'running' WHERE id = 't_1'`)
	w.run()
	if got := w.task("t_1").Status; got != core.Ready {
		t.Errorf("after a spawn the card is %s, want ready", got)
	}
}

func TestACardThatChangedAfterItWasSeenIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running' WHERE id = 't_1'`)
	plan, err := w.pass.Plan(t.Context(), nil)
	if err != nil || len(plan.Releases) != 1 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	w.sql(`UPDATE tasks SET claim_lock = 'other:9' WHERE id = 't_1'`)
	before := w.dump()
	ids, err := w.b.ReleaseOrphans(t.Context(), plan.Releases)
	if err != nil || len(ids) != 0 {
		t.Errorf("repaired %v, %v", ids, err)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

func TestACardThatATriggerProtectsGetsNoEvent(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running' WHERE id = 't_1';
		CREATE TRIGGER guard BEFORE UPDATE ON tasks WHEN old.id = 't_1' BEGIN SELECT RAISE(IGNORE); END`)
	before := w.dump()
	if ids, _ := w.run(); len(ids) != 0 {
		t.Errorf("repaired %v", ids)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

func TestOneBadRowDoesNotKeepTheOthersFromRepair(t *testing.T) {
	w := newWorld(t)
	w.sql(plain + `UPDATE tasks SET status = 'running' WHERE id = 't_1';
	INSERT INTO tasks(id,title,status,created_at,worker_pid,last_heartbeat_at) VALUES ('t_odd',x'ff00','running','yesterday','abc',x'01');
	INSERT INTO task_events(task_id,run_id,kind,payload,created_at) VALUES ('t_1',NULL,'claimed','{not json',1), ('t_1',NULL,'reconciled','also not',1)`)
	ids, findings := w.run()
	if diff := cmp.Diff([]string{"t_1"}, ids); diff != "" {
		t.Error(diff)
	}
	if len(findings) != 2 || findings[1].Action != reconcile.Hold {
		t.Errorf("findings %+v", findings)
	}
}
