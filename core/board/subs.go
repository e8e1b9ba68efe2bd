package board

import "strings"

// subColumns are the columns of a subscription that a child takes over as they
// are or, where a default is given, with it instead of NULL. What a subscriber
// has already been told is never taken over.
var subColumns = []column{
	{"platform", ""}, {"chat_id", ""}, {"thread_id", ""}, {"user_id", ""}, {"user_id_alt", ""}, {"chat_type", "'dm'"},
	{"notifier_profile", ""}, {"delivery_mode", "'notify'"}, {"delivery_metadata", ""},
}

// inheritSubs copies the subscriptions of other cards to a card. Its
// subscribers hear what happens from now on: the cursor stands at the card's
// newest event.
func (t *tx) inheritSubs(id string, from ...string) error {
	const table = "kanban_notify_subs"
	if len(from) == 0 || t.schema[table] == nil {
		return nil
	}
	names, values := []string{"task_id"}, []string{"?"}
	args := []any{id}
	for _, c := range subColumns {
		if !t.schema.has(table, c.name) {
			continue
		}
		value := c.name
		if c.declaration != "" {
			value = "COALESCE(" + c.name + ", " + c.declaration + ")"
		}
		names, values = append(names, c.name), append(values, value)
	}
	names = append(names, "created_at", "last_event_id")
	values = append(values, "?", "(SELECT COALESCE(max(id), 0) FROM task_events WHERE task_id = ?)")
	args = append(args, t.now, id, jsonList(from))
	_, err := t.exec("INSERT OR IGNORE INTO "+table+"("+strings.Join(names, ", ")+") SELECT "+strings.Join(values, ", ")+
		" FROM "+table+" WHERE task_id IN (SELECT value FROM json_each(?)) ORDER BY task_id", args...)
	return err
}
