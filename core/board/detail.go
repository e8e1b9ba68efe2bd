package board

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
)

// shownHistory bounds how many of a card's newest events and runs are read.
const shownHistory = 500

// Task reads one card. The error wraps core.ErrNotFound when there is none.
func (b *Board) Task(ctx context.Context, id string) (core.Task, error) {
	var task core.Task
	err := b.look(ctx, func(r *reader) error {
		var err error
		task, err = r.task(ctx, id)
		task.Generation = b.generation
		return err
	})
	if err != nil {
		return task, fmt.Errorf("read task %q: %w", id, err)
	}
	return task, nil
}

func (r *reader) task(ctx context.Context, id string) (core.Task, error) {
	var task core.Task
	found := false
	err := r.each(ctx, "SELECT "+r.schema.taskColumns()+" FROM tasks WHERE id = ?", []any{id}, func(rows *sql.Rows) error {
		var err error
		task, err = scanTask(rows)
		found = true
		return err
	})
	if err == nil && !found {
		err = core.ErrNotFound
	}
	return task, err
}

// Run reads one run. The error wraps core.ErrNotFound when there is none.
func (b *Board) Run(ctx context.Context, id int64) (core.Run, error) {
	var run core.Run
	err := b.look(ctx, func(r *reader) error {
		found := false
		err := r.each(ctx, "SELECT "+r.schema.runColumns()+" FROM task_runs WHERE id = ?", []any{id}, func(rows *sql.Rows) error {
			var err error
			run, err = scanRun(rows)
			found = true
			return err
		})
		if err == nil && !found {
			err = core.ErrNotFound
		}
		return err
	})
	if err != nil {
		return run, fmt.Errorf("read run %d: %w", id, err)
	}
	return run, nil
}

// Detail reads everything the card view shows, in one transaction. The error
// wraps core.ErrNotFound when there is no such card.
func (b *Board) Detail(ctx context.Context, id string) (*core.Detail, error) {
	d := &core.Detail{}
	err := b.look(ctx, func(r *reader) error {
		var err error
		if d.Task, err = r.task(ctx, id); err != nil {
			return err
		}
		d.Task.Generation = b.generation
		for _, add := range []func(context.Context, *core.Detail) error{r.detailRuns, r.detailEvents, r.detailComments, r.detailLinks} {
			if err := add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read task %q: %w", id, err)
	}
	return d, nil
}

func (r *reader) detailRuns(ctx context.Context, d *core.Detail) error {
	if r.schema["task_runs"] == nil {
		return nil
	}
	query := fmt.Sprintf("SELECT %s FROM task_runs WHERE task_id = ? AND typeof(id) = 'integer' ORDER BY id DESC LIMIT %d", r.schema.runColumns(), shownHistory)
	err := r.each(ctx, query, []any{d.Task.ID}, func(rows *sql.Rows) error {
		run, err := scanRun(rows)
		d.Runs = append(d.Runs, run)
		return err
	})
	slices.Reverse(d.Runs)
	return err
}

func (r *reader) detailEvents(ctx context.Context, d *core.Detail) error {
	if r.schema["task_events"] == nil {
		return nil
	}
	query := fmt.Sprintf("SELECT %s FROM task_events WHERE task_id = ? AND typeof(id) = 'integer' ORDER BY id DESC LIMIT %d", r.schema.eventColumns(), shownHistory)
	err := r.each(ctx, query, []any{d.Task.ID}, func(rows *sql.Rows) error {
		e, err := scanEvent(rows)
		d.Events = append(d.Events, e)
		return err
	})
	slices.Reverse(d.Events)
	return err
}

func (r *reader) detailComments(ctx context.Context, d *core.Detail) error {
	if r.schema["task_comments"] == nil {
		return nil
	}
	query := "SELECT id, CAST(task_id AS TEXT), CAST(author AS TEXT), CAST(body AS TEXT), " +
		r.schema.integer("task_comments", "created_at", "NULL") + " FROM task_comments WHERE task_id = ? AND typeof(id) = 'integer' ORDER BY id"
	return r.each(ctx, query, []any{d.Task.ID}, func(rows *sql.Rows) error {
		var c core.Comment
		var task, author, body sql.NullString
		var created sql.NullInt64
		err := rows.Scan(&c.ID, &task, &author, &body, &created)
		c.TaskID, c.Author, c.Body, c.CreatedAt = task.String, author.String, body.String, created.Int64
		d.Comments = append(d.Comments, c)
		return err
	})
}

func (r *reader) detailLinks(ctx context.Context, d *core.Detail) error {
	if r.schema["task_links"] == nil {
		return nil
	}
	read := func(query string, to *[]core.Link) error {
		return r.each(ctx, query, []any{d.Task.ID}, func(rows *sql.Rows) error {
			var l core.Link
			var title, status sql.NullString
			err := rows.Scan(&l.ID, &title, &status)
			l.Title, l.Status = title.String, core.Status(status.String)
			*to = append(*to, l)
			return err
		})
	}
	columns := "SELECT CAST(t.id AS TEXT), substr(CAST(t.title AS TEXT), 1, 400), CAST(t.status AS TEXT) FROM task_links AS l "
	if err := read(columns+"JOIN tasks AS t ON t.id = l.parent_id WHERE l.child_id = ? ORDER BY t.id", &d.Parents); err != nil {
		return err
	}
	return read(columns+"JOIN tasks AS t ON t.id = l.child_id WHERE l.parent_id = ? ORDER BY t.id", &d.Children)
}

// Events lists the events of the board after an id, oldest first, at most limit
// of them.
func (b *Board) Events(ctx context.Context, after int64, limit int) ([]core.Event, error) {
	var out []core.Event
	err := b.look(ctx, func(r *reader) error {
		query := "SELECT " + r.schema.eventColumns() + " FROM task_events WHERE id > ? ORDER BY id LIMIT ?"
		return r.each(ctx, query, []any{after, limit}, func(rows *sql.Rows) error {
			e, err := scanEvent(rows)
			out = append(out, e)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return out, nil
}
