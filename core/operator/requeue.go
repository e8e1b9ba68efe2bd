package operator

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// Prober says whether a recorded worker lives.
type Prober interface {
	Sight(w process.Worker) core.Sighting
}

// Stopper ends a worker that is proven to be ours.
type Stopper interface {
	Stop(ctx context.Context, w process.Worker) core.Termination
}

// Operator acts on single cards for a person.
type Operator struct {
	Board   *board.Board
	Prober  Prober
	Stopper Stopper
	Actor   string       // who asks; kept in the event
	Host    string       // of this machine, as in our claim locks
	Now     func() int64 // epoch seconds
}

// Refusals that a caller must be able to tell from others. Each of them is also
// a core.ErrRefused.
var (
	// ErrCannotTell: a worker may live, and the person did not say that none does.
	ErrCannotTell = fmt.Errorf("%w: nobody can tell whether a worker lives", core.ErrRefused)
	// ErrSurvives: the worker was told to end and still lives.
	ErrSurvives = fmt.Errorf("%w: the worker cannot be stopped", core.ErrRefused)
)

// Requeue releases the card for another attempt, just as it was seen. A worker
// that is proven ours is stopped first. saysDead is the person's word that no
// worker lives; it is asked for only where nothing proves it, and the event
// keeps it together with what could not be told.
func (o *Operator) Requeue(ctx context.Context, seen Standing, saysDead bool, reason string) (core.Status, error) {
	id := seen.Task.ID
	now, err := o.Look(ctx, id)
	if err != nil {
		return "", fmt.Errorf("requeue task %q: %w", id, err)
	}
	if err := seen.Card().differs(&now.Task); err != nil {
		return "", fmt.Errorf("requeue task %q: %w", id, err) // its worker of now was never shown
	}
	request := board.ReclaimRequest{Saw: now.Sighting}
	if reason != "" {
		request.Reason = &reason
	}
	if now.NeedsDeadWord {
		if !saysDead {
			return "", fmt.Errorf("requeue task %q: %w: %s; say so (--assume-dead) if you know that none does", id, ErrCannotTell, now.Unknown())
		}
		request.SaysDead = now.Unknown()
	}
	guard := seen.Task.See()
	request.Target = board.Target{ID: id, Seen: &guard, Actor: o.Actor}
	if request.Stop, err = o.stop(ctx, now); err != nil {
		return "", fmt.Errorf("requeue task %q: %w", id, err)
	}
	return o.Board.Reclaim(ctx, request)
}

// StopWorker stops the worker and leaves the card as it is: the next tick finds
// the worker dead. It does nothing to a worker that is not proven ours.
func (o *Operator) StopWorker(ctx context.Context, id string) (core.Termination, error) {
	now, err := o.Look(ctx, id)
	if err != nil {
		return core.Termination{}, fmt.Errorf("stop the worker of task %q: %w", id, err)
	}
	if now.Sighting.Verdict != core.AliveOurs {
		return core.Termination{}, fmt.Errorf("stop the worker of task %q: %w: %s", id, core.ErrRefused, now.Sighting.Evidence)
	}
	report, err := o.stop(ctx, now)
	if err != nil {
		err = fmt.Errorf("stop the worker of task %q: %w", id, err)
	}
	return report, err
}

// stop ends the worker where it is proven ours and says what was done.
func (o *Operator) stop(ctx context.Context, s Standing) (core.Termination, error) {
	report := core.Termination{PrevPID: s.Task.WorkerPID, HostLocal: !s.Sighting.Elsewhere && s.Task.WorkerPID != nil}
	switch s.Sighting.Verdict {
	case core.Dead:
		report.Terminated = report.HostLocal
		return report, nil
	case core.AliveOther:
		report.Terminated, report.PIDRecycled = true, true
		return report, nil
	case core.Unknown:
		return report, nil
	}
	w := process.Worker{
		TaskID: s.Task.ID, PID: s.Task.WorkerPID, Fingerprint: s.Task.WorkerStarted, Lock: s.Task.ClaimLock, Now: o.Now(),
	}
	if s.Run != nil {
		w.RunStarted = s.Run.StartedAt
	}
	report = o.Stopper.Stop(ctx, w)
	if !report.Terminated {
		return report, errors.Join(ErrSurvives, ctx.Err())
	}
	return report, nil
}
