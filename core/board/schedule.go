package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Schedule parks a todo, ready, running or blocked card until it is unblocked:
// it waits for a time, not for a person.
func (b *Board) Schedule(ctx context.Context, target Target, reason *string) error {
	return b.write(ctx, fmt.Sprintf("schedule task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "scheduled", core.Todo, core.Ready, core.Running, core.Blocked); err != nil {
			return err
		}
		if err := t.change(task, unclaimed(field{"status", string(core.Scheduled)})); err != nil {
			return err
		}
		run, err := t.endOrTell(task, ending{outcome: core.OutcomeScheduled, summary: reason}, task.Assignee, given(reason))
		if err != nil {
			return err
		}
		return t.event(task.ID, run, "scheduled", target.by(field{"reason", reason}))
	})
}
