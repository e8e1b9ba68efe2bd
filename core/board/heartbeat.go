package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Heartbeat records a sign of life of the worker of a running card, with a note
// where there is one. It does not make the claim last longer.
func (b *Board) Heartbeat(ctx context.Context, target Target, note string) error {
	return b.write(ctx, fmt.Sprintf("record a heartbeat of task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "heart-beating", core.Running); err != nil {
			return err
		}
		beat := fields{{"last_heartbeat_at", t.now}}
		if err := t.change(task, beat); err != nil {
			return err
		}
		if task.CurrentRun != nil {
			if _, err := t.update("task_runs", beat, "id = ? AND task_id = ?", *task.CurrentRun, task.ID); err != nil {
				return err
			}
		}
		var said fields
		if note != "" {
			said = fields{{"note", note}}
		}
		return t.event(task.ID, task.CurrentRun, "heartbeat", target.by(said...))
	})
}

// ExtendClaim makes the claim of a running card last ttl seconds from now (0
// means DefaultClaimTTL) and returns when it expires, in epoch seconds. Only
// the owner of the lock may do so.
func (b *Board) ExtendClaim(ctx context.Context, target Target, lock string, seconds int64) (int64, error) {
	var expires int64
	err := b.write(ctx, fmt.Sprintf("extend the claim on task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "held", core.Running); err != nil {
			return err
		}
		if !equal(task.ClaimLock, &lock) {
			return refused("it has %s, not that of %q", lockName(task.ClaimLock), lock)
		}
		expires = t.now + ttl(seconds)
		until := fields{{"claim_expires", expires}}
		if err := t.change(task, until); err != nil || task.CurrentRun == nil {
			return err
		}
		_, err = t.update("task_runs", until, "id = ? AND task_id = ?", *task.CurrentRun, task.ID)
		return err
	})
	return expires, err
}
