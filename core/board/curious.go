package board

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Curious is a card whose row cannot be true as it stands, but of which nothing
// is to be repaired: a person should know.
type Curious struct {
	Task          string
	Status        core.Status
	LastHeartbeat *int64
	RunStarted    *int64 // of the current run
	Spawned       bool   // a worker was started for the current run
	Workspace     string // absolute path on the card, or empty
	Unrecorded    bool   // done without a completion time, an event and a result
}

// Curiosities lists running cards, and done cards without any record of their
// completion, for a person's eyes.
func (b *Board) Curiosities(ctx context.Context) ([]Curious, error) {
	var out []Curious
	err := b.look(ctx, func(r *reader) error {
		if err := r.schema.lackingError(b.path); err != nil {
			return err
		}
		number := func(c string) string { return fmt.Sprintf("CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s END", c) }
		query := "SELECT t.id, CAST(t.status AS TEXT), " + number("t.last_heartbeat_at") + `,
			(SELECT ` + number("r.started_at") + ` FROM task_runs AS r WHERE r.id = t.current_run_id AND r.task_id = t.id),
			EXISTS (SELECT 1 FROM task_events AS e WHERE e.run_id = t.current_run_id AND e.kind = 'spawned'),
			coalesce(CAST(t.workspace_path AS TEXT), ''), t.status = 'done'
			FROM tasks AS t WHERE t.status = 'running' OR t.status = 'done' AND t.completed_at IS NULL AND t.result IS NULL
				AND NOT EXISTS (SELECT 1 FROM task_events AS e WHERE e.task_id = t.id AND e.kind = 'completed') ORDER BY t.rowid`
		return r.each(ctx, query, nil, func(rows *sql.Rows) error {
			var c Curious
			err := rows.Scan(&c.Task, &c.Status, &c.LastHeartbeat, &c.RunStarted, &c.Spawned, &c.Workspace, &c.Unrecorded)
			out = append(out, c)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("look for what cannot be true: %w", err)
	}
	return out, nil
}
