package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Delete removes a card with its links, comments, events, runs and
// subscriptions for good, and lets the cards go on that waited for it.
// Attachments stay.
func (b *Board) Delete(ctx context.Context, target Target) error {
	return b.write(ctx, fmt.Sprintf("delete task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		children, err := t.children(task.ID)
		if err != nil {
			return err
		}
		if err := t.remove(task.ID); err != nil {
			return err
		}
		return t.release(children)
	})
}

// DeleteArchived removes an archived card as Delete does. Any other card is
// refused: losing it takes two deliberate steps.
func (b *Board) DeleteArchived(ctx context.Context, target Target) error {
	return b.write(ctx, fmt.Sprintf("delete archived task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "deleted for good", core.Archived); err != nil {
			return err
		}
		return t.remove(task.ID)
	})
}

// remove deletes a card and every row that names it.
func (t *tx) remove(id string) error {
	n, err := t.exec("DELETE FROM tasks WHERE id = ?", id)
	if err != nil {
		return err
	}
	if n == 0 {
		return refused("the board did not let the card go; something in it protects this card")
	}
	if t.schema["task_links"] != nil {
		if _, err := t.exec("DELETE FROM task_links WHERE parent_id = ? OR child_id = ?", id, id); err != nil {
			return err
		}
	}
	for _, table := range []string{"task_comments", "task_events", "task_runs", "kanban_notify_subs"} {
		if t.schema[table] == nil {
			continue
		}
		if _, err := t.exec("DELETE FROM "+table+" WHERE task_id = ?", id); err != nil {
			return err
		}
	}
	return nil
}
