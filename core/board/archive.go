package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Archived tells what an archived card had behind it.
type Archived struct {
	ID  string
	Run *int64 // the run that was ended, nil if none was open
	// WasRunning: the worker below has to be stopped and the stop recorded with
	// RecordArchiveTermination, which also lets the children go on.
	WasRunning    bool
	ClaimLock     *string
	WorkerPID     *int64
	WorkerStarted *string
}

// Archive puts a card away, whatever it is. Where saw is given, it names the
// worker that was looked at, and the card is left alone if it names another one
// by now. The worker of a running card is to be stopped after the commit, so
// that only the one who archived the card stops it: no other worker can be
// started for an archived card.
func (b *Board) Archive(ctx context.Context, target Target, saw *core.Sighting) (Archived, error) {
	var a Archived
	err := b.write(ctx, fmt.Sprintf("archive task %q", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if task.Status == core.Archived {
			return refused("the card is archived already")
		}
		if saw != nil {
			if err := checkWorker(task, *saw); err != nil {
				return err
			}
		}
		a, err = t.archive(task, target)
		return err
	})
	return a, err
}

func (t *tx) archive(task *core.Task, target Target) (Archived, error) {
	a := Archived{
		ID: task.ID, WasRunning: task.Status == core.Running,
		ClaimLock: task.ClaimLock, WorkerPID: task.WorkerPID, WorkerStarted: task.WorkerStarted,
	}
	err := t.change(task, unclaimed(field{"status", string(core.Archived)}, field{"worker_started_at", nil}))
	if err != nil {
		return a, err
	}
	a.Run, err = t.endRun(task, ending{outcome: core.Reclaimed, summary: new("task archived with run still active")})
	if err != nil {
		return a, err
	}
	if err := t.event(task.ID, a.Run, "archived", target.by()); err != nil || a.WasRunning {
		return a, err
	}
	return a, t.releaseChildren(task.ID)
}

// RecordArchiveTermination records how the worker of a card that was archived
// while it ran was stopped, and lets the card's children go on.
func (b *Board) RecordArchiveTermination(ctx context.Context, a Archived, stop core.Termination) error {
	return b.write(ctx, fmt.Sprintf("record the stop of the worker of task %q", a.ID), func(t *tx) error {
		if err := t.event(a.ID, a.Run, "archive_worker_termination", terminationFields(stop)); err != nil {
			return err
		}
		return t.releaseChildren(a.ID)
	})
}

// releaseChildren lets go of the cards that wait for this one.
func (t *tx) releaseChildren(id string) error {
	children, err := t.children(id)
	if err != nil {
		return err
	}
	return t.release(children)
}
