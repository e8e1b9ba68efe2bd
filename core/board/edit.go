package board

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// EditRequest changes what a card says. A nil field stays as it is.
type EditRequest struct {
	Target
	Title    *string
	Body     *string
	Priority *int64
	// Result, Summary and Metadata correct what a finished card was completed
	// with; the last two are looked at only with a result.
	Result   *string
	Summary  *string // nil stands for the result
	Metadata json.RawMessage
	// Check, where not nil, looks at the card in the same transaction; its error
	// refuses the edit.
	Check func(now *core.Task) error
}

// Edit changes title, text or priority of a card, or the result of a finished
// one, which is also written to its newest completed run.
func (b *Board) Edit(ctx context.Context, r EditRequest) error {
	what := fmt.Sprintf("edit task %q", r.ID)
	if r.Title != nil && strip(*r.Title) == "" {
		return fmt.Errorf("%s: %w", what, invalid("a title is required"))
	}
	metadata, err := parseMetadata(r.Metadata)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return b.write(ctx, what, func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		if r.Check != nil {
			if err := r.Check(task); err != nil {
				return err
			}
		}
		if r.Result != nil && task.Status != core.Done {
			return refused("the card is %s; only a done card has a result to correct", task.Status)
		}
		set := r.columns()
		if len(set) == 0 {
			return refused("nothing to change was given")
		}
		if err := t.change(task, set); err != nil {
			return err
		}
		if r.Priority != nil {
			if err := t.event(task.ID, nil, "reprioritized", r.by(field{"priority", *r.Priority})); err != nil {
				return err
			}
		}
		if r.Result != nil {
			return t.correctResult(task, r, metadata)
		}
		return t.tellEdit(task, r, set)
	})
}

// columns are the columns of tasks that the request sets.
func (r EditRequest) columns() fields {
	var set fields
	if r.Title != nil {
		set = append(set, field{"title", *r.Title})
	}
	if r.Body != nil {
		set = append(set, field{"body", *r.Body})
	}
	if r.Priority != nil {
		set = append(set, field{"priority", *r.Priority})
	}
	if r.Result != nil {
		set = append(set, field{"result", *r.Result})
	}
	return set
}

// tellEdit records which texts were changed. A priority has an event of its own.
func (t *tx) tellEdit(task *core.Task, r EditRequest, set fields) error {
	var names []string
	for _, f := range set {
		if f.name != "priority" {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return t.event(task.ID, nil, "edited", r.by(field{"fields", names}))
}

// correctResult writes the result to the card's newest completed run, or
// records one where the card has none.
func (t *tx) correctResult(task *core.Task, r EditRequest, metadata metadata) error {
	summary := r.Summary
	if summary == nil {
		summary = r.Result
	}
	run, err := t.completedRun(task.ID)
	if err != nil {
		return err
	}
	set, names := fields{{"summary", summary}}, []string{"result", "summary"}
	if len(r.Metadata) > 0 {
		set, names = append(set, field{"metadata", orNoMetadata(metadata)}), append(names, "metadata")
	}
	if run == nil {
		run, err = t.tellRun(task, ending{outcome: core.Completed, summary: summary, metadata: metadata.text()}, task.Assignee)
	} else {
		_, err = t.update("task_runs", set, "id = ?", *run)
	}
	if err != nil {
		return err
	}
	return t.event(task.ID, run, "edited", r.by(
		field{"fields", names}, field{"result_len", length(r.Result)}, field{"summary", firstLine(summary, 400)}))
}

// orNoMetadata is what an edit stores: an empty object, when one was given, is
// kept as such.
func orNoMetadata(m metadata) string {
	if m == nil {
		return "{}"
	}
	return *m.text()
}

// completedRun is the newest run of a card that was completed, nil if none was.
func (t *tx) completedRun(id string) (*int64, error) {
	if t.schema["task_runs"] == nil {
		return nil, nil
	}
	var run int64
	found, err := t.row(`SELECT id FROM task_runs WHERE task_id = ? AND outcome = 'completed'
		ORDER BY COALESCE(ended_at, started_at, 0) DESC, id DESC LIMIT 1`, []any{id}, &run)
	if err != nil || !found {
		return nil, err
	}
	return &run, nil
}
