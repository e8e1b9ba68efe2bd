package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Promote makes a todo or blocked card ready because a person says so. A card
// with an unfinished parent is refused with ErrOpenParents: its first claim
// would undo the promotion. The event always names the actor.
func (b *Board) Promote(ctx context.Context, target Target, reason *string) error {
	return b.write(ctx, fmt.Sprintf("promote task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "promoted", core.Todo, core.Blocked); err != nil {
			return err
		}
		open, err := t.openParents(task.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return waitsFor(open)
		}
		if err := t.change(task, fields{{"status", string(core.Ready)}}); err != nil {
			return err
		}
		return t.event(task.ID, nil, "promoted_manual", fields{{"actor", target.Actor}, {"reason", reason}})
	})
}
