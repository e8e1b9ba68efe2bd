package board

import (
	"context"
	"database/sql"
	"fmt"
)

// Violation is something that must always be true of a board and is not.
type Violation struct {
	Rule string `json:"rule"` // what must be true, in a few words
	Task string `json:"task"`
	Run  int64  `json:"run,omitempty"`
	What string `json:"what"`
}

// rules are what must hold of the rows after every tick, as queries for the
// rows of which it does not: task, run or 0, and what is wrong.
var rules = []struct{ rule, query string }{
	{"a task has at most one open run", `SELECT task_id, max(id), count(*) || ' open runs' FROM task_runs
		WHERE ended_at IS NULL GROUP BY task_id HAVING count(*) > 1`},
	{"a running card points to its open run", `SELECT t.id, coalesce(t.current_run_id, 0), 'running without an open run of its own' FROM tasks AS t
		WHERE t.status = 'running' AND NOT EXISTS (
			SELECT 1 FROM task_runs AS r WHERE r.id = t.current_run_id AND r.task_id = t.id AND r.ended_at IS NULL)`},
	{"a card that does not run has no open run", `SELECT t.id, r.id, 'an open run, but the card is ' || t.status FROM task_runs AS r
		JOIN tasks AS t ON t.id = r.task_id WHERE r.ended_at IS NULL AND t.status <> 'running'`},
	{"a card that does not run has neither lock nor pointer", `SELECT id, coalesce(current_run_id, 0), 'locked or pointing to a run, but ' || status
		FROM tasks WHERE status <> 'running' AND (claim_lock IS NOT NULL OR current_run_id IS NOT NULL)`},
	{"a run is completed once", `SELECT task_id, run_id, count(*) || ' completed events' FROM task_events
		WHERE kind = 'completed' AND run_id IS NOT NULL GROUP BY task_id, run_id HAVING count(*) > 1`},
	{"a completed run has its event", `SELECT r.task_id, r.id, 'completed without an event' FROM task_runs AS r WHERE r.outcome = 'completed'
		AND EXISTS (SELECT 1 FROM task_events AS e WHERE e.run_id = r.id)
		AND NOT EXISTS (SELECT 1 FROM task_events AS e WHERE e.run_id = r.id AND e.kind = 'completed')`},
	{"an open run inherits no heartbeat", `SELECT task_id, id, 'a heartbeat from before the run' FROM task_runs
		WHERE ended_at IS NULL AND last_heartbeat_at < started_at`},
	{"an ended run has an outcome", `SELECT task_id, id, 'ended without an outcome' FROM task_runs WHERE ended_at IS NOT NULL AND outcome IS NULL`},
	{"a finished card carries no failures", `SELECT id, 0, 'done with ' || consecutive_failures || ' failures' FROM tasks
		WHERE status = 'done' AND consecutive_failures > 0`},
}

// Check looks for violations of what must always be true, and whether the file
// itself is sound. It writes nothing.
func (b *Board) Check(ctx context.Context) ([]Violation, error) {
	out := []Violation{}
	err := b.look(ctx, func(r *reader) error {
		if err := r.schema.lackingError(b.path); err != nil {
			return err
		}
		for _, rule := range rules {
			err := r.each(ctx, rule.query, nil, func(rows *sql.Rows) error {
				var task, what sql.NullString
				var run any // a pointer may be of any type
				err := rows.Scan(&task, &run, &what)
				number, _ := run.(int64)
				out = append(out, Violation{Rule: rule.rule, Task: task.String, Run: number, What: what.String})
				return err
			})
			if err != nil {
				return err
			}
		}
		return r.each(ctx, "PRAGMA integrity_check(20)", nil, func(rows *sql.Rows) error {
			var said string
			err := rows.Scan(&said)
			if said != "ok" {
				out = append(out, Violation{Rule: "the file is sound", What: said})
			}
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("check %w", err)
	}
	return out, nil
}
