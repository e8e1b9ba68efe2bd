package board

import (
	"encoding/json"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// phase is where a card returns to when its current run ends without a
// verdict: review if the run was claimed from review, else ready.
func (t *tx) phase(task *core.Task) (core.Status, error) {
	if task.CurrentRun == nil {
		return core.Ready, nil
	}
	payload, err := t.newestPayload(task.ID, "claimed", task.CurrentRun)
	if err != nil {
		return "", err
	}
	if payload.text("source_status") == string(core.Review) {
		return core.Review, nil
	}
	return core.Ready, nil
}

// lifecycleKinds are the events that say in which phase a card goes on.
const lifecycleKinds = `('blocked', 'block_loop_detected', 'dependency_wait', 'gave_up', 'unblocked', 'changes_requested',
	'review_reopened', 'status', 'reclaimed', 'stale', 'timed_out', 'crashed', 'spawn_failed', 'rate_limited')`

// resumeStatus is where a card that waited goes on: review if the newest
// lifecycle event says that it came from there, else ready.
func (t *tx) resumeStatus(id string) (core.Status, error) {
	var text *string
	_, err := t.row("SELECT CAST(payload AS TEXT) FROM task_events WHERE task_id = ? AND kind IN "+lifecycleKinds+
		" ORDER BY id DESC LIMIT 1", []any{id}, &text)
	return resumeOf(text), err
}

// resumeOf reads the phase out of the payload of a lifecycle event.
func resumeOf(text *string) core.Status {
	p := parsePayload(text)
	for _, key := range []string{"resume_status", "retry_status", "source_status"} {
		if p.text(key) == string(core.Review) {
			return core.Review
		}
	}
	return core.Ready
}

// payload is a parsed event payload. One that is no JSON object is empty.
type payload map[string]any

func parsePayload(text *string) payload {
	var p payload
	if text == nil || json.Unmarshal([]byte(*text), &p) != nil {
		return nil
	}
	return p
}

// text returns a key that holds a text with more than blanks, else "".
func (p payload) text(key string) string {
	if s, ok := p[key].(string); ok && strip(s) != "" {
		return s
	}
	return ""
}

// newestPayload reads the payload of a card's newest event of a kind, of one
// run where run is given. It is empty when there is no such event.
func (t *tx) newestPayload(id, kind string, run *int64) (payload, error) {
	query, args := "SELECT CAST(payload AS TEXT) FROM task_events WHERE task_id = ? AND kind = ?", []any{id, kind}
	if run != nil && t.schema.has("task_events", "run_id") {
		query, args = query+" AND run_id = ?", append(args, *run)
	}
	var text *string
	_, err := t.row(query+" ORDER BY id DESC LIMIT 1", args, &text)
	return parsePayload(text), err
}

// profileName writes the name of a profile as boards hold it. Empty means
// nobody.
func profileName(name string) string { return strings.ToLower(strip(name)) }

// orNull is a text column that holds NULL rather than an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
