package dispatch_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// script makes the worker of the profile "scripted" run one shell command.
func (w *world) script(command string) { w.agent("scripted", command) }

// grown waits until the file has content, by ticking.
func (w *world) grown(path string) string {
	w.t.Helper()
	var text string
	w.until(path+" is written", func(*dispatch.Report) bool {
		data, _ := os.ReadFile(path)
		text = strings.TrimSpace(string(data))
		return text != ""
	})
	return text
}

func TestHowAWorkerEndedDecidesHowItsRunIsBooked(t *testing.T) {
	for _, c := range []struct {
		name, command, outcome, kind string
		status                       core.Status
		failures                     int64
		words                        string
	}{
		{"exit 75 is a quota and counts nothing", "exit 75", "rate_limited", "rate_limited", core.Ready, 0, "quota"},
		{"exit 0 without a report counts", "echo nothing done; exit 0", "crashed", "protocol_violation", core.Ready, 1, "nothing done"},
		{"exit 1 counts", "exit 1", "crashed", "crashed", core.Ready, 1, "exited with 1"},
		{"a signal counts and is named", "kill -9 $$", "crashed", "crashed", core.Ready, 1, "killed by signal 9"},
		{"exit 78 blocks at once", "exit 78", "crashed", "crashed", core.Blocked, 1, "credentials"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.script(c.command)
			id := w.card(board.NewTask{Assignee: "scripted"})
			w.until("the run ended", func(*dispatch.Report) bool {
				d, err := w.b.Detail(t.Context(), id)
				w.must(err)
				return len(d.Runs) > 0 && d.Runs[0].EndedAt != nil
			})
			d, err := w.b.Detail(t.Context(), id)
			w.must(err)
			if got := string(d.Runs[0].Outcome); got != c.outcome {
				t.Errorf("outcome %s, want %s", got, c.outcome)
			}
			if d.Task.Status != c.status || d.Task.Failures != c.failures {
				t.Errorf("the card is %s with %d failures, want %s with %d", d.Task.Status, d.Task.Failures, c.status, c.failures)
			}
			found := false
			for _, e := range d.Events {
				found = found || e.Kind == c.kind
			}
			if !found || !strings.Contains(d.Task.LastError, c.words) {
				t.Errorf("events %v, error %q", w.kinds(id), d.Task.LastError)
			}
		})
	}
}

func TestAQuotaHoldsTheCardForTheCooldownAndIsToldOnce(t *testing.T) {
	w := newWorld(t)
	w.script("exit 75")
	id := w.card(board.NewTask{Assignee: "scripted"})
	w.until("the quota was met", func(r *dispatch.Report) bool { return len(r.RateLimited) > 0 })
	for range 3 {
		if report := w.tick(dispatch.Options{}); len(report.Spawned) != 0 || len(report.Skipped) != 1 {
			t.Fatalf("report %+v", report)
		}
	}
	guards := 0
	for _, kind := range w.kinds(id) {
		if kind == "respawn_guarded" {
			guards++
		}
	}
	if guards != 1 {
		t.Errorf("told %d times, want once", guards)
	}
	w.clock += w.rules.RateLimitCooldown
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 1 {
		t.Errorf("after the cooldown: %+v", report)
	}
}

func TestTheWholeGroupOfAWorkerOverItsTimeIsStoppedBeforeTheCardIsReleased(t *testing.T) {
	w := newWorld(t)
	pids := filepath.Join(w.dir, "pids")
	w.script(`trap "" TERM; sleep 600 & echo $! > ` + pids + `; while :; do sleep 1; done`)
	id := w.card(board.NewTask{Assignee: "scripted", MaxRuntime: new(int64(1))})
	w.d.Stopper = &process.Stopper{Table: &process.Table{Host: host}, Self: int64(os.Getpid()), Sleep: sleep, Grace: 300e6}
	w.tick(dispatch.Options{})
	child, err := strconv.Atoi(w.grown(pids))
	w.must(err)
	task, err := w.b.Task(t.Context(), id)
	w.must(err)
	w.clock += 60
	report := w.tick(dispatch.Options{})
	if diff := cmp.Diff([]string{id}, report.TimedOut); diff != "" {
		t.Fatal(diff)
	}
	for _, pid := range []int{int(*task.WorkerPID), child} {
		if lives(pid) {
			t.Errorf("process %d lives although the card was released", pid)
		}
	}
	if kinds := w.kinds(id); kinds[len(kinds)-1] != "timed_out" {
		t.Errorf("events %v", kinds)
	}
	if task, err := w.b.Task(t.Context(), id); err != nil || task.Failures != 1 || task.Status != core.Ready {
		t.Errorf("card %+v, %v", task, err)
	}
}

// unkillable is a stopper whose signals succeed and change nothing.
type unkillable struct{ asked int }

func (u *unkillable) Stop(_ context.Context, w process.Worker) core.Termination {
	u.asked++
	return core.Termination{PrevPID: w.PID, HostLocal: true, Attempted: true, Sigkill: true}
}

func (u *unkillable) StopLeft(ctx context.Context, w process.Worker) core.Termination {
	return u.Stop(ctx, w)
}

func TestAWorkerThatCannotBeKilledKeepsItsCardAndGetsNoTwin(t *testing.T) {
	w := newWorld(t)
	w.running("t_1", host+":1", "@NOW@-60", live(t, "HERMES_KANBAN_TASK=t_1"), "@NOW@-9000", "@NOW@-7200")
	u := &unkillable{}
	w.d.Stopper = u
	before, err := w.b.Task(t.Context(), "t_1")
	w.must(err)
	var report *dispatch.Report
	for range 3 {
		report = w.tick(dispatch.Options{})
		if len(report.Spawned) != 0 {
			t.Fatalf("a twin was started: %+v", report.Spawned)
		}
		w.clock += 121
	}
	after, err := w.b.Task(t.Context(), "t_1")
	w.must(err)
	if after.Status != core.Running || *after.ClaimLock != *before.ClaimLock || *after.CurrentRun != *before.CurrentRun {
		t.Errorf("card %+v", after)
	}
	if diff := cmp.Diff([]string{"reclaim_deferred"}, w.kinds("t_1")); diff != "" {
		t.Error(diff)
	}
	if len(report.Held) != 1 || !strings.Contains(report.Held[0].Reason, "cannot be stopped (pid") || u.asked != 3 {
		t.Errorf("held %+v, asked %d times", report.Held, u.asked)
	}
	if want := w.clock - 121 + 120; *after.ClaimExpires != want {
		t.Errorf("the claim runs until %d, want %d", *after.ClaimExpires, want)
	}
}

func TestVictimsOfARestartAreNotCountedUntilTheThirdInARow(t *testing.T) {
	w := newWorld(t)
	gone := dead(t)
	for _, id := range []string{"t_a", "t_b", "t_c"} {
		w.running(id, host+":"+gone, "@NOW@+300", gone, "@NOW@-600", "NULL")
	}
	w.sql(`UPDATE tasks SET consecutive_failures = 1 WHERE id = 't_c'`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_a", "t_b", "t_c"}, report.Reclaimed); diff != "" {
		t.Error(diff)
	}
	for id, failures := range map[string]int64{"t_a": 0, "t_b": 0, "t_c": 1} {
		task, err := w.b.Task(t.Context(), id)
		w.must(err)
		if task.Status != core.Ready || task.Failures != failures {
			t.Errorf("%s is %s with %d failures", id, task.Status, task.Failures)
		}
	}
	for range 2 {
		w.sql(`UPDATE tasks SET status = 'running', claim_lock = '@HOST@:` + gone + `', claim_expires = @NOW@+300, worker_pid = ` + gone + ` WHERE id = 't_a';
			INSERT INTO task_runs(task_id,profile,status,claim_lock,claim_expires,worker_pid,started_at) VALUES ('t_a','dev','running','@HOST@:` + gone + `',@NOW@+300,` + gone + `,@NOW@-600);
			UPDATE tasks SET current_run_id = (SELECT max(id) FROM task_runs) WHERE id = 't_a'`)
		report = w.tick(dispatch.Options{NoSpawn: true})
	}
	if diff := cmp.Diff([]string{"t_a"}, report.Crashed); diff != "" {
		t.Error("the third time in a row:", diff)
	}
	if task, err := w.b.Task(t.Context(), "t_a"); err != nil || task.Failures != 1 {
		t.Errorf("card %+v, %v", task, err)
	}
}

func TestAfterAnOutageOnlySomeCardsAreRestartedPerTick(t *testing.T) {
	w := newWorld(t)
	gone := dead(t)
	for i := range 6 {
		id := fmt.Sprintf("t_%d", i)
		w.running(id, host+":"+gone, "@NOW@+300", gone, "@NOW@-600", "NULL")
	}
	w.sql(`UPDATE tasks SET assignee = 'sleeper'`)
	w.tick(dispatch.Options{})
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 4 {
		t.Errorf("%d restarted in the first tick, want 4", len(report.Spawned))
	}
	if report := w.tick(dispatch.Options{}); len(report.Spawned) != 2 {
		t.Errorf("%d restarted in the second tick, want 2", len(report.Spawned))
	}
}

func TestAStaleLockIsTakenOffAndItsCardMayStartInTheSameTick(t *testing.T) {
	w := newWorld(t)
	gone, alive := dead(t), live(t, "HERMES_KANBAN_TASK=t_f")
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,claim_lock,claim_expires,worker_pid) VALUES
	 ('t_a','ready + expired lock','sleeper','ready',@NOW@-9000,'@HOST@:@DEAD@',@NOW@-7200,NULL),
	 ('t_b','todo + expired lock','sleeper','todo',@NOW@-9000,'@HOST@:@DEAD@',@NOW@-7200,NULL),
	 ('t_c','blocked + lock, dead pid','sleeper','blocked',@NOW@-9000,'@HOST@:@DEAD@',@NOW@-7200,@DEAD@),
	 ('t_d','review + lock without expiry','sleeper','review',@NOW@-9000,'@HOST@:@DEAD@',NULL,NULL),
	 ('t_e','ready + foreign, unexpired','sleeper','ready',@NOW@-9000,'otherbox:77',@NOW@+600,NULL),
	 ('t_f','ready + lock, worker really alive','sleeper','ready',@NOW@-9000,'@HOST@:1',@NOW@-10,@LIVE@);
	INSERT INTO task_events(task_id,kind,payload,created_at) VALUES ('t_c','blocked','{"reason":"needs a person"}',@NOW@-7200)`, "@DEAD@", gone, "@LIVE@", alive)
	report := w.tick(dispatch.Options{})
	if diff := cmp.Diff([]string{"t_a", "t_b", "t_c", "t_d"}, report.Reconciled); diff != "" {
		t.Error(diff)
	}
	started := map[string]bool{}
	for _, s := range report.Spawned {
		started[s.Task] = true
	}
	if diff := cmp.Diff(map[string]bool{"t_a": true, "t_b": true, "t_d": true}, started); diff != "" {
		t.Error(diff)
	}
	for id, want := range map[string]core.Status{"t_c": core.Blocked, "t_e": core.Ready, "t_f": core.Ready} {
		if got := w.status(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if kinds := append(w.kinds("t_e"), w.kinds("t_f")...); len(kinds) != 0 {
		t.Errorf("events %v on cards that are held", kinds)
	}
	d, err := w.b.Detail(t.Context(), "t_c")
	w.must(err)
	if last := d.Events[len(d.Events)-1]; last.Kind != "reconciled" || !strings.Contains(last.Payload, `"reason": "stale_lock"`) || !strings.Contains(last.Payload, gone) {
		t.Errorf("event %+v", last)
	}
}

func TestDoneByHandKeepsItsStatusItsOpenRunEndsAndNoResultIsInvented(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at,completed_at,result,current_run_id) VALUES
	 ('t_a','done by hand','dev','done',@NOW@-9000,@NOW@-8000,NULL,NULL,501),
	 ('t_b','properly done','dev','done',@NOW@-9000,@NOW@-8000,@NOW@-100,'fine',NULL),
	 ('t_c','child of the hand-made done','dev','todo',@NOW@-8000,NULL,NULL,NULL,NULL);
	INSERT INTO task_links VALUES('t_a','t_c');
	INSERT INTO task_runs(id,task_id,profile,status,started_at) VALUES (501,'t_a','dev','running',@NOW@-8000);
	INSERT INTO task_events(task_id,kind,payload,created_at) VALUES ('t_b','completed','{"summary":"fine"}',@NOW@-100)`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_c"}, report.Promoted); diff != "" {
		t.Error(diff)
	}
	run, err := w.b.Run(t.Context(), 501)
	w.must(err)
	if run.Outcome != core.Reclaimed || run.Summary != nil {
		t.Errorf("run %+v", run)
	}
	task, err := w.b.Task(t.Context(), "t_a")
	w.must(err)
	if task.Status != core.Done || task.Result != nil || task.CurrentRun != nil || task.CompletedAt != nil {
		t.Errorf("card %+v", task)
	}
	s, err := w.b.Snapshot(t.Context())
	w.must(err)
	for _, column := range s.Columns {
		if column.Status == core.Done && column.Cards[len(column.Cards)-1].ID != "t_a" {
			t.Error("the card without a completion does not sort last")
		}
	}
}

func TestRunsAndPointersThatDisagreeAreNamedAndMended(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,status,created_at,started_at,claim_lock,claim_expires,current_run_id) VALUES
	 ('t_two','two open runs','running',@NOW@-900,@NOW@-800,'@HOST@:1',@NOW@+300,2),
	 ('t_lost','lost its pointer','running',@NOW@-900,@NOW@-800,'@HOST@:1',@NOW@+300,NULL),
	 ('t_other','points to another card''s run','running',@NOW@-900,@NOW@-800,'@HOST@:1',@NOW@+300,2),
	 ('t_rest','points to an ended run','blocked',@NOW@-900,@NOW@-800,NULL,NULL,6);
	INSERT INTO task_runs(id,task_id,status,started_at,ended_at,outcome) VALUES
	 (1,'t_two','running',@NOW@-800,NULL,NULL),(2,'t_two','running',@NOW@-700,NULL,NULL),
	 (3,'t_lost','running',@NOW@-800,NULL,NULL),(4,'t_other','running',@NOW@-800,NULL,NULL),
	 (5,'t_gone','running',@NOW@-800,NULL,NULL),(6,'t_rest','crashed',@NOW@-800,@NOW@-700,'crashed')`)
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_rest", "t_gone", "t_other", "t_lost", "t_two"}, report.Reconciled); diff != "" {
		t.Error(diff)
	}
	for id, want := range map[string]*int64{"t_two": new(int64(2)), "t_lost": new(int64(3)), "t_other": new(int64(4)), "t_rest": nil} {
		task, err := w.b.Task(t.Context(), id)
		w.must(err)
		if diff := cmp.Diff(want, task.CurrentRun); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	for id, open := range map[int64]bool{1: false, 2: true, 3: true, 4: true, 5: false} {
		run, err := w.b.Run(t.Context(), id)
		w.must(err)
		if (run.EndedAt == nil) != open {
			t.Errorf("run %d: %+v", id, run)
		}
	}
	before := w.digest()
	w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff(before, w.digest()); diff != "" {
		t.Error(diff)
	}
}

func TestAnEarlierWorkerThatStillLivesKeepsTheCardFromANewOne(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	first := w.tick(dispatch.Options{}).Spawned[0]
	// A person blocks and unblocks the card over the head of its worker.
	_, err := w.b.Block(t.Context(), board.BlockRequest{Target: board.Target{ID: id}})
	w.must(err)
	_, err = w.b.Unblock(t.Context(), board.Target{ID: id})
	w.must(err)
	report := w.tick(dispatch.Options{})
	if len(report.Spawned) != 0 || len(report.Skipped) != 1 || !strings.Contains(report.Skipped[0].Reason, "may still live") {
		t.Fatalf("report %+v", report)
	}
	gates, err := w.d.Why(t.Context(), id)
	w.must(err)
	for _, g := range gates {
		if g.Name == "earlier worker" && g.Open {
			t.Error("why says that nothing is in the way")
		}
	}
	w.must(syscall.Kill(int(first.PID), syscall.SIGKILL))
	w.until("the card starts once its worker is gone", func(r *dispatch.Report) bool { return len(r.Spawned) == 1 })
}

func TestAWorkerThatOutlivesARunWhichWasTakenFromItIsStoppedAfterAWhile(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	pid := w.tick(dispatch.Options{}).Spawned[0].PID
	task, err := w.b.Task(t.Context(), id)
	w.must(err)
	_, err = w.b.Reclaim(t.Context(), board.ReclaimRequest{Target: board.Target{ID: id}, Saw: core.Sighting{PID: task.WorkerPID, Fingerprint: task.WorkerStarted}})
	w.must(err)
	w.tick(dispatch.Options{NoSpawn: true})
	if !lives(int(pid)) {
		t.Fatal("the worker was stopped at once")
	}
	w.clock += 121
	w.tick(dispatch.Options{NoSpawn: true})
	if lives(int(pid)) {
		t.Error("the worker still lives")
	}
	if kinds := w.kinds(id); kinds[len(kinds)-1] != "terminal_worker_reaped" {
		t.Errorf("events %v", kinds)
	}
}

func TestAGuardIsNotToldOfACardThatWaitsNoMore(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	if told, err := w.b.RecordGuard(t.Context(), id, core.Ready, "active_pr"); !told || err != nil {
		t.Fatalf("told %v, error %v", told, err)
	}
	w.sql(`UPDATE tasks SET status = 'blocked'`)
	if told, err := w.b.RecordGuard(t.Context(), id, core.Ready, "recent_success"); told || err != nil {
		t.Errorf("told %v, error %v", told, err)
	}
}

func TestALaunchThatWasCutOffIsProvenAndCounted(t *testing.T) {
	w := newWorld(t)
	w.running("t_ours", host+":"+dead(t), "@NOW@+21480", "NULL", "@NOW@-120", "NULL")
	w.running("t_hand", host+":4242", "@NOW@+780", "NULL", "@NOW@-120", "NULL")
	task, err := w.b.Task(t.Context(), "t_ours")
	w.must(err)
	gone := exec.Command("true")
	w.must(gone.Run())
	w.must(w.launchRecord(task.ID, *task.CurrentRun, int64(gone.Process.Pid)))
	report := w.tick(dispatch.Options{NoSpawn: true})
	if diff := cmp.Diff([]string{"t_ours"}, report.Reclaimed); diff != "" {
		t.Error(diff)
	}
	d, err := w.b.Detail(t.Context(), "t_ours")
	w.must(err)
	if d.Runs[0].Outcome != core.SpawnFailed || d.Task.Failures != 1 || d.Task.Status != core.Ready {
		t.Errorf("run %+v, card %+v", d.Runs[0], d.Task)
	}
	if w.status("t_hand") != core.Running {
		t.Error("a claim by hand was taken away")
	}
}
