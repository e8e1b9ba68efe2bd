package dispatch

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// Gate is one condition between a card and a running worker. Its keys are part
// of the command line's contract.
type Gate struct {
	Name   string `json:"name"`
	Open   bool   `json:"open"`
	Reason string `json:"reason"` // why it is closed, in one line; empty when open
	Opens  string `json:"opens"`  // what opens it
}

// candidate is a card that asks to be started.
type candidate struct {
	task core.Task
	lane core.Status // Ready or Review: the queue it stands in
}

// assignee is who would work on it: its owner, or the default assignee where it
// has none.
func (p *pass) assignee(c candidate) string {
	if c.task.Assignee != "" {
		return c.task.Assignee
	}
	if d := p.rules.DefaultAssignee; d != "" && p.mayRun(d) == "" {
		return d
	}
	return ""
}

// cardGate is a gate that concerns one card. closed returns the reason why it is
// closed, or nothing.
type cardGate struct {
	name, opens string
	closed      func(*pass, context.Context, candidate) (string, error)
}

// ownerGates look at nothing but who owns a card.
var ownerGates = []cardGate{
	{"owner", "assign it", (*pass).noOwner},
	{"profile", "assign it to somebody who can be started", (*pass).noProfile},
}

// cardGates are asked in this order of a card whose owner can be started; a tick
// stops at the first one that is closed, `why` shows them all.
var cardGates = append(waitingGates[:len(waitingGates):len(waitingGates)],
	cardGate{"outage", "wait for one of the next ticks", (*pass).afterOutage},
)

// waitingGates are those that may be asked again and again: none of them counts.
var waitingGates = []cardGate{
	{"this tick", "wait for the next tick", (*pass).justReleased},
	{"guard", "wait, or move the card by hand", (*pass).guarded},
	{"earlier worker", "wait for it to end, or stop it", (*pass).earlierWorker},
}

// restartsPerTick is how many cards that went down with their dispatcher are
// started again in one tick, so that an outage is not followed by a rush.
const restartsPerTick = 4

// afterOutage comes last: a card that passes it will be started.
func (p *pass) afterOutage(ctx context.Context, c candidate) (string, error) {
	past, err := p.Board.PastWorkers(ctx, c.task.ID)
	if err != nil || len(past) == 0 || !past[0].Restarted {
		return "", err
	}
	p.unsettled = true
	if p.restarts == restartsPerTick {
		return "restarted after an outage, a few cards at a time", nil
	}
	p.restarts++
	return "", nil
}

// firstClosed returns the reason of the first gate that is closed, or nothing.
func firstClosed(p *pass, ctx context.Context, c candidate, gates []cardGate) (string, error) {
	for _, gate := range gates {
		if why, err := gate.closed(p, ctx, c); why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}

func (p *pass) noOwner(_ context.Context, c candidate) (string, error) {
	if p.assignee(c) == "" {
		if c.lane == core.Review {
			return "review without owner", nil
		}
		return "no owner", nil
	}
	return "", nil
}

func (p *pass) noProfile(_ context.Context, c candidate) (string, error) {
	name := p.assignee(c)
	if name == "" {
		return "", nil
	}
	return p.mayRun(name), nil
}

// mayRun says why nobody can be started under this name, or nothing. Each name is
// looked up once a tick.
func (p *pass) mayRun(name string) string {
	why, known := p.names[name]
	if !known {
		why = p.Starter.Knows(name)
		if why == "" && !p.rules.Allows(name) {
			why = fmt.Sprintf("profile not among kanban.dispatch_profiles: %q", name)
		}
		p.names[name] = why
	}
	return why
}

func (p *pass) justReleased(_ context.Context, c candidate) (string, error) {
	if p.released[c.task.ID] {
		return "released in this tick; it may start in the next", nil
	}
	return "", nil
}

// guarded asks Hermes' respawn guards. A guard is told on the card when it
// begins, not in each tick.
func (p *pass) guarded(ctx context.Context, c candidate) (string, error) {
	guard, err := p.Board.GuardedBy(ctx, c.task.ID, c.lane, p.rules.RateLimitCooldown)
	if guard == nil || err != nil {
		return "", err
	}
	if p.writes() {
		if _, err := p.Board.RecordGuard(ctx, c.task.ID, c.lane, guard.Reason); err != nil {
			return "", err
		}
	}
	p.due = min(p.due, guard.Until)
	left := time.Duration(guard.Until-p.Now()) * time.Second
	return fmt.Sprintf("%s for another %s", guardWords[guard.Reason], left), nil
}

// guardWords say Hermes' names of guards in plain words.
var guardWords = map[string]string{
	"infrastructure_cooldown": "waiting after a failed start",
	"rate_limit_cooldown":     "waiting for a quota",
	"blocker_auth":            "waiting after a refused login",
	"recent_success":          "completed just now; nobody asked again",
	"active_pr":               "a pull request is open",
}

// earlierWorker looks whether a worker of an ended run of the card may still be
// there. The worker itself holds the card however its run ended; what it left
// running holds it only where it did not report by itself.
func (p *pass) earlierWorker(ctx context.Context, c candidate) (string, error) {
	past, err := p.Board.PastWorkers(ctx, c.task.ID)
	if err != nil {
		return "", err
	}
	leftovers := p.Prober.Leftovers()
	for _, w := range past {
		who := process.Worker{
			TaskID: c.task.ID, PID: w.Run.WorkerPID, Fingerprint: w.Run.WorkerStarted, Lock: w.Run.ClaimLock,
			RunStarted: w.Run.StartedAt, Now: p.Now(),
		}
		s := p.Prober.Sight(who)
		if s.Elsewhere {
			continue // nothing here can tell, and its own machine looked before it let go
		}
		if !s.Verdict.Gone() {
			p.unsettled = true
			return fmt.Sprintf("an earlier worker may still live: run %d, %s", w.Run.ID, s.Evidence), nil
		}
		if w.Clean {
			continue
		}
		left, err := leftovers(who)
		if err != nil {
			return "", err
		}
		if len(left) > 0 || p.runs().Lease(c.task.ID, w.Run.ID) == worker.LeaseHeld {
			p.unsettled = true
			return fmt.Sprintf("processes of an earlier worker still run: run %d", w.Run.ID), nil
		}
	}
	return "", nil
}

// writes reports whether this tick writes what it finds.
func (p *pass) writes() bool { return !p.DryRun && !p.NoSpawn }
