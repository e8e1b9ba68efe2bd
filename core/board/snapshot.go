package board

import (
	"cmp"
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
	if b.closed {
		return fmt.Errorf("board %q: %w", b.path, errClosed)
	}
	if b.read == nil {
		return fmt.Errorf("board %q: %w", b.path, ErrReplaced)
	}
	// Nothing is written, so ending the transaction cannot fail in a way that
	// matters. It must happen whatever became of ctx, which may end while the
	// transaction begins and make that seem to fail.
	defer func() { _, _ = b.read.conn.ExecContext(context.Background(), "ROLLBACK") }()
	if _, err := b.read.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return b.explain(err)
	}
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

// cardTexts and cardNumbers are the columns of tasks that a card shows, in the
// order in which card takes them.
var (
	cardTexts = []string{
		"id", "status", "title", "assignee", "tenant", "claim_lock", "last_failure_error", "block_kind", "result",
	}
	cardNumbers = []string{
		"priority", "created_at", "started_at", "completed_at", "claim_expires", "worker_pid", "last_heartbeat_at",
		"current_run_id", "consecutive_failures",
	}
	// cardRest are columns that a card does not show but the rules count on.
	cardRest = []string{"max_runtime_seconds", "max_retries", "goal_mode", "goal_max_turns", "block_recurrences"}
)

// cards reads what the tasks table itself says of every card.
func (r *reader) cards(ctx context.Context) ([]core.Card, error) {
	shown := map[string]string{
		"title":              fmt.Sprintf("substr(title, 1, %d)", shownTitle),
		"last_failure_error": fmt.Sprintf("substr(last_failure_error, 1, %d)", shownReason),
		// What a lane stores is the whole object of its agent, whose summary says it
		// in words.
		"result": fmt.Sprintf(`CASE status WHEN 'done' THEN substr(
			CASE WHEN substr(result, 1, 1) = '{' AND json_valid(result) THEN coalesce(json_extract(result, '$.summary'), result) ELSE result END, 1, %d) END`,
			shownSummary),
	}
	columns := slices.Concat(cardTexts, cardNumbers, cardRest)
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = cmp.Or(shown[c], c)
		if !r.schema.has("tasks", c) {
			list[i] = "NULL"
		}
	}
	var n int
	if err := r.conn.QueryRowContext(ctx, "SELECT count(*) FROM tasks").Scan(&n); err != nil {
		return nil, err
	}
	cards := make([]core.Card, 0, n)
	err := r.every(ctx, "SELECT "+strings.Join(list, ", ")+" FROM tasks", func(v row) {
		c := card(v)
		for i := range columns {
			if i < len(cardTexts) && !v.isText(i) || i >= len(cardTexts) && !v.isNumber(i) {
				c.Odd = append(c.Odd, columns[i])
			}
		}
		cards = append(cards, c)
	})
	return cards, err
}

// card takes a row of cardTexts and cardNumbers. A status that is not stored as
// text is none that a dispatcher would find, whatever its bytes say.
func card(v row) core.Card {
	c := core.Card{
		ID: v.text(0), Title: v.text(2), Assignee: strings.TrimSpace(v.text(3)), Tenant: v.text(4),
		ClaimLock: v.text(5), LastError: v.text(6), BlockKind: v.text(7), Summary: v.text(8),
	}
	if c.Status = core.Status(v.text(1)); !v.isText(1) {
		c.Status = core.Other
	}
	numbers := v[len(cardTexts):]
	c.Priority, c.CreatedAt, c.StartedAt, c.CompletedAt = numbers.number(0), numbers.number(1), numbers.number(2), numbers.number(3)
	c.ClaimExpires, c.WorkerPID, c.Heartbeat = numbers.number(4), numbers.number(5), numbers.number(6)
	c.RunID, c.Failures = numbers.number(7), numbers.number(8)
	return c
}

// addRuns counts attempts and dates the open run of each running card.
func (r *reader) addRuns(ctx context.Context, s *core.Snapshot) error {
	if !r.schema.hasAll("task_runs", "id", "task_id", "started_at") {
		return nil
	}
	err := r.every(ctx, "SELECT task_id, count(*) FROM task_runs GROUP BY task_id", func(v row) {
		if c := s.ByID[v.text(0)]; c != nil {
			c.Attempts = int(v.number(1))
		}
	})
	if err != nil || !r.schema.hasAll("tasks", "id", "status", "current_run_id") {
		return err
	}
	query := "SELECT t.id, r.started_at FROM tasks AS t CROSS JOIN task_runs AS r ON r.id = t.current_run_id" +
		" WHERE t.status = 'running'"
	return r.every(ctx, query, func(v row) {
		if c := s.ByID[v.text(0)]; c != nil {
			c.RunStarted = v.number(1)
		}
	})
}

func (r *reader) addComments(ctx context.Context, s *core.Snapshot) error {
	if !r.schema.has("task_comments", "task_id") {
		return nil
	}
	return r.every(ctx, "SELECT task_id, count(*) FROM task_comments GROUP BY task_id", func(v row) {
		if c := s.ByID[v.text(0)]; c != nil {
			c.Comments = int(v.number(1))
		}
	})
}

// addLinks counts parents and children. A link to a card that was deleted
// holds nothing back and is not counted, as everywhere.
func (r *reader) addLinks(ctx context.Context, s *core.Snapshot) error {
	if !r.schema.hasAll("task_links", "parent_id", "child_id") {
		return nil
	}
	return r.every(ctx, "SELECT parent_id, child_id FROM task_links", func(v row) {
		parent, child := s.ByID[v.text(0)], s.ByID[v.text(1)]
		if parent == nil || child == nil {
			return
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
	})
}

// addReasons says why each blocked card is blocked: the reason in the newest
// event that blocked it.
func (r *reader) addReasons(ctx context.Context, s *core.Snapshot) error {
	if !r.schema.hasAll("task_events", "id", "task_id", "kind", "payload") || !r.schema.hasAll("tasks", "id", "status") {
		return nil
	}
	// SQLite takes the payload from the very row that has the highest id.
	query := `SELECT t.id, substr(e.payload, 1, 4000), max(e.id)
		FROM tasks AS t CROSS JOIN task_events AS e ON e.task_id = t.id
		WHERE t.status IN ('blocked', 'triage') AND e.kind IN ('blocked', 'gave_up', 'block_loop_detected') GROUP BY t.id`
	return r.every(ctx, query, func(v row) {
		if c := s.ByID[v.text(0)]; c != nil {
			c.BlockReason = reasonOf(v.text(1))
		}
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
	if !r.schema.has("task_events", "id") {
		return nil
	}
	query := fmt.Sprintf("SELECT %s FROM task_events WHERE typeof(id) = 'integer' ORDER BY id DESC LIMIT %d", r.schema.eventColumns(), shownEvents)
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
