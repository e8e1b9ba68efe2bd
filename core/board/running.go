package board

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// RunningCard is a running card with a whole claim and what a sweep must know to
// judge the worker behind it.
type RunningCard struct {
	Task core.Task
	// Run is the current run, nil where the card points to no open run of its own.
	Run    *core.Run
	Review bool // the run was claimed from review
	// Spawned says that a worker was started for this run.
	Spawned bool
	// Alive says that the run shows some other sign of life: a heartbeat or a
	// comment since it began.
	Alive bool
}

// Phase is where the card continues when this run ends without a result.
func (c RunningCard) Phase() core.Status {
	if c.Review {
		return core.Review
	}
	return core.Ready
}

// RunningCards lists the running cards with lock and expiry, in order of insertion.
func (b *Board) RunningCards(ctx context.Context) ([]RunningCard, error) {
	var out []RunningCard
	err := b.look(ctx, func(r *reader) error {
		if err := r.schema.lackingError(b.path); err != nil {
			return err
		}
		query := "SELECT " + r.schema.taskColumns() + " FROM tasks" +
			" WHERE status = 'running' AND claim_lock IS NOT NULL AND claim_expires IS NOT NULL ORDER BY rowid"
		if err := r.each(ctx, query, nil, func(rows *sql.Rows) error {
			task, err := scanTask(rows)
			task.Generation = b.generation
			out = append(out, RunningCard{Task: task})
			return err
		}); err != nil {
			return err
		}
		for i := range out {
			if err := r.addRun(ctx, &out[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list running cards: %w", err)
	}
	return out, nil
}

// addRun reads the run behind a running card and its signs of life.
func (r *reader) addRun(ctx context.Context, c *RunningCard) error {
	if c.Task.CurrentRun == nil {
		return nil
	}
	query := "SELECT " + r.schema.runColumns() + " FROM task_runs WHERE id = ? AND task_id = ? AND ended_at IS NULL"
	err := r.each(ctx, query, []any{*c.Task.CurrentRun, c.Task.ID}, func(rows *sql.Rows) error {
		run, err := scanRun(rows)
		c.Run = &run
		return err
	})
	if err != nil || c.Run == nil {
		return err
	}
	return r.conn.QueryRowContext(ctx, `SELECT
		EXISTS (SELECT 1 FROM task_events WHERE run_id = ?1 AND kind = 'claimed'
			AND json_valid(payload) AND json_extract(payload, '$.source_status') = 'review'),
		EXISTS (SELECT 1 FROM task_events WHERE run_id = ?1 AND kind = 'spawned'),
		EXISTS (SELECT 1 FROM task_events WHERE run_id = ?1 AND kind = 'heartbeat')
			OR EXISTS (SELECT 1 FROM task_comments WHERE task_id = ?2 AND created_at >= ?3)`,
		c.Run.ID, c.Task.ID, c.Run.StartedAt).Scan(&c.Review, &c.Spawned, &c.Alive)
}

// Heartbeat is the newest heartbeat of this run, or nil: one that is older than
// the run says nothing about it.
func (c RunningCard) Heartbeat() *int64 {
	var newest *int64
	beats := []*int64{c.Task.LastHeartbeat}
	started := int64(0)
	if c.Run != nil {
		beats = append(beats, c.Run.LastHeartbeat)
		started = c.Run.StartedAt
	} else if c.Task.StartedAt != nil {
		started = *c.Task.StartedAt
	}
	for _, beat := range beats {
		if beat != nil && *beat >= started && (newest == nil || *beat > *newest) {
			newest = beat
		}
	}
	return newest
}
