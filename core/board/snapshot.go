package board

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Bounds on what a snapshot carries, so that a hostile board cannot make every
// refresh expensive: lengths in characters, events in number.
const (
	shownTitle   = 400
	shownReason  = 400
	shownSummary = 200
	shownEvents  = 200
)

// Snapshot reads the whole board in one read transaction and groups it into
// columns. A row that cannot be understood in part is still a card.
func (b *Board) Snapshot(ctx context.Context) (*core.Snapshot, error) {
	var snapshot *core.Snapshot
	err := b.look(ctx, func(r *reader) error {
		cards, err := r.cards(ctx)
		if err != nil {
			return err
		}
		s := core.NewSnapshot(cards)
		for _, add := range []func(context.Context, *core.Snapshot) error{
			r.addRuns, r.addComments, r.addLinks, r.addReasons, r.addEvents,
		} {
			if err := add(ctx, s); err != nil {
				return err
			}
		}
		s.TakenAt = b.opt.Now()
		snapshot = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %w", err)
	}
	return snapshot, nil
}

// look runs fn in one read transaction of the reading connection, so that
// everything fn reads is of one moment.
func (b *Board) look(ctx context.Context, fn func(*reader) error) error {
	b.reading.Lock()
	defer b.reading.Unlock()
	if b.read == nil {
		return fmt.Errorf("board %q: it is closed", b.path)
	}
	if _, err := b.read.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return b.explain(err)
	}
	// Nothing was written, so ending the transaction cannot fail in a way that
	// matters; it must happen whatever became of ctx.
	defer func() { _, _ = b.read.conn.ExecContext(context.Background(), "ROLLBACK") }()
	if err := b.read.readSchema(ctx); err != nil {
		return b.explain(err)
	}
	if b.read.schema["tasks"] == nil {
		return fmt.Errorf("board %q: %w", b.path, ErrNoTables)
	}
	return b.explain(fn(b.read))
}

// each runs a query and hands every row to scan.
func (r *reader) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := r.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// cards reads what the tasks table itself says of every card.
func (r *reader) cards(ctx context.Context) ([]core.Card, error) {
	text := func(c string) string { return r.schema.text("tasks", c, "NULL") }
	number := func(c string) string { return r.schema.integer("tasks", c, "NULL") }
	cut := func(c string, n int) string { return fmt.Sprintf("substr(%s, 1, %d)", text(c), n) }
	query := "SELECT " + strings.Join([]string{
		text("id"), cut("title", shownTitle), text("assignee"), text("tenant"), text("status"), number("priority"),
		number("created_at"), number("started_at"), number("completed_at"),
		text("claim_lock"), number("claim_expires"), number("worker_pid"), number("last_heartbeat_at"), number("current_run_id"),
		number("consecutive_failures"), cut("last_failure_error", shownReason), text("block_kind"),
		"CASE WHEN " + text("status") + " = 'done' THEN " + cut("result", shownSummary) + " END",
		r.schema.odd("tasks", taskNumbers...),
	}, ", ") + " FROM tasks"
	var cards []core.Card
	err := r.each(ctx, query, nil, func(rows *sql.Rows) error {
		var c core.Card
		var title, assignee, tenant, status, lock, lastError, kind, summary, odd sql.NullString
		var priority, created, started, completed, expires, pid, beat, run, failures sql.NullInt64
		err := rows.Scan(&c.ID, &title, &assignee, &tenant, &status, &priority, &created, &started, &completed,
			&lock, &expires, &pid, &beat, &run, &failures, &lastError, &kind, &summary, &odd)
		c.Title, c.Assignee, c.Tenant, c.Status = title.String, strings.TrimSpace(assignee.String), tenant.String, core.Status(status.String)
		c.Priority, c.CreatedAt, c.StartedAt, c.CompletedAt = priority.Int64, created.Int64, started.Int64, completed.Int64
		c.ClaimLock, c.ClaimExpires, c.WorkerPID, c.Heartbeat, c.RunID = lock.String, expires.Int64, pid.Int64, beat.Int64, run.Int64
		c.Failures, c.LastError, c.BlockKind, c.Summary = failures.Int64, lastError.String, kind.String, summary.String
		if odd.String != "" {
			c.Odd = strings.Fields(odd.String)
		}
		cards = append(cards, c)
		return err
	})
	return cards, err
}

// addRuns counts attempts and dates the open run of each running card.
func (r *reader) addRuns(ctx context.Context, s *core.Snapshot) error {
	if r.schema["task_runs"] == nil {
		return nil
	}
	err := r.each(ctx, "SELECT task_id, count(*) FROM task_runs GROUP BY task_id", nil, func(rows *sql.Rows) error {
		var id string
		var n int
		err := rows.Scan(&id, &n)
		if c := s.ByID[id]; c != nil {
			c.Attempts = n
		}
		return err
	})
	if err != nil || !r.schema.has("tasks", "current_run_id") {
		return err
	}
	query := "SELECT t.id, CASE typeof(r.started_at) WHEN 'integer' THEN r.started_at END" +
		" FROM tasks AS t JOIN task_runs AS r ON r.id = t.current_run_id WHERE t.current_run_id IS NOT NULL"
	return r.each(ctx, query, nil, func(rows *sql.Rows) error {
		var id string
		var started sql.NullInt64
		err := rows.Scan(&id, &started)
		if c := s.ByID[id]; c != nil {
			c.RunStarted = started.Int64
		}
		return err
	})
}

func (r *reader) addComments(ctx context.Context, s *core.Snapshot) error {
	if r.schema["task_comments"] == nil {
		return nil
	}
	return r.each(ctx, "SELECT task_id, count(*) FROM task_comments GROUP BY task_id", nil, func(rows *sql.Rows) error {
		var id string
		var n int
		err := rows.Scan(&id, &n)
		if c := s.ByID[id]; c != nil {
			c.Comments = n
		}
		return err
	})
}

// addLinks counts parents and children. A link to a card that was deleted
// holds nothing back and is not counted, as everywhere.
func (r *reader) addLinks(ctx context.Context, s *core.Snapshot) error {
	if r.schema["task_links"] == nil {
		return nil
	}
	return r.each(ctx, "SELECT parent_id, child_id FROM task_links", nil, func(rows *sql.Rows) error {
		var p, c string
		if err := rows.Scan(&p, &c); err != nil {
			return err
		}
		parent, child := s.ByID[p], s.ByID[c]
		if parent == nil || child == nil {
			return nil
		}
		child.Parents++
		parent.Children++
		if !parent.Status.Satisfies() {
			child.OpenParents++
			child.WaitsFor = parent.ID
		}
		if child.Status == core.Done {
			parent.DoneChildren++
		}
		return nil
	})
}

// addReasons says why each blocked card is blocked: the reason in the newest
// event that blocked it.
func (r *reader) addReasons(ctx context.Context, s *core.Snapshot) error {
	if r.schema["task_events"] == nil {
		return nil
	}
	query := `SELECT e.task_id, substr(CAST(e.payload AS TEXT), 1, 4000) FROM task_events AS e WHERE e.id IN (
		SELECT max(x.id) FROM tasks AS t CROSS JOIN task_events AS x ON x.task_id = t.id
		WHERE t.status IN ('blocked', 'triage') AND x.kind IN ('blocked', 'gave_up', 'block_loop_detected') GROUP BY t.id)`
	return r.each(ctx, query, nil, func(rows *sql.Rows) error {
		var id string
		var payload sql.NullString
		err := rows.Scan(&id, &payload)
		if c := s.ByID[id]; c != nil {
			c.BlockReason = reasonOf(payload.String)
		}
		return err
	})
}

// reasonOf takes the words for a person out of a payload that may be anything.
func reasonOf(payload string) string {
	var p struct{ Reason, Error any }
	if json.Unmarshal([]byte(payload), &p) != nil {
		return ""
	}
	for _, v := range []any{p.Reason, p.Error} {
		if text, ok := v.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// addEvents reads the newest events, oldest first.
func (r *reader) addEvents(ctx context.Context, s *core.Snapshot) error {
	if r.schema["task_events"] == nil {
		return nil
	}
	query := fmt.Sprintf("SELECT %s FROM task_events ORDER BY id DESC LIMIT %d", r.schema.eventColumns(), shownEvents)
	err := r.each(ctx, query, nil, func(rows *sql.Rows) error {
		e, err := scanEvent(rows)
		s.Events = append(s.Events, e)
		return err
	})
	slices.Reverse(s.Events)
	if n := len(s.Events); n > 0 {
		s.NewestEvent = s.Events[n-1].ID
	}
	return err
}
