package dispatch

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// Times in seconds that the rules of a running card are made of.
const (
	silence    = 3600 // without a heartbeat, a worker counts as wedged and a foreign claim as worthless
	deferral   = 120  // how far a claim is pushed whose worker should have ended and did not
	leftBehind = 120  // how long what a dead worker left running is given to end by itself
)

// look is one running card with everything that was observed about it in this
// tick.
type look struct {
	card     board.RunningCard
	who      process.Worker // what the card says about its worker
	sighting core.Sighting
	lease    worker.LeaseState
	left     int           // living processes of the worker's own group and session
	unseen   string        // why these cannot be counted, empty where they were
	exit     *board.Exit   // how it ended, where that is known
	ending   bool          // it is a child of ours, and its exit comes in a moment
	launch   Launch        // what our own record of the start says
	claimer  core.Sighting // the process that made the claim
	// jumped is when the wall clock was last seen to jump, in epoch seconds; 0
	// never. What was written down before that moment has no age that counts.
	jumped int64
}

// Launch is what our record of the start of a run says.
type Launch int

// A record is written before the claim commits and taken away once the
// worker's pid is on the board; one of a tick that was run once is kept until
// the run has ended.
const (
	NoLaunch  Launch = iota
	CutOff           // the dispatcher that wanted to start the worker is gone
	Unstarted        // this dispatcher could not start the worker, nor write that down
	UnderWay         // it lives
	RanOnce          // claimed by a dispatcher that was to run only one tick
	Unlegible        // there is a record, but it cannot be read
)

// deed is what a tick does about a running card.
type deed int

const (
	leave    deed = iota // nothing to do and nothing to show
	hold                 // write nothing, show why, look again
	renew                // the claim of a living worker
	stop                 // end the worker first, then the run
	end                  // the run
	deferred             // push the claim of a worker that should have ended and did not
)

// fate is the verdict on a running card.
type fate struct {
	deed  deed
	cause board.Cause // for stop and end
	why   string      // for hold, in one line
	limit int64       // seconds; for a cause that has a limit
	stale bool        // the claim of a living worker ran out without a heartbeat
}

func holding(format string, args ...any) fate {
	return fate{deed: hold, why: fmt.Sprintf(format, args...)}
}

// judge decides about one running card, by the first rule that fits. It is pure:
// everything that it rests on is in the look and the rules.
func judge(l look, rules Rules, now int64) fate {
	t := l.card.Task
	switch {
	case t.IsOdd("worker_pid") || t.IsOdd("claim_expires"):
		return holding("a number of its claim cannot be read; the card is left alone")
	case t.WorkerPID == nil:
		return l.withoutWorker(now)
	case l.lease == worker.LeaseHeld && l.sighting.Verdict.Gone():
		return l.descendants(now)
	case l.sighting.Verdict == core.AliveOurs:
		return l.alive(rules, now)
	case l.sighting.Verdict == core.Unknown:
		return l.unknown(now)
	case l.ending:
		return holding("its worker has just ended; how is not known yet")
	case l.unseen != "":
		return holding("it cannot be told what its worker left running: %s", l.unseen)
	case l.left > 0:
		return l.descendants(now)
	}
	return l.gone(rules, now)
}

// withoutWorker: a claim made by hand never has a worker and is kept until it
// runs out; a launch of ours that was cut off is known at once.
func (l look) withoutWorker(now int64) fate {
	switch {
	case l.lease == worker.LeaseHeld:
		return holding("its worker is starting")
	case l.launch == Unstarted:
		return fate{deed: end, cause: board.Prevented}
	case l.launch == CutOff:
		return fate{deed: end, cause: board.NeverStarted}
	case l.launch == Unlegible:
		return holding("the record of its start cannot be read")
	case now <= *l.card.Task.ClaimExpires || l.launch == UnderWay:
		return fate{}
	case l.who.HeartbeatWins():
		return holding("its claim ran out, but a heartbeat came %d s ago", now-*l.who.Heartbeat)
	}
	return fate{deed: end, cause: board.Expired}
}

// descendants: the worker is gone, but processes that it started are not. They
// may still write into the workspace, so nobody else may start there. What has
// left the worker's group and session cannot be told from strangers, except by
// the lease that it holds.
func (l look) descendants(now int64) fate {
	if l.left == 0 {
		return holding("its worker is gone, but a process that it started holds the lease of the run")
	}
	if l.who.RunStarted > 0 && now-l.lastSign() < leftBehind {
		return holding("its worker is gone, but processes that it started still run")
	}
	return fate{deed: stop, cause: board.Died}
}

// lastSign is the newest moment at which the worker is known to have lived.
func (l look) lastSign() int64 {
	if beat := l.who.Heartbeat; beat != nil {
		return *beat
	}
	return l.who.RunStarted
}

// alive: within its limits the worker is left alone and its claim renewed. A
// heartbeat that is too old means a wedged worker, whether the claim ran out or
// the stale timeout did.
func (l look) alive(rules Rules, now int64) fate {
	t := l.card.Task
	elapsed, silent := now-max(l.who.RunStarted, l.jumped), l.silent(now)
	switch {
	case rules.StaleTimeout > 0 && l.who.RunStarted > 0 && elapsed >= rules.StaleTimeout && silent:
		return fate{deed: stop, cause: board.Silent, limit: rules.StaleTimeout}
	case t.MaxRuntime != nil && *t.MaxRuntime > 0 && l.card.Run != nil && elapsed > *t.MaxRuntime:
		return fate{deed: stop, cause: board.OverTime, limit: *t.MaxRuntime}
	case now <= *t.ClaimExpires:
		return fate{}
	case l.who.Heartbeat != nil && silent:
		return fate{deed: stop, cause: board.Expired, stale: true}
	}
	return fate{deed: renew}
}

func (l look) silent(now int64) bool {
	return l.who.Heartbeat == nil && now-l.jumped >= silence || l.who.Heartbeat != nil && now-max(*l.who.Heartbeat, l.jumped) >= silence
}

// unknown: nobody can tell. A claim of another machine is released when it has
// run out and nothing was heard for long; everything else is held.
func (l look) unknown(now int64) fate {
	expired := now > *l.card.Task.ClaimExpires
	if l.sighting.Elsewhere {
		switch {
		case !expired:
			return fate{}
		case l.silent(now):
			return fate{deed: end, cause: board.Expired}
		case l.who.Heartbeat == nil:
			return holding("its claim on another machine ran out, but the clock has just been set")
		}
		return holding("its claim ran out, but a heartbeat came %d s ago from another machine", now-*l.who.Heartbeat)
	}
	return holding("liveness unknown: %s", l.sighting.Evidence)
}

// gone: the worker is proven not to live. A heartbeat beats a pid that may only
// be out of sight, never a death that is certain.
func (l look) gone(rules Rules, now int64) fate {
	certain := l.exit != nil || l.sighting.Certain
	switch {
	case !certain && l.who.HeartbeatWins():
		return holding("alive by heartbeat, although %s", l.sighting.Evidence)
	case !certain && l.sighting.Verdict == core.Dead && now-l.who.RunStarted < rules.CrashGrace:
		return holding("its worker may still be starting: %s", l.sighting.Evidence)
	}
	return fate{deed: end, cause: l.endsAs()}
}

// endsAs reads from the exit how the run is to be booked.
func (l look) endsAs() board.Cause {
	switch {
	case l.exit == nil:
		if l.restarted() {
			return board.Restarted
		}
		return board.Died
	case l.exit.FromOutside() && l.restarted():
		return board.Restarted
	case l.exit.Signaled:
		return board.Died
	}
	switch l.exit.Code {
	case 0:
		return board.CleanExit
	case exitQuota:
		return board.Quota
	case exitConfig:
		return board.CannotWork
	case exitAborted:
		return board.NeverStarted
	}
	return board.Died
}

// Exit codes with a meaning between dispatcher and worker.
const (
	exitQuota   = 75
	exitConfig  = 78
	exitAborted = 76
)

// restarted: the dispatcher that claimed the card is gone too, so both went down
// together. A claim of a dispatcher that ran only one tick says nothing of the
// kind, because that one has ended in any case.
func (l look) restarted() bool {
	return l.launch != RanOnce && l.claimer.Verdict.Gone() && !l.claimer.Elsewhere
}
