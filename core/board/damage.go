package board

import (
	"context"
	"fmt"
)

// Damage is what another program does to a card when it sets the status by
// hand, with an SQL shell, and passes every rule by. It exists for the demo,
// whose zombies must be made the way they come about in the field.
type Damage struct {
	Lock    *string // the claim that is left behind
	Expires *int64
	PID     *int64
}

// MarkRunning forces a card to running with only what d says of a claim: no
// run, no event.
func (b *Board) MarkRunning(ctx context.Context, id string, d Damage) error {
	return b.write(ctx, fmt.Sprintf("mark task %q running by hand", id), func(t *tx) error {
		_, err := t.updateTask(id, fields{
			{"status", "running"}, {"claim_lock", d.Lock}, {"claim_expires", d.Expires}, {"worker_pid", d.PID}, {"started_at", t.now},
		}, "1")
		return err
	})
}
