package board

import (
	"context"
	"database/sql"

	"github.com/hermes-tui/hermes-tui/core"
)

// defaultFailureLimit is how many failures in a row block a card that has no
// limit of its own, where nobody configured another number.
const defaultFailureLimit = 2

// Recompute moves every waiting card whose parents are all finished to where it
// goes on, and returns the ids of those that moved. A blocked card stays where a
// person or the circuit breaker wants it to: a newer "blocked" than "unblocked",
// a sticky "gave_up", or as many failures in a row as its limit, which is the
// card's own max_retries or else failureLimit.
func (b *Board) Recompute(ctx context.Context, failureLimit int) ([]string, error) {
	var moved []string
	err := b.write(ctx, "look for cards that may start", func(t *tx) error {
		var err error
		moved, err = t.promote(wholeBoard, nil, failureLimit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return moved, nil
}

// release lets go of the children of a card that is finished or gone. Only
// where the board was opened to do so it looks at every waiting card.
func (t *tx) release(children []string) error {
	if t.board.opt.PromoteAll {
		_, err := t.promote(wholeBoard, nil, defaultFailureLimit)
		return err
	}
	if len(children) == 0 {
		return nil
	}
	_, err := t.promote(theseCards, []any{jsonList(children)}, defaultFailureLimit)
	return err
}

// children lists the cards that wait for this one.
func (t *tx) children(id string) ([]string, error) {
	if t.schema["task_links"] == nil {
		return nil, nil
	}
	return t.texts("SELECT child_id FROM task_links WHERE parent_id = ? ORDER BY child_id", id)
}

// The scopes of a promotion. The join starts from the list, whatever SQLite
// would prefer: looking at a few cards must not cost a walk over the board.
const (
	wholeBoard = "tasks AS t"
	theseCards = "json_each(?) AS wanted CROSS JOIN tasks AS t ON t.id = wanted.value"
)

// waiting is a card that nothing holds back any more.
type waiting struct {
	id     string
	status core.Status
	resume core.Status
}

// promote moves the cards of a scope that wait for nothing any more: blocked
// cards first, then todo, each in order of insertion.
func (t *tx) promote(scope string, args []any, failureLimit int) ([]string, error) {
	free, err := t.free(scope, args, failureLimit)
	if err != nil {
		return nil, err
	}
	var moved []string
	for _, w := range free {
		done, err := t.updateTask(w.id, fields{{"status", string(w.resume)}}, "status = ?", string(w.status))
		if err != nil {
			return nil, err
		}
		if !done {
			continue
		}
		var said fields
		if w.resume != core.Ready {
			said = fields{{"status", string(w.resume)}}
		}
		if err := t.event(w.id, nil, "promoted", said); err != nil {
			return nil, err
		}
		moved = append(moved, w.id)
	}
	return moved, nil
}

// free reads the cards of a scope that may be promoted. Everything is asked in
// one query; only payloads are judged here, because they may be anything.
func (t *tx) free(scope string, args []any, failureLimit int) ([]waiting, error) {
	rows, err := t.query(t.schema.freeQuery(scope), append(args, failureLimit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var free []waiting
	for rows.Next() {
		var w waiting
		var status string
		var lifecycle, gaveUp sql.NullString
		if err := rows.Scan(&w.id, &status, &lifecycle, &gaveUp); err != nil {
			return nil, err
		}
		if gaveUp.Valid && truthy(parsePayload(&gaveUp.String)["sticky"]) {
			continue
		}
		w.status, w.resume = core.Status(status), resumeOf(&lifecycle.String)
		free = append(free, w)
	}
	return free, rows.Err()
}

// freeQuery selects the waiting cards without an unfinished parent that no
// person and no limit holds, each with the payload of its newest lifecycle
// event and of the newest "gave_up" since it was last unblocked. A counter that
// is no number holds its card: nothing is decided from it.
func (s schema) freeQuery(scope string) string {
	failures, retries := "0", s.integer("tasks", "max_retries", "NULL")
	if s.has("tasks", "consecutive_failures") {
		failures = "consecutive_failures"
	}
	query := `SELECT t.id, t.status,
		(SELECT CAST(e.payload AS TEXT) FROM task_events AS e WHERE e.task_id = t.id AND e.kind IN ` + lifecycleKinds + `
			ORDER BY e.id DESC LIMIT 1),
		CASE WHEN t.status = 'blocked' THEN
			(SELECT CAST(e.payload AS TEXT) FROM task_events AS e WHERE e.task_id = t.id AND e.kind = 'gave_up' AND e.id > COALESCE(
				(SELECT max(u.id) FROM task_events AS u WHERE u.task_id = t.id AND u.kind = 'unblocked'), 0)
				ORDER BY e.id DESC LIMIT 1) END
		FROM ` + scope + `
		WHERE t.status IN ('todo', 'blocked')
		AND (t.status = 'todo' OR COALESCE(` + failures + `, 0) < COALESCE(` + retries + `, ?)
			AND COALESCE((SELECT e.kind FROM task_events AS e WHERE e.task_id = t.id AND e.kind IN ('blocked', 'unblocked')
				ORDER BY e.id DESC LIMIT 1), '') <> 'blocked')`
	if s["task_links"] != nil {
		query += " AND NOT EXISTS (SELECT 1 " + openParentsOf("t.id") + ")"
	}
	return query + " ORDER BY t.status, t.rowid"
}

// truthy is Python's idea of a value that counts as yes.
func truthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case float64:
		return v != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}
