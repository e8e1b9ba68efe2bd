package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Assign gives a card to a profile; an empty name gives it to nobody. Another
// profile starts without the failures of the last one. A running card that is
// claimed is refused; Reassign takes it from its worker first.
func (b *Board) Assign(ctx context.Context, target Target, profile string) error {
	return b.write(ctx, fmt.Sprintf("assign task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		return t.assign(task, target, profile)
	})
}

// Reassign reclaims a card, if anybody holds it, and gives it to a profile, in
// one transaction.
func (b *Board) Reassign(ctx context.Context, r ReclaimRequest, profile string) error {
	return b.write(ctx, fmt.Sprintf("reassign task %q", r.ID), func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		if reclaimable(task) == nil {
			if _, err := t.reclaim(task, r); err != nil {
				return err
			}
			now, _, err := t.task(task.ID)
			if err != nil {
				return err
			}
			task = &now
		}
		return t.assign(task, r.Target, profile)
	})
}

func (t *tx) assign(task *core.Task, target Target, profile string) error {
	if task.Status == core.Running && task.ClaimLock != nil {
		return refused("the card is running under %s; wait for its end or reclaim it first", lockName(task.ClaimLock))
	}
	profile = profileName(profile)
	set := fields{{"assignee", orNull(profile)}}
	if task.Assignee != profile {
		set = append(set, field{"consecutive_failures", 0}, field{"last_failure_error", nil})
	}
	from := orNull(task.Assignee)
	if err := t.change(task, set); err != nil {
		return err
	}
	return t.event(task.ID, nil, "assigned", target.by(field{"assignee", orNull(profile)}, field{"from", from}))
}
