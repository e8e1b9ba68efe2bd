package lane

import (
	"context"
	"errors"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// beatEvery is the time between two heartbeats.
const beatEvery = 30 * time.Second

// beat gives heartbeats and renews the claim until it is stopped. A run that was
// lost ends the work. A board that cannot be used for a while does not: the
// dispatcher sees that this process lives.
func (r *Runner) beat(ctx context.Context, end func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.log.say("the heartbeat failed: %v", p)
			}
		}()
		silent := false
		for {
			err := r.beatOnce(ctx)
			switch {
			case lostRun(err):
				r.log.say("the run was taken from this worker: %v", err)
				r.lost.Store(true)
				end()
				return
			case err != nil && ctx.Err() == nil && !silent:
				r.log.say("no heartbeat could be given, the work goes on: %v", err)
			}
			silent = err != nil
			select {
			case <-ctx.Done():
				return
			case <-r.After(beatEvery):
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (r *Runner) beatOnce(ctx context.Context) error {
	target := board.Target{ID: r.Task, Run: &r.Run}
	if err := r.Board.Heartbeat(ctx, target, ""); err != nil {
		return err
	}
	_, err := r.Board.ExtendClaim(ctx, target, r.Lock, r.TTL)
	return err
}

// lostRun reports whether err says that the card works on another run, or on
// none.
func lostRun(err error) bool {
	return errors.Is(err, core.ErrChanged) || errors.Is(err, core.ErrRefused) || errors.Is(err, core.ErrNotFound)
}
