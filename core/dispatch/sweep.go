package dispatch

import (
	"context"
	"errors"
	"slices"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// expired acts on claims that ran out: a living worker's claim is renewed, a
// claim with nobody behind it is released.
func (p *pass) expired(ctx context.Context) error {
	for _, v := range p.verdicts {
		var err error
		switch v.deed {
		case renew:
			if !p.DryRun {
				err = p.Board.RenewClaim(ctx, v.card, p.Now()+p.rules.ClaimTTL)
			}
		case deferred:
			p.hold(v.card.Task.ID, v.why)
			if !p.DryRun && p.Now() > *v.card.Task.ClaimExpires {
				err = p.Board.DeferClaim(ctx, v.card, p.Now()+deferral, v.stopped)
			}
		}
		if err != nil {
			p.trouble(v.card.Task.ID, err)
		}
	}
	return p.endEach(ctx, board.Expired, board.NeverStarted, board.Prevented)
}

// stale releases cards whose worker lived in silence and was stopped.
func (p *pass) stale(ctx context.Context) error { return p.endEach(ctx, board.Silent) }

// overTime releases cards whose worker took longer than its limit and was
// stopped.
func (p *pass) overTime(ctx context.Context) error { return p.endEach(ctx, board.OverTime) }

// crashed releases the cards of workers that are gone, all in one transaction,
// so that what broke them all is seen as one thing.
func (p *pass) crashed(ctx context.Context) error {
	endings := p.endings(board.Died, board.CleanExit, board.Quota, board.CannotWork, board.Restarted)
	return severally(ctx, p, endings, taskOf, func(some []board.Ending) error { return p.endAll(ctx, some) })
}

func taskOf(e board.Ending) string { return e.Card.Task.ID }

// severally writes many cards at once and, where one of them spoils that, each
// by itself. The error says that the board as a whole cannot be written.
func severally[T any](ctx context.Context, p *pass, cards []T, task func(T) string, write func([]T) error) error {
	err := write(cards)
	if err == nil || unusable(ctx, err) {
		return err
	}
	for i := range cards {
		if err := write(cards[i : i+1]); unusable(ctx, err) {
			return err
		} else if err != nil {
			p.trouble(task(cards[i]), err)
		}
	}
	return nil
}

// unusable reports whether err is about more than the rows that were to be
// written.
func unusable(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || board.Unusable(err) || errors.Is(err, board.ErrBusy) || errors.Is(err, board.ErrFull))
}

// endEach ends the runs with these causes one by one: a card that cannot be
// released keeps no other from it.
func (p *pass) endEach(ctx context.Context, causes ...board.Cause) error {
	for _, e := range p.endings(causes...) {
		if err := p.endAll(ctx, []board.Ending{e}); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.trouble(e.Card.Task.ID, err)
		}
	}
	return nil
}

// endings lists what is to end with one of these causes. A card that was
// released before in this tick is not among them.
func (p *pass) endings(causes ...board.Cause) []board.Ending {
	var out []board.Ending
	for _, v := range p.verdicts {
		ends := v.deed == end || v.deed == stop
		if !ends || !slices.Contains(causes, v.cause) || p.released[v.card.Task.ID] {
			continue
		}
		e := board.Ending{
			Card: v.card, Cause: v.cause, Exit: v.exit, Stop: v.stopped, HeartbeatStale: v.stale, Limit: v.limit,
			Elapsed: p.Now() - v.who.RunStarted,
		}
		if e.Exit != nil {
			e.Output = process.LastOutput(p.logFile(v.card.Task.ID))
		}
		if v.deed == end {
			e.Stop.PrevPID, e.Stop.HostLocal = v.card.Task.WorkerPID, v.card.Task.WorkerPID != nil && !v.sighting.Elsewhere
			e.Stop.Terminated = e.Stop.HostLocal
		}
		out = append(out, e)
	}
	return out
}

// endAll ends runs in one transaction and reports them by what happened.
func (p *pass) endAll(ctx context.Context, endings []board.Ending) error {
	endings = p.unfinished(ctx, endings)
	ended := make([]board.Ended, 0, len(endings))
	for _, e := range endings {
		ended = append(ended, board.Ended{Task: e.Card.Task.ID, Cause: e.Cause})
	}
	if !p.DryRun {
		var err error
		limits := board.Limits{Failures: p.rules.FailureLimit, Restarts: restartsFree}
		if ended, err = p.Board.EndRuns(ctx, endings, limits); err != nil {
			return err
		}
	}
	for _, e := range ended {
		p.released[e.Task] = true
		list := map[board.Cause]*[]string{
			board.Expired: &p.Reclaimed, board.Restarted: &p.Reclaimed, board.NeverStarted: &p.Reclaimed, board.Prevented: &p.Reclaimed,
			board.Silent: &p.Stale, board.OverTime: &p.TimedOut, board.Quota: &p.RateLimited,
		}[e.Cause]
		if list == nil {
			list = &p.Crashed
		}
		*list = append(*list, e.Task)
		if e.Blocked {
			p.AutoBlocked = append(p.AutoBlocked, e.Task)
		}
	}
	return nil
}
