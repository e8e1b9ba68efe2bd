package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Unblock lets a blocked or scheduled card go on where it left off: ready, or
// review if it was blocked there, or todo while a parent is unfinished. Its
// failures are forgotten; the kind of its block and how often it recurred are
// not. Unblock returns the status that the card has now.
func (b *Board) Unblock(ctx context.Context, target Target) (core.Status, error) {
	var to core.Status
	err := b.write(ctx, fmt.Sprintf("unblock task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "unblocked", core.Blocked, core.Scheduled); err != nil {
			return err
		}
		resume := core.Ready
		if task.Status == core.Blocked {
			if resume, err = t.resumeStatus(task.ID); err != nil {
				return err
			}
		}
		if to, err = t.landing(task.ID); err != nil {
			return err
		}
		if to == core.Ready {
			to = resume
		}
		if err := t.repairDangling(task, "invariant recovery on unblock"); err != nil {
			return err
		}
		err = t.change(task, fields{
			{"status", string(to)}, {"current_run_id", nil}, {"consecutive_failures", 0}, {"last_failure_error", nil},
		})
		if err != nil {
			return err
		}
		var said fields
		if to != core.Ready || resume != core.Ready {
			said = fields{{"status", string(to)}, {"resume_status", string(resume)}}
		}
		return t.event(task.ID, nil, "unblocked", target.by(said...))
	})
	return to, err
}
