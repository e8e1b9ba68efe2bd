package dispatch

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// silence is how many seconds without a heartbeat make a claim from another
// machine worthless once it has run out.
const silence = 3600

// worker is what a running card says about its worker.
func (p *pass) worker(c board.RunningCard) process.Worker {
	w := process.Worker{
		TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock,
		Heartbeat: c.Heartbeat(), Now: p.Now(),
	}
	if c.Run != nil {
		w.RunStarted = c.Run.StartedAt
	} else if c.Task.StartedAt != nil {
		w.RunStarted = *c.Task.StartedAt
	}
	return w
}

// expired looks at claims that ran out: a living worker's claim is renewed, a
// claim with nobody behind it is released, and what cannot be told is held. A
// worker that is gone is the business of the sweep for crashes.
func (p *pass) expired(ctx context.Context) error {
	cards, err := p.Board.RunningCards(ctx)
	if err != nil {
		return err
	}
	for _, c := range cards {
		if c.Task.ClaimExpires == nil || *c.Task.ClaimExpires >= p.Now() || c.Task.IsOdd("worker_pid") {
			continue
		}
		if err := p.judgeExpired(ctx, c); err != nil {
			p.trouble(c.Task.ID, err)
		}
	}
	return nil
}

func (p *pass) judgeExpired(ctx context.Context, c board.RunningCard) error {
	w := p.worker(c)
	if c.Task.WorkerPID == nil {
		return p.reclaim(ctx, c)
	}
	s := p.Prober.Sight(w)
	switch {
	case s.Verdict == core.AliveOurs:
		if p.DryRun {
			return nil
		}
		return p.Board.RenewClaim(ctx, c, p.Now()+p.rules.ClaimTTL)
	case s.Verdict.Gone():
		return nil
	case w.Heartbeat == nil || p.Now()-*w.Heartbeat >= silence:
		if s.Elsewhere {
			return p.reclaim(ctx, c)
		}
	}
	p.hold(c.Task.ID, "its claim ran out, but "+s.Evidence)
	return nil
}

// reclaim releases a card whose claim ran out with nobody behind it.
func (p *pass) reclaim(ctx context.Context, c board.RunningCard) error {
	if !p.DryRun {
		blocked, err := p.Board.EndExpired(ctx, c, core.Termination{PrevPID: c.Task.WorkerPID}, p.rules.FailureLimit)
		if err != nil {
			return err
		}
		if blocked {
			p.AutoBlocked = append(p.AutoBlocked, c.Task.ID)
		}
	}
	p.Reclaimed = append(p.Reclaimed, c.Task.ID)
	p.released[c.Task.ID] = true
	return nil
}

// crashed releases cards whose recorded worker is gone. A fresh heartbeat beats
// a pid that is out of sight, unless the worker was our own child and its end
// is known.
func (p *pass) crashed(ctx context.Context) error {
	cards, err := p.Board.RunningCards(ctx)
	if err != nil {
		return err
	}
	var crashes []board.Crash
	for _, c := range cards {
		if c.Task.WorkerPID == nil || p.released[c.Task.ID] {
			continue
		}
		w := p.worker(c)
		s := p.Prober.Sight(w)
		exit, known := p.Exits.Exit(*c.Task.WorkerPID)
		switch {
		case s.Verdict == core.AliveOurs:
		case !s.Verdict.Gone():
			if *c.Task.ClaimExpires >= p.Now() { // a claim that ran out was held by the sweep before
				p.hold(c.Task.ID, "liveness unknown: "+s.Evidence)
			}
		case !known && w.HeartbeatWins():
			p.hold(c.Task.ID, fmt.Sprintf("alive by heartbeat, although %s", s.Evidence))
		case !known && p.Now()-w.RunStarted < p.rules.CrashGrace:
			p.hold(c.Task.ID, "its worker may still be starting: "+s.Evidence)
		default:
			crashes = append(crashes, crashOf(c, exit, known))
		}
	}
	return p.release(ctx, crashes)
}

func (p *pass) release(ctx context.Context, crashes []board.Crash) error {
	ids := make([]string, 0, len(crashes))
	for _, c := range crashes {
		ids = append(ids, c.Card.Task.ID)
	}
	if !p.DryRun {
		released, blocked, err := p.Board.EndCrashed(ctx, crashes, p.rules.FailureLimit)
		if err != nil {
			return err
		}
		ids = released
		p.AutoBlocked = append(p.AutoBlocked, blocked...)
	}
	p.Crashed = append(p.Crashed, ids...)
	for _, id := range ids {
		p.released[id] = true
	}
	return nil
}

func crashOf(c board.RunningCard, exit process.Exit, known bool) board.Crash {
	crash := board.Crash{Card: c}
	switch {
	case !known:
	case exit.Signal != 0:
		crash.Exit, crash.ExitKind, crash.ExitCode = exit.String(), "signaled", int64(exit.Signal)
	default:
		crash.Exit, crash.ExitKind, crash.ExitCode = exit.String(), "exited", int64(exit.Code)
	}
	return crash
}
