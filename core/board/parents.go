package board

import "github.com/hermes-tui/hermes-tui/core"

// openParents lists the parents that a card still waits for, in the order of
// their ids. A card may start when there are none: this is the one answer to
// "are all parents satisfied", for claims, promotions, completions and links.
// An archived parent is not waited for, and neither is a link to a card that
// was deleted.
func (t *tx) openParents(id string) ([]string, error) {
	if t.schema["task_links"] == nil {
		return nil, nil
	}
	return t.texts("SELECT p.id "+openParentsOf("?")+" ORDER BY p.id", id)
}

// openParentsOf is the part of a query that joins the unfinished parents p of
// the card that the expression names.
func openParentsOf(child string) string {
	return "FROM task_links AS l JOIN tasks AS p ON p.id = l.parent_id WHERE l.child_id = " + child +
		" AND p.status NOT IN ('done', 'archived')"
}

// landing is where a card goes that may be worked on again: ready, or todo
// while a parent is unfinished.
func (t *tx) landing(id string) (core.Status, error) {
	open, err := t.openParents(id)
	if err != nil || len(open) > 0 {
		return core.Todo, err
	}
	return core.Ready, nil
}
