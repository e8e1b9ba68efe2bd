package board

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Waiting raises a card in the queue: one step of priority for each hour, up to
// a number of steps, so that a steady stream of urgent cards starves nobody.
const (
	waitingStep  = 3600 // seconds
	waitingSteps = 5
)

// arrival are the events after which a card stands anew at the end of its queue.
const arrival = `'created', 'promoted', 'promoted_manual', 'unblocked', 'reclaimed', 'reconciled', 'crashed', 'timed_out', 'stale',
	'rate_limited', 'spawn_failed', 'protocol_violation', 'review_requested', 'changes_requested', 'review_reopened', 'status'`

// owner is the name of a card's owner as profiles are compared.
const owner = "lower(trim(coalesce(CAST(assignee AS TEXT), '')))"

// ownerName is what the expression owner makes of an assignee: SQLite's lower
// knows the letters of ASCII alone, and its trim nothing but spaces.
func ownerName(assignee string) string {
	name := []byte(strings.Trim(assignee, " "))
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
	return string(name)
}

// Queue lists the cards of a lane (Ready or Review) that nobody has claimed and
// one of the owners owns, in the order in which they are to start: priority,
// raised by the time waited, then age. The stored priority is not touched.
func (b *Board) Queue(ctx context.Context, lane core.Status, owners []string) ([]core.Task, error) {
	var out []core.Task
	err := b.look(ctx, func(r *reader) error {
		since := "coalesce((SELECT max(e.created_at) FROM task_events AS e WHERE e.task_id = tasks.id AND e.kind IN (" + arrival + ")), created_at)"
		query := fmt.Sprintf("SELECT %s FROM tasks WHERE status = ? AND claim_lock IS NULL AND %s IN (SELECT value FROM json_each(?)) ORDER BY "+
			"priority + max(0, min(%d, (? - %s) / %d)) DESC, created_at, rowid", r.schema.taskColumns(), owner, waitingSteps, since, waitingStep)
		return r.each(ctx, query, []any{string(lane), jsonList(owners), b.opt.Now()}, func(rows *sql.Rows) error {
			task, err := scanTask(rows)
			task.Generation = b.generation
			out = append(out, task)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list %s cards: %w", lane, err)
	}
	return out, nil
}

// Waiting is an unclaimed card of a lane. Owner is its owner's name as profiles
// are compared, empty for nobody.
type Waiting struct{ Task, Owner string }

// Unclaimed lists the cards of a lane that nobody has claimed, in order of
// insertion. It reads little of each, because there may be very many.
func (b *Board) Unclaimed(ctx context.Context, lane core.Status) ([]Waiting, error) {
	var out []Waiting
	names := map[string]string{} // many cards, few owners
	err := b.look(ctx, func(r *reader) error {
		query := "SELECT id, assignee FROM tasks WHERE status = '" + string(lane) + "' AND claim_lock IS NULL ORDER BY rowid"
		return r.every(ctx, query, func(v row) {
			assignee := v.text(1)
			name, known := names[assignee]
			if !known {
				name = ownerName(assignee)
				names[assignee] = name
			}
			out = append(out, Waiting{Task: v.text(0), Owner: name})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list %s cards: %w", lane, err)
	}
	return out, nil
}

// CountRunning counts the running cards of the board.
func (b *Board) CountRunning(ctx context.Context) (int64, error) {
	var n int64
	err := b.look(ctx, func(r *reader) error {
		return r.conn.QueryRowContext(ctx, "SELECT count(*) FROM tasks WHERE status = 'running'").Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count running cards: %w", err)
	}
	return n, nil
}

// AssignDefault gives an unowned card to the configured default assignee.
func (b *Board) AssignDefault(ctx context.Context, task core.Task, assignee string) error {
	return b.write(ctx, fmt.Sprintf("assign task %q", task.ID), func(t *tx) error {
		ok, err := t.updateTask(task.ID, fields{{"assignee", assignee}},
			"status = ? AND claim_lock IS NULL AND trim(coalesce(assignee, '')) = ''", string(task.Status))
		if err != nil {
			return err
		}
		if !ok {
			return changed("it is no longer unowned and %s", task.Status)
		}
		return t.event(task.ID, nil, "assigned", fields{{"assignee", assignee}, {"source", "kanban.default_assignee"}})
	})
}

// RecordSpawn writes who the worker of a claimed run is, to card and run, before
// the worker's program begins. The error wraps core.ErrChanged when the claim is
// gone, in which case the worker must not be let go.
func (b *Board) RecordSpawn(ctx context.Context, claim Claimed, pid int64, fingerprint string) error {
	return b.write(ctx, fmt.Sprintf("record the worker of task %q", claim.Task.ID), func(t *tx) error {
		who := fields{{"worker_pid", pid}, {"worker_started_at", fingerprint}}
		if err := t.updateClaimed(claim, who); err != nil {
			return err
		}
		if _, err := t.update("task_runs", who, "id = ? AND ended_at IS NULL", claim.Run); err != nil {
			return err
		}
		return t.event(claim.Task.ID, &claim.Run, "spawned", fields{{"pid", pid}, {"started_at", fingerprint}})
	})
}

// Workspace is where a worker works.
type Workspace struct {
	Path   string // absolute
	Branch string // of a worktree, else empty
	// Tip, where not empty, is told once an installation: what became of the
	// first scratch workspace.
	Tip string
}

// SetWorkspace writes where the worker of a claimed run works.
func (b *Board) SetWorkspace(ctx context.Context, claim Claimed, w Workspace) error {
	return b.write(ctx, fmt.Sprintf("record the workspace of task %q", claim.Task.ID), func(t *tx) error {
		set := fields{{"workspace_path", w.Path}}
		if w.Branch != "" {
			set = append(set, field{"branch_name", w.Branch})
		}
		if err := t.updateClaimed(claim, set); err != nil || w.Tip == "" {
			return err
		}
		return t.event(claim.Task.ID, nil, "tip_scratch_workspace", fields{{"message", w.Tip}})
	})
}

// updateClaimed changes a card only while the claim holds it.
func (t *tx) updateClaimed(claim Claimed, set fields) error {
	ok, err := t.updateTask(claim.Task.ID, set, "status = 'running' AND current_run_id = ? AND claim_lock = ?", claim.Run, claim.Lock)
	if err == nil && !ok {
		err = changed("run %d no longer holds the card", claim.Run)
	}
	return err
}

// OpenParents lists the unfinished parents that a card waits for.
func (b *Board) OpenParents(ctx context.Context, id string) ([]string, error) {
	var out []string
	err := b.look(ctx, func(r *reader) error {
		if r.schema["task_links"] == nil {
			return nil
		}
		return r.each(ctx, "SELECT p.id "+openParentsOf("?")+" ORDER BY p.id", []any{id}, func(rows *sql.Rows) error {
			var parent string
			err := rows.Scan(&parent)
			out = append(out, parent)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the open parents of task %q: %w", id, err)
	}
	return out, nil
}

// CountRunningOf counts the running cards of one assignee.
func (b *Board) CountRunningOf(ctx context.Context, assignee string) (int64, error) {
	var n int64
	err := b.look(ctx, func(r *reader) error {
		return r.conn.QueryRowContext(ctx, "SELECT count(*) FROM tasks WHERE status = 'running' AND lower(trim(assignee)) = ?",
			profileName(assignee)).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count the running cards of %q: %w", assignee, err)
	}
	return n, nil
}
