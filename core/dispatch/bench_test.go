package dispatch_test

import (
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// crowd fills the board with n cards as a busy one has them: most done, some
// waiting for parents, and many ready for somebody who cannot be started.
func (w *world) crowd(n int) {
	w.t.Helper()
	w.sql(fmt.Sprintf(`BEGIN;
	WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < %d)
	INSERT INTO tasks(id, title, body, assignee, status, priority, created_at, completed_at, result)
	SELECT printf('t_%%08x', i), 'card ' || i, 'a body of some length for card ' || i, 'ghost',
		CASE WHEN i %% 10 < 6 THEN 'done' WHEN i %% 10 < 7 THEN 'todo' WHEN i %% 10 < 8 THEN 'blocked' ELSE 'ready' END,
		i %% 5, @NOW@ - 90000 + i %% 80000, CASE WHEN i %% 10 < 6 THEN @NOW@ - 1000 END, CASE WHEN i %% 10 < 6 THEN 'fine' END FROM c;
	INSERT INTO task_links SELECT (SELECT id FROM tasks AS p WHERE p.rowid = t.rowid - 1), t.id FROM tasks AS t WHERE t.status = 'todo' AND t.rowid > 1;
	UPDATE tasks SET status = 'ready' WHERE id IN (SELECT parent_id FROM task_links);
	INSERT INTO task_runs(task_id, profile, status, outcome, started_at, ended_at)
		SELECT id, 'ghost', 'done', 'completed', created_at, created_at + 60 FROM tasks WHERE status = 'done';
	INSERT INTO task_events(task_id, kind, created_at)
		SELECT t.id, k.kind, t.created_at FROM tasks AS t, (SELECT 'created' AS kind UNION ALL SELECT 'claimed' UNION ALL SELECT 'spawned'
			UNION ALL SELECT 'heartbeat' UNION ALL SELECT 'completed') AS k;
	COMMIT`, n))
}

func BenchmarkTick(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		w := newWorld(b)
		w.crowd(n)
		b.Run(fmt.Sprintf("first/cards=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := w.anew().Tick(b.Context(), dispatch.Options{NoSpawn: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("steady/cards=%d", n), func(b *testing.B) {
			if _, err := w.d.Tick(b.Context(), dispatch.Options{NoSpawn: true}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := w.d.Tick(b.Context(), dispatch.Options{NoSpawn: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// anew is a dispatcher that has seen nothing of the board yet.
func (w *world) anew() *dispatch.Dispatcher {
	d := w.d
	return &dispatch.Dispatcher{
		Board: d.Board, Home: d.Home, Place: d.Place, Prober: d.Prober, Stopper: d.Stopper, Exits: d.Exits, Claimer: d.Claimer, PID: d.PID,
		Fingerprint: d.Fingerprint, Now: d.Now, Rules: d.Rules, Sleep: d.Sleep, Results: d.Results, Starter: d.Starter,
	}
}

func BenchmarkReconcileOrphans(b *testing.B) {
	const orphans = 10_000
	w := newWorld(b)
	w.crowd(orphans)
	pass := reconcile.Pass{Board: w.b, Prober: w.d.Prober, Now: w.d.Now}
	for b.Loop() {
		b.StopTimer()
		w.sql(`UPDATE tasks SET status = 'running', claim_lock = NULL, claim_expires = NULL; DELETE FROM task_events; DELETE FROM task_comments`)
		b.StartTimer()
		ids, _, err := pass.Run(b.Context(), nil)
		if err != nil || len(ids) != orphans {
			b.Fatalf("%d repaired, %v", len(ids), err)
		}
	}
}

// BenchmarkCrashed measures a tick over cards whose workers are all gone.
func BenchmarkCrashed(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("cards=%d", n), func(b *testing.B) {
			w := newWorld(b)
			w.crowd(n)
			for b.Loop() {
				b.StopTimer()
				w.crash()
				b.StartTimer()
				report, err := w.d.Tick(b.Context(), dispatch.Options{NoSpawn: true})
				if err != nil || len(report.Crashed) != n {
					b.Fatalf("%d crashed, %v", len(report.Crashed), err)
				}
			}
		})
	}
}

// crash lets every card of the board run, by workers that are gone.
func (w *world) crash() {
	w.t.Helper()
	w.sql(`BEGIN;
	DELETE FROM task_runs; DELETE FROM task_events; DELETE FROM task_links;
	UPDATE tasks SET status = 'running', claim_lock = '@HOST@:1', claim_expires = @NOW@ + 800, worker_pid = @DEAD@, worker_started_at = 'unverified',
		consecutive_failures = 0, last_heartbeat_at = NULL, started_at = @NOW@ - 600;
	INSERT INTO task_runs(task_id, profile, status, claim_lock, claim_expires, worker_pid, worker_started_at, started_at)
		SELECT id, assignee, 'running', claim_lock, claim_expires, worker_pid, worker_started_at, started_at FROM tasks;
	UPDATE tasks SET current_run_id = (SELECT max(r.id) FROM task_runs AS r WHERE r.task_id = tasks.id);
	INSERT INTO task_events(task_id, run_id, kind, created_at) SELECT id, current_run_id, 'spawned', @NOW@ - 600 FROM tasks;
	COMMIT`, "@DEAD@", dead(w.t))
}
