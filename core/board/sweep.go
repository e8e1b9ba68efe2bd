package board

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// still reads a running card under the write lock and fails with
// core.ErrChanged unless it is what the sweep judged: same claim, same run,
// same worker, same heartbeat.
func (t *tx) still(c RunningCard) (*core.Task, error) {
	task, found, err := t.task(c.Task.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, core.ErrNotFound
	}
	was := c.Task
	if task.Status != was.Status || !equal(task.ClaimLock, was.ClaimLock) || !equal(task.ClaimExpires, was.ClaimExpires) ||
		!equal(task.CurrentRun, was.CurrentRun) || !equal(task.WorkerPID, was.WorkerPID) ||
		!equal(task.WorkerStarted, was.WorkerStarted) || !equal(task.LastHeartbeat, was.LastHeartbeat) {
		return nil, changed("the card is no longer what the sweep looked at")
	}
	return &task, nil
}

// RenewClaim lets a claim whose worker lives run until expires, in epoch
// seconds.
func (b *Board) RenewClaim(ctx context.Context, c RunningCard, expires int64) error {
	return b.write(ctx, fmt.Sprintf("extend the claim of task %q", c.Task.ID), func(t *tx) error {
		task, err := t.still(c)
		if err != nil {
			return err
		}
		if err := t.moveExpiry(task, expires); err != nil {
			return err
		}
		return t.event(task.ID, task.CurrentRun, "claim_extended", fields{
			{"reason", "pid_alive"}, {"worker_pid", task.WorkerPID}, {"claim_lock", task.ClaimLock},
			{"claim_expires_was", task.ClaimExpires}, {"claim_expires_now", expires}, {"last_heartbeat_at", task.LastHeartbeat},
		})
	})
}

// DeferClaim pushes a claim that ran out to expires, because its worker should
// have ended and did not. An episode of deferrals is told once.
func (b *Board) DeferClaim(ctx context.Context, c RunningCard, expires int64, stop core.Termination) error {
	return b.write(ctx, fmt.Sprintf("defer the reclaim of task %q", c.Task.ID), func(t *tx) error {
		task, err := t.still(c)
		if err != nil {
			return err
		}
		if err := t.moveExpiry(task, expires); err != nil {
			return err
		}
		var told bool
		if _, err := t.row(`SELECT kind = 'reclaim_deferred' FROM task_events WHERE task_id = ? AND run_id IS ?
			AND kind IN ('reclaim_deferred', 'claim_extended', 'claimed', 'heartbeat') ORDER BY id DESC LIMIT 1`,
			[]any{task.ID, task.CurrentRun}, &told); err != nil || told {
			return err
		}
		return t.event(task.ID, task.CurrentRun, "reclaim_deferred", fields{
			{"reason", "heartbeat_stale_worker_alive"}, {"claim_lock", task.ClaimLock}, {"claim_expires_now", expires},
		}.with(terminationFields(stop)))
	})
}

// moveExpiry sets when the claim runs out, on card and run.
func (t *tx) moveExpiry(task *core.Task, expires int64) error {
	set := fields{{"claim_expires", expires}}
	if err := t.change(task, set); err != nil || task.CurrentRun == nil {
		return err
	}
	_, err := t.update("task_runs", set, "id = ? AND ended_at IS NULL", *task.CurrentRun)
	return err
}

// SpawnFailed releases a claimed card whose worker could not be started, and
// counts it. It reports whether that blocked the card.
func (b *Board) SpawnFailed(ctx context.Context, claim Claimed, text string, failureLimit int64) (blocked bool, err error) {
	err = b.unstarted(ctx, claim, func(t *tx, task *core.Task, phase core.Status) error {
		f := failure{outcome: core.SpawnFailed, error: text, phase: phase, limit: failureLimit}
		count, limit, source, tripped := f.trips(task)
		if !tripped {
			return t.giveBack(task, core.SpawnFailed, phase, count, text, fields{{"failures", count}, {"retry_status", string(phase)}})
		}
		blocked = true
		return t.giveBack(task, core.GaveUp, core.Blocked, count, text, fields{
			{"failures", count}, {"effective_limit", limit}, {"limit_source", source},
			{"trigger_outcome", string(core.SpawnFailed)}, {"retry_status", string(phase)},
		})
	})
	return blocked, err
}

// SpawnPrevented releases a claimed card whose worker was not started for a
// reason that is not the card's. It does not count as a failure of the card.
func (b *Board) SpawnPrevented(ctx context.Context, claim Claimed, text string) error {
	return b.unstarted(ctx, claim, func(t *tx, task *core.Task, phase core.Status) error {
		return t.giveBack(task, core.SpawnFailed, phase, task.Failures, text, fields{
			{"failures", task.Failures}, {"retry_status", string(phase)}, {"infrastructure", true},
		})
	})
}

// unstarted does something to a card that is still held by a claim whose worker
// never began.
func (b *Board) unstarted(ctx context.Context, claim Claimed, do func(t *tx, task *core.Task, phase core.Status) error) error {
	return b.write(ctx, fmt.Sprintf("record that task %q could not be started", claim.Task.ID), func(t *tx) error {
		task, found, err := t.task(claim.Task.ID)
		if err != nil {
			return err
		}
		if !found || task.Status != core.Running || !equal(task.CurrentRun, &claim.Run) || !equal(task.ClaimLock, &claim.Lock) {
			return changed("the card is no longer held by run %d", claim.Run)
		}
		phase, err := t.phase(&task)
		if err != nil {
			return err
		}
		return do(t, &task, phase)
	})
}

// giveBack ends the run of a claim and lets go of the card.
func (t *tx) giveBack(task *core.Task, outcome core.Outcome, to core.Status, failures int64, text string, said fields) error {
	short := cut(text, shownError)
	set := unclaimed(field{"status", string(to)}, field{"worker_started_at", nil},
		field{"consecutive_failures", failures}, field{"last_failure_error", short})
	if err := t.change(task, set); err != nil {
		return err
	}
	metadata := pythonJSON(said)
	run, err := t.endRun(task, ending{outcome: outcome, error: &short, metadata: &metadata})
	if err != nil {
		return err
	}
	return t.event(task.ID, run, string(outcome), append(fields{{"error", short}}, said...))
}

// lackingError says which columns a dispatcher misses on this board.
func (s schema) lackingError(path string) error {
	lacking := s.lacking()
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("board %q: %w (it lacks %s)", path, ErrTooOld, strings.Join(lacking, ", "))
}
