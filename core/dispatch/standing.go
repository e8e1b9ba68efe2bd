package dispatch

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// standing says what stands behind a running card, by the same rules that a tick
// judges it by, and why it is held if it is.
func (p *pass) standing(ctx context.Context, t core.Task) (behind, held string, err error) {
	cards, err := p.Board.RunningCards(ctx)
	if err != nil {
		return "", "", err
	}
	for _, c := range cards {
		if c.Task.ID == t.ID {
			l := p.look(c, p.Now(), p.Prober.Leftovers())
			behind, held = l.tell(judge(l, p.rules, p.Now()), p.Now())
			return behind + p.resultOf(l), held, nil
		}
	}
	findings, err := p.findings(ctx, t.ID)
	switch {
	case err != nil:
		return "", "", err
	case len(findings) == 0:
		return "its claim ended just now", "", nil
	case findings[0].Action == reconcile.Hold:
		return "its claim is broken, " + findings[0].Evidence, findings[0].Reason, nil
	}
	return fmt.Sprintf("its claim is broken, %s; the next tick releases it", findings[0].Evidence), "", nil
}

// resultOf says that a finished result of the run waits, which the next tick
// brings to the board instead of releasing the card.
func (p *pass) resultOf(l look) string {
	if p.Results == nil || l.card.Run == nil {
		return ""
	}
	switch waits, err := p.Results.HasPending(l.card.Task.ID, l.card.Run.ID); {
	case err != nil:
		return fmt.Sprintf("; it cannot be known whether a finished result waits: %v", err)
	case waits:
		return "; a finished result waits for the next tick"
	}
	return ""
}

// tell puts into words what was seen of a running card and what a tick makes of
// it.
func (l look) tell(f fate, now int64) (behind, held string) {
	said := []string{fmt.Sprintf("claimed as %q, no worker recorded", *l.card.Task.ClaimLock)}
	if l.card.Task.WorkerPID != nil {
		said[0] = l.sighting.Evidence
	}
	if l.lease == worker.LeaseHeld {
		said = append(said, "the lease of the run is held")
	}
	if beat := l.card.Heartbeat(); beat != nil {
		said = append(said, fmt.Sprintf("heartbeat %d s ago", now-*beat))
	} else {
		said = append(said, "no heartbeat")
	}
	behind = strings.Join(said, ", ")
	switch f.deed {
	case hold:
		return behind, f.why
	case stop:
		return fmt.Sprintf("%s; the next tick stops it (%s)", behind, strings.ReplaceAll(string(f.cause), "_", " ")), ""
	case end:
		return fmt.Sprintf("%s; the next tick ends its run (%s)", behind, strings.ReplaceAll(string(f.cause), "_", " ")), ""
	}
	return behind, ""
}

// findings are what reconciling would find about one card.
func (p *pass) findings(ctx context.Context, id string) ([]reconcile.Finding, error) {
	pass := reconcile.Pass{Board: p.Board, Prober: p.Prober, Now: p.Now}
	plan, err := pass.Plan(ctx, []string{id})
	return plan.Findings, err
}

// heldRunning is the gate of a running card that nobody may touch.
func (p *pass) heldRunning(ctx context.Context, c candidate) (string, error) {
	if c.task.Status != core.Running {
		return "", nil
	}
	_, held, err := p.standing(ctx, c.task)
	return held, err
}

// strayLock is the gate of a card that does not run and carries a lock: nobody
// claims it before the lock is off.
func (p *pass) strayLock(ctx context.Context, c candidate) (string, error) {
	if c.task.ClaimLock == nil || c.task.Status == core.Running {
		return "", nil
	}
	findings, err := p.findings(ctx, c.task.ID)
	for _, f := range findings {
		if f.Kind == reconcile.StaleLock {
			return fmt.Sprintf("%s (%s)", f.Reason, f.Evidence), nil
		}
	}
	return fmt.Sprintf("it carries the lock of %q", *c.task.ClaimLock), err
}
