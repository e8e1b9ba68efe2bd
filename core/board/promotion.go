package board

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Promotion is a waiting card that nothing holds back any more.
type Promotion struct {
	Task string
	From core.Status // Todo or Blocked
	To   core.Status // Ready, or Review where a review was interrupted
}

// promotable is the condition under which the dispatcher moves a waiting card
// on. Blocked means a person: such a card moves only if it has parents, all of
// them are finished, and nothing but an unblock was said about it last.
var promotable = `
	t.status IN ('todo', 'blocked')
	AND NOT EXISTS (SELECT 1 ` + openParentsOf("t.id") + `)
	AND (t.status = 'todo' OR (
		EXISTS (SELECT 1 FROM task_links AS l JOIN tasks AS p ON p.id = l.parent_id WHERE l.child_id = t.id)
		AND coalesce((SELECT e.kind FROM task_events AS e WHERE e.task_id = t.id AND e.kind IN ('blocked', 'gave_up', 'unblocked')
			ORDER BY e.id DESC LIMIT 1), 'unblocked') = 'unblocked'
		AND t.consecutive_failures < coalesce(t.max_retries, ?1)))
	AND NOT (` + waitsForNothing + `)`

// waitsForNothing: the card says that it waits, but no parent is linked, and
// its last runs all ended blocked. Promoting it would start it for ever.
const waitsForNothing = `
	NOT EXISTS (SELECT 1 FROM task_links AS l JOIN tasks AS p ON p.id = l.parent_id WHERE l.child_id = t.id)
	AND (SELECT e.kind FROM task_events AS e WHERE e.task_id = t.id AND e.kind IN ` + lifecycleKinds + `
		ORDER BY e.id DESC LIMIT 1) = 'dependency_wait'
	AND (SELECT count(*) FROM (SELECT r.outcome FROM task_runs AS r WHERE r.task_id = t.id AND r.ended_at IS NOT NULL
		ORDER BY r.id DESC LIMIT 3) AS last WHERE last.outcome = 'blocked') = 3`

// Promotable lists the waiting cards that may move on, in order of insertion.
// failureLimit is the limit of a card without one of its own.
func (b *Board) Promotable(ctx context.Context, failureLimit int64) ([]Promotion, error) {
	var out []Promotion
	err := b.look(ctx, func(r *reader) error {
		rows, err := r.conn.QueryContext(ctx, promotionQuery(""), failureLimit)
		if err != nil {
			return err
		}
		out, err = scanPromotions(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find cards to promote: %w", err)
	}
	return out, nil
}

// promotionQuery finds what may move on, of all cards or only of those that
// more, a further condition, lets through.
func promotionQuery(more string) string {
	return `SELECT t.id, t.status, (SELECT e.payload FROM task_events AS e WHERE e.task_id = t.id AND e.kind IN ` +
		lifecycleKinds + ` ORDER BY e.id DESC LIMIT 1) FROM tasks AS t WHERE ` + promotable + more + ` ORDER BY t.rowid`
}

func scanPromotions(rows *sql.Rows) ([]Promotion, error) {
	defer rows.Close()
	var out []Promotion
	for rows.Next() {
		var p Promotion
		var payload sql.NullString
		if err := rows.Scan(&p.Task, &p.From, &payload); err != nil {
			return nil, err
		}
		p.To = resumeOf(&payload.String)
		out = append(out, p)
	}
	return out, rows.Err()
}

// PromoteWaiting moves those cards on that are still promotable, in one
// transaction, and returns the ids that moved. A card that a trigger or another
// program keeps from moving gets no event.
func (b *Board) PromoteWaiting(ctx context.Context, waiting []Promotion, failureLimit int64) ([]string, error) {
	ids := make([]string, len(waiting))
	for i, w := range waiting {
		ids[i] = w.Task
	}
	var done []string
	err := b.write(ctx, "promote waiting cards", func(t *tx) error {
		done = nil
		rows, err := t.query(promotionQuery(" AND t.id IN (SELECT value FROM json_each(?2))"), failureLimit, jsonList(ids))
		if err != nil {
			return err
		}
		promotions, err := scanPromotions(rows)
		if err != nil {
			return err
		}
		byTarget := map[core.Status][]string{}
		for _, p := range promotions {
			byTarget[p.To] = append(byTarget[p.To], p.Task)
		}
		moved := map[string]bool{}
		for _, to := range []core.Status{core.Ready, core.Review} {
			if len(byTarget[to]) == 0 {
				continue
			}
			ids, err := t.texts("UPDATE tasks SET status = ? WHERE id IN (SELECT value FROM json_each(?))"+
				" AND status IN ('todo', 'blocked') RETURNING id", string(to), jsonList(byTarget[to]))
			if err != nil {
				return err
			}
			for _, id := range ids {
				moved[id] = true
			}
		}
		var events [][]any
		for _, p := range promotions {
			if !moved[p.Task] {
				continue
			}
			done = append(done, p.Task)
			var payload any
			if p.To != core.Ready {
				payload = pythonJSON(fields{{"status", string(p.To)}})
			}
			events = append(events, []any{p.Task, nil, "promoted", payload, t.now})
		}
		return t.insertAll("task_events", []string{"task_id", "run_id", "kind", "payload", "created_at"}, events)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}
