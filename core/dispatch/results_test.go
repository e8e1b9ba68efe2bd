package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// pending writes a finished result of a run, as its worker does.
func (w *world) pending(task string, run int64) {
	w.t.Helper()
	record, err := json.Marshal(map[string]any{
		"board": w.d.Place.Slug, "task_id": task, "expected_run_id": run, "result": `{"status":"completed","summary":"all of it"}`,
		"summary": "all of it", "metadata": map[string]any{}, "kanban_state": "pending",
	})
	w.must(err)
	dir := filepath.Join(w.d.Place.StateRoot, w.d.Place.Slug)
	w.must(os.MkdirAll(dir, 0o700))
	w.must(os.Chmod(w.d.Place.StateRoot, 0o700))
	w.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.%d.terminal.pending.json", task, run)), record, 0o600))
}

func TestAFinishedResultBeatsEveryKindOfRepair(t *testing.T) {
	gone := dead(t)
	for name, script := range map[string]string{
		"a dead worker": `INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid,current_run_id)
			VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+300,@DEAD@,7)`,
		"a claim that ran out": `INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,current_run_id)
			VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@-300,7)`,
		"a broken claim": `INSERT INTO tasks(id,title,assignee,status,created_at,started_at,current_run_id)
			VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,7)`,
		"a broken claim and a lost pointer": `INSERT INTO tasks(id,title,assignee,status,created_at,started_at)
			VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600)`,
		"a lost pointer": `INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid)
			VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+300,@DEAD@)`,
		"a lost pointer and a claim that ran out": `INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires)
			VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@-300)`,
		"an open run of a ready card": `INSERT INTO tasks(id,title,assignee,status,created_at) VALUES ('t_a','x','dev','ready',@NOW@-9000)`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.sql(script+`; INSERT INTO task_runs(id,task_id,profile,status,worker_pid,started_at) VALUES (7,'t_a','dev','running',@DEAD@,@NOW@-600)`, "@DEAD@", gone)
			w.pending("t_a", 7)
			for range 3 {
				if report := w.tick(dispatch.Options{}); len(report.Spawned) != 0 {
					t.Errorf("a second worker was started: %+v", report.Spawned)
				}
			}
			if got := w.status("t_a"); got != core.Done {
				t.Errorf("the card is %s, its result waits", got)
			}
		})
	}
}

func TestADryRunPlansWhatAReplayWouldDo(t *testing.T) {
	w := newWorld(t)
	gone := dead(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid,current_run_id)
		VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+300,@DEAD@,7), ('t_b','y','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+300,@DEAD@,8);
		INSERT INTO task_runs(id,task_id,profile,status,worker_pid,started_at) VALUES (7,'t_a','dev','running',@DEAD@,@NOW@-600), (8,'t_b','dev','running',@DEAD@,@NOW@-600)`, "@DEAD@", gone)
	w.pending("t_a", 7)
	w.pending("t_b", 8)
	torn := filepath.Join(w.d.Place.StateRoot, w.d.Place.Slug, "t_b.8.terminal.pending.json")
	w.must(os.WriteFile(torn, []byte(`{"version"`), 0o600))

	plan := w.tick(dispatch.Options{DryRun: true})
	if len(plan.Replayed) != 1 || plan.Replayed[0] != (dispatch.Replayed{Task: "t_a", Run: 7, Outcome: "applied"}) {
		t.Errorf("planned to replay %+v, want the result of t_a", plan.Replayed)
	}
	if len(plan.Quarantined) != 1 || plan.Quarantined[0].File != filepath.Base(torn) || plan.Quarantined[0].Reason == "" {
		t.Errorf("planned to quarantine %+v, want the torn journal of t_b", plan.Quarantined)
	}
	if got := w.status("t_a"); got != core.Running {
		t.Errorf("the plan moved the card to %s", got)
	}
	if _, err := os.Lstat(torn); err != nil {
		t.Errorf("the plan moved the torn journal: %v", err)
	}
	done := w.tick(dispatch.Options{NoSpawn: true})
	if len(done.Replayed) != 1 || len(done.Quarantined) != 1 {
		t.Errorf("the tick did other things than it planned: %+v, %+v", done.Replayed, done.Quarantined)
	}
}

func TestAResultThatOnlyAPersonMayAcceptHoldsNoRunForEver(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid,current_run_id,completion_contract)
		VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+300,@DEAD@,7,'pull-request');
		INSERT INTO task_runs(id,task_id,profile,status,worker_pid,started_at) VALUES (7,'t_a','dev','running',@DEAD@,@NOW@-600)`, "@DEAD@", dead(t))
	w.pending("t_a", 7)
	for range 2 {
		w.tick(dispatch.Options{NoSpawn: true})
	}
	if got := w.status("t_a"); got != core.Ready {
		t.Errorf("the card is still %s", got)
	}
}

// stopper stands in for the real one and says that every worker ended.
type stopper struct{ stop func(ctx context.Context) }

func (s stopper) Stop(ctx context.Context, w process.Worker) core.Termination {
	s.stop(ctx)
	return core.Termination{Attempted: true, Terminated: ctx.Err() == nil, HostLocal: true, PrevPID: w.PID}
}

func (s stopper) StopLeft(ctx context.Context, w process.Worker) core.Termination {
	return s.Stop(ctx, w)
}

func TestAResultThatBecomesDurableWhileItsWorkerIsStoppedCounts(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at,started_at,claim_lock,claim_expires,worker_pid,current_run_id,max_runtime_seconds)
		VALUES ('t_a','x','dev','running',@NOW@-9000,@NOW@-600,'@HOST@:1',@NOW@+300,@LIVE@,7,60);
		INSERT INTO task_runs(id,task_id,profile,status,worker_pid,started_at) VALUES (7,'t_a','dev','running',@LIVE@,@NOW@-600)`,
		"@LIVE@", live(t, "HERMES_KANBAN_TASK=t_a"))
	w.d.Stopper = stopper{func(context.Context) { w.pending("t_a", 7) }}
	report := w.tick(dispatch.Options{NoSpawn: true})
	if got := w.status("t_a"); got != core.Done || len(report.TimedOut) != 0 {
		t.Errorf("the card is %s, report %+v", got, report)
	}
}

func TestWorkersThatOutlivedTheirRunsAreStoppedSideBySide(t *testing.T) {
	w := newWorld(t)
	for i, id := range []string{"t_a", "t_b"} {
		w.sql(fmt.Sprintf(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES ('%[1]s','x','dev','blocked',@NOW@-9000);
			INSERT INTO task_runs(id,task_id,profile,status,outcome,claim_lock,worker_pid,worker_started_at,started_at,ended_at)
			VALUES (%[2]d,'%[1]s','dev','reclaimed','reclaimed','@HOST@:1',@LIVE@,1,@NOW@-600,@NOW@-300)`, id, i+7),
			"@LIVE@", live(t, "HERMES_KANBAN_TASK="+id))
	}
	var all sync.WaitGroup
	all.Add(2)
	w.d.Stopper = stopper{func(ctx context.Context) {
		all.Done()
		met := make(chan struct{})
		go func() { all.Wait(); close(met) }()
		select {
		case <-met:
		case <-ctx.Done():
		}
	}}
	w.tick(dispatch.Options{NoSpawn: true})
	for _, id := range []string{"t_a", "t_b"} {
		if kinds := w.kinds(id); len(kinds) != 1 || kinds[0] != "terminal_worker_reaped" {
			t.Errorf("%s: one had to wait for the other: %v", id, kinds)
		}
	}
}
