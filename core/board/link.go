package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Link makes a card, the child, wait for another one. A running child is
// refused unless the target names its current run; so is a link that would make
// cards wait for each other in a circle. A ready child of an unfinished parent
// goes back to todo, which Link reports. The child takes over the parent's
// subscriptions.
func (b *Board) Link(ctx context.Context, parent string, child Target) (demoted bool, err error) {
	what := fmt.Sprintf("make task %q wait for %q", child.ID, parent)
	if parent == child.ID {
		return false, fmt.Errorf("%s: %w", what, invalid("a card cannot wait for itself"))
	}
	err = b.write(ctx, what, func(t *tx) error {
		task, err := t.find(child)
		if err != nil {
			return err
		}
		first, found, err := t.task(parent)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("parent %q: %w", parent, core.ErrNotFound)
		}
		if err := t.mayLink(&first, task, child); err != nil {
			return err
		}
		demoted, err = t.link(&first, task, child)
		return err
	})
	return demoted, err
}

// mayLink holds what stands against a link.
func (t *tx) mayLink(parent, child *core.Task, target Target) error {
	if child.Status == core.Running && target.Run == nil {
		return refused("the card that would wait is running already")
	}
	circle, err := t.reaches(child.ID, parent.ID)
	if err != nil {
		return err
	}
	if circle {
		return refused("%s waits for %s already, directly or through others", parent.ID, child.ID)
	}
	return nil
}

// reaches reports whether a card is below another one, however far.
func (t *tx) reaches(from, to string) (bool, error) {
	var found int
	return t.row(`WITH RECURSIVE below(id) AS (
			SELECT ? UNION SELECT l.child_id FROM below CROSS JOIN task_links AS l ON l.parent_id = below.id)
		SELECT 1 FROM below WHERE id = ? LIMIT 1`, []any{from, to}, &found)
}

// link writes the rows of a link. The event is written even where the link was
// there already: it tells that somebody asked for it.
func (t *tx) link(parent, child *core.Task, target Target) (demoted bool, err error) {
	if err := t.addLink(parent.ID, child.ID); err != nil {
		return false, err
	}
	if child.Status == core.Ready && !parent.Status.Satisfies() {
		if err := t.change(child, fields{{"status", string(core.Todo)}}); err != nil {
			return false, err
		}
		said := fields{{"reason", "parent_not_done"}, {"demoted", true}, {"parent", parent.ID}}
		if err := t.event(child.ID, nil, "dependency_wait", said); err != nil {
			return false, err
		}
		demoted = true
	}
	if err := t.event(child.ID, nil, "linked", target.by(field{"parent", parent.ID}, field{"child", child.ID})); err != nil {
		return false, err
	}
	return demoted, t.inheritSubs(child.ID, parent.ID)
}

func (t *tx) addLink(parent, child string) error {
	_, err := t.exec("INSERT OR IGNORE INTO task_links(parent_id, child_id) VALUES(?, ?)", parent, child)
	return err
}

// Unlink lets a card wait no longer for another one, and go on if it waits for
// nothing else. It reports whether there was such a link.
func (b *Board) Unlink(ctx context.Context, parent string, child Target) (removed bool, err error) {
	err = b.write(ctx, fmt.Sprintf("let task %q wait no longer for %q", child.ID, parent), func(t *tx) error {
		if _, err := t.find(child); err != nil {
			return err
		}
		n, err := t.exec("DELETE FROM task_links WHERE parent_id = ? AND child_id = ?", parent, child.ID)
		if err != nil || n == 0 {
			return err
		}
		removed = true
		if err := t.event(child.ID, nil, "unlinked", child.by(field{"parent", parent}, field{"child", child.ID})); err != nil {
			return err
		}
		return t.release([]string{child.ID})
	})
	return removed, err
}
