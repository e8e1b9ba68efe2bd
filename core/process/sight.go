package process

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Worker is what a board recorded about the worker of one run. Times are whole
// seconds since the epoch.
type Worker struct {
	TaskID      string
	PID         *int64
	Fingerprint *string
	Lock        *string // claim lock, "host:pid" of the claimer
	RunStarted  int64
	Heartbeat   *int64
	Now         int64
}

// Freshness in seconds.
const (
	// lateStart: a process that began this long after its run is not the worker
	// of that run. Starting one takes seconds.
	lateStart = 120
	// freshHeartbeat: a heartbeat younger than this speaks for itself.
	freshHeartbeat = 120
	// clockSlip: a heartbeat may be this far in the future, because a clock was set
	// back by a day. One beyond that is no time that anybody wrote.
	clockSlip = 24*3600 + freshHeartbeat
)

// HeartbeatWins reports whether the worker gave a sign of life so lately that a
// pid which is out of sight (another container with the same host name) is no
// proof of its death. A heartbeat from before the run is another run's. One
// from the future counts: the clock was set back, and the worker may live.
func (w Worker) HeartbeatWins() bool {
	if w.Heartbeat == nil || *w.Heartbeat < w.RunStarted {
		return false
	}
	age := w.Now - *w.Heartbeat
	return age < freshHeartbeat && age > -clockSlip
}

const (
	dead       = core.Dead
	aliveOurs  = core.AliveOurs
	aliveOther = core.AliveOther
	unknown    = core.Unknown
)

// sight is a verdict with what led to it.
type sight struct {
	verdict  core.Verdict
	evidence string
	epoch    relation
	local    bool // the worker's processes can be seen from here
	facts    Facts
}

func (s sight) is(v core.Verdict, format string, args ...any) sight {
	s.verdict, s.evidence = v, fmt.Sprintf(format, args...)
	return s
}

// Sight says whether the recorded worker lives and is ours. It signals nobody.
func (t *Table) Sight(w Worker) core.Sighting {
	s := t.judge(w)
	return core.Sighting{PID: w.PID, Fingerprint: w.Fingerprint, Verdict: s.verdict, Evidence: s.evidence, Elsewhere: w.PID != nil && !s.local,
		Certain: s.epoch == sameEpoch}
}

func (t *Table) judge(w Worker) sight {
	if w.PID == nil {
		// Neither life nor death can be read from a number that is not there:
		// claims by hand never have one.
		return sight{}.is(unknown, "no process id is recorded")
	}
	id := ParseIdentity(w.Fingerprint)
	s := sight{local: w.Lock == nil || strings.HasPrefix(*w.Lock, t.Host+":")}
	if id.Kind == FullIdentity {
		if current, err := t.epoch(); err == nil {
			s.epoch = compareEpochs(id.Epoch, current)
		}
	}
	// The boot proves the machine better than its name does: names change.
	// Without boots (macOS) only the name is left.
	s.local = s.local || s.epoch == sameEpoch && !wallStart
	facts, err := t.Look(*w.PID)
	s.facts = facts
	switch {
	case errors.Is(err, ErrNoProcess):
		return s.gone(w, "process %d does not exist", *w.PID)
	case err != nil:
		// A failed look is not a death: permission denied and read errors happen
		// on living processes.
		return s.is(unknown, "process %d could not be looked at: %v", *w.PID, err)
	case facts.Zombie:
		return s.gone(w, "process %d has ended and waits for its parent", *w.PID)
	}
	return t.judgeAlive(w, id, s)
}

// gone is the verdict on a worker of whom nothing is there. Of a claim made on
// another machine that proves nothing.
func (s sight) gone(w Worker, format string, args ...any) sight {
	if !s.local {
		return s.is(unknown, "claimed as %q on another host, whose processes cannot be seen from here", *w.Lock)
	}
	return s.is(dead, format, args...)
}

func (t *Table) judgeAlive(w Worker, id Identity, s sight) sight {
	pid := *w.PID
	switch {
	case id.Kind == UnverifiedStart:
		// Missing proof is no permission: it may be ours, and it may be anybody.
		return s.is(unknown, "process %d lives, but its identity was never recorded", pid)
	case id.Kind == FullIdentity:
		return s.byFingerprint(w, id)
	}
	return t.byName(w, id, s)
}

// byFingerprint compares boot and start, which do not move with the clock.
func (s sight) byFingerprint(w Worker, id Identity) sight {
	pid, off := *w.PID, s.facts.Start-id.Start
	switch {
	case s.epoch == sameEpoch && off == 0:
		return s.is(aliveOurs, "process %d has the recorded start", pid)
	case !s.local:
		return s.gone(w, "")
	case s.epoch == otherEpoch:
		// No process outlives its boot; whoever has the number now came later.
		return s.is(aliveOther, "process %d is another one: the worker was started before the last boot or in another container", pid)
	case off == 0:
		return s.is(unknown, "process %d has the recorded start, but the boot could not be compared", pid)
	case wallStart && max(off, -off) < lateStart*startUnits:
		// Where starts are points in time, setting the clock moves them.
		return s.is(unknown, "process %d has a start near the recorded one; the clock may have been set", pid)
	}
	return s.is(aliveOther, "process %d is another one: it has not the recorded start", pid)
}

// byName judges rows without a fingerprint, by what the process was started with
// and when.
func (t *Table) byName(w Worker, id Identity, s sight) sight {
	pid := *w.PID
	named, err := t.Names(pid, w.TaskID)
	// The number may have changed hands between the two looks.
	if again, err2 := t.Look(pid); err2 != nil || again.Start != s.facts.Start || again.Zombie {
		return s.is(unknown, "process %d ended while it was looked at", pid)
	}
	switch {
	case named:
		return s.is(aliveOurs, "process %d names this task", pid)
	case !s.local:
		return s.gone(w, "")
	case err != nil:
		return s.is(unknown, "process %d lives, and what it was started with could not be read: %v", pid, err)
	case id.Kind == LegacyStart && id.Start != s.facts.Start:
		return s.is(aliveOther, "process %d is another one: it has not the recorded start and does not name this task", pid)
	}
	// An equal integer proves nothing: another boot may count to the same number.
	if w.RunStarted <= 0 {
		return s.is(unknown, "process %d lives, but nothing says whose it is or when its run began", pid)
	}
	started, err := t.startedAt(s.facts, w.Now)
	if err != nil {
		return s.is(unknown, "process %d lives, and when it started could not be read: %v", pid, err)
	}
	if started-w.RunStarted > lateStart {
		return s.is(aliveOther, "process %d is another one: it started %d seconds after the run and does not name this task", pid, started-w.RunStarted)
	}
	return s.is(unknown, "process %d lives, but nothing says whose it is", pid)
}
