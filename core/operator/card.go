package operator

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// Card is a card as a person had it before the eyes when deciding. Everything
// that takes one is refused with core.ErrChanged where the card is another by
// then, and has done nothing.
type Card struct {
	ID   string
	Seen core.Seen
}

// Card is what the standing shows, for what is decided from it.
func (s Standing) Card() Card { return Card{s.Task.ID, s.Task.See()} }

func (o *Operator) target(c Card) board.Target {
	return board.Target{ID: c.ID, Seen: &c.Seen, Actor: o.Actor}
}

// differs says how the card is no longer what was seen, before anything is done
// that could not be taken back.
func (c Card) differs(now *core.Task) error {
	switch {
	case c.Seen.Generation != now.Generation:
		return fmt.Errorf("%w: the board file was replaced since it was looked at", core.ErrChanged)
	case c.Seen.Status != now.Status:
		return fmt.Errorf("%w: it was %q and is now %q", core.ErrChanged, c.Seen.Status, now.Status)
	case !same(c.Seen.RunID, now.CurrentRun), !same(c.Seen.ClaimLock, now.ClaimLock):
		return fmt.Errorf("%w: another worker has it now", core.ErrChanged)
	}
	return nil
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Held reports whether a run, a claim or a worker stands behind the card.
func (s Standing) Held() bool {
	return s.Task.Status == core.Running || s.Task.ClaimLock != nil || s.Task.WorkerPID != nil
}

// Stoppable reports whether a worker lives that is proven to be this card's.
func (s Standing) Stoppable() bool { return s.Held() && s.Sighting.Verdict == core.AliveOurs }

// vacate makes sure that nobody works on a card that is to be taken from its
// run. A worker that is proven ours is stopped if the person said so.
func (o *Operator) vacate(ctx context.Context, c Card, stop bool) (Standing, core.Termination, error) {
	now, err := o.Look(ctx, c.ID)
	if err != nil {
		return now, core.Termination{}, err
	}
	if err := c.differs(&now.Task); err != nil || !now.Held() {
		return now, core.Termination{}, err
	}
	switch {
	case now.NeedsDeadWord:
		return now, core.Termination{}, fmt.Errorf("%w: %s; requeue the card first, which asks for your word", ErrCannotTell, now.Unknown())
	case now.Sighting.Verdict == core.AliveOurs && !stop:
		return now, core.Termination{}, fmt.Errorf("%w: %s; stop it first", board.ErrLiveWorker, now.Sighting.Evidence)
	}
	report, err := o.stop(ctx, now)
	return now, report, err
}

// given is a text that may be left out.
func given(words string) *string {
	if words == "" {
		return nil
	}
	return &words
}
