package process

import (
	"context"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
)

// How long a stop takes when nothing else is said.
const (
	// DefaultGrace is how long a worker has to end after each signal, as in
	// Hermes.
	DefaultGrace = 5 * time.Second
	stopPoll     = 100 * time.Millisecond
)

// Stopper ends workers that are proven to be ours.
type Stopper struct {
	Table *Table
	// Self is the pid of this program, which is never signalled, and neither is
	// its process group.
	Self int64
	// Sleep waits for the duration or until ctx ends.
	Sleep func(context.Context, time.Duration) error
	// Grace is the time to end after TERM, and again after KILL; zero is
	// DefaultGrace.
	Grace time.Duration
	// Signal delivers a signal as kill(2) does: a negative number is a process
	// group. nil is the system's own way, which on Linux holds on to the process
	// that was looked at, so that nobody else can get its signal.
	Signal func(pid int64, sig syscall.Signal) error
}

// Stop ends the worker: TERM, the grace, KILL, the grace. It signals only what
// is proven to be this worker, proves it again before each signal, and reports
// as terminated only what is seen to be gone, its process group included. Where
// ctx ends earlier the report says what was true at that moment.
//
// A worker whose pid is not there any more is reported as Hermes does, which
// sends TERM to such a number: attempted and terminated. No signal is sent here.
func (s *Stopper) Stop(ctx context.Context, w Worker) core.Termination {
	report := core.Termination{PrevPID: w.PID}
	if w.PID == nil {
		return report
	}
	seen := s.Table.judge(w)
	report.HostLocal = seen.local || seen.verdict == aliveOurs
	unverified := ParseIdentity(w.Fingerprint).Kind == UnverifiedStart
	switch {
	case !report.HostLocal:
		return report
	case seen.verdict == dead:
		report.Attempted, report.SignalRefused, report.Terminated = !unverified, unverified, true
		return report
	case seen.verdict == aliveOther:
		report.PIDRecycled, report.Terminated = true, true
		return report
	case seen.verdict != aliveOurs || *w.PID == s.Self || *w.PID <= 1:
		report.SignalRefused = true
		return report
	}
	c := s.begin(w, seen.facts)
	defer c.handle.close()
	c.run(ctx, &report)
	return report
}

// chase is one stop under way.
type chase struct {
	*Stopper
	w      Worker
	pid    int64
	handle handle
	group  bool            // the worker leads its own group, and all of it is to end
	known  map[Member]bool // members of the group when it was last looked at
}

func (s *Stopper) begin(w Worker, facts Facts) *chase {
	c := &chase{Stopper: s, w: w, pid: *w.PID, handle: openHandle(*w.PID)}
	// A worker that does not lead its group shares it with somebody else.
	own, err := s.Table.Look(s.Self)
	c.group = err == nil && facts.Group == c.pid && own.Group != c.pid
	return c
}

func (c *chase) run(ctx context.Context, report *core.Termination) {
	if !c.send(syscall.SIGTERM) {
		// The proof failed since the first look, or the system refused: what is
		// there now decides.
		report.Terminated = c.ended()
		report.SignalRefused = !report.Terminated
		return
	}
	report.Attempted = true
	if report.Terminated = c.wait(ctx); report.Terminated || ctx.Err() != nil {
		return
	}
	if report.Sigkill = c.send(syscall.SIGKILL); !report.Sigkill {
		report.Terminated = c.ended()
		return
	}
	report.Terminated = c.wait(ctx)
}

// send delivers the signal if the target is proven at this very moment.
func (c *chase) send(sig syscall.Signal) bool {
	target, proven := c.pid, false
	if c.group {
		target = -c.pid
		_, proven = c.look()
	}
	// The worker comes last, so that nothing lies between proof and signal.
	proven = c.Table.judge(c.w).verdict == aliveOurs || proven
	if !proven {
		return false
	}
	if c.Signal != nil {
		return c.Signal(target, sig) == nil
	}
	if c.group {
		return syscall.Kill(int(target), sig) == nil
	}
	return c.handle.signal(c.pid, sig) == nil
}

// look counts the living members of the group and reports whether one of the
// last look is still there. If so the number of the group cannot have been given
// to others in between, and the group is the worker's even when the worker
// itself is gone. What cannot be looked at counts as one that is left.
func (c *chase) look() (left int, same bool) {
	members, err := c.Table.members(func(f Facts) bool { return f.Group == c.pid })
	if err != nil {
		if c.known == nil {
			c.known = map[Member]bool{} // never the same as anything later
		}
		return 1, false
	}
	now := make(map[Member]bool, len(members))
	for _, m := range members {
		now[m] = true
		same = same || c.known[m]
	}
	if same || c.known == nil {
		c.known = now
	}
	return len(members), same
}

// wait returns true as soon as everything has ended, false after the grace or
// when ctx ends.
func (c *chase) wait(ctx context.Context) bool {
	grace := c.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	for waited := time.Duration(0); ; waited += stopPoll {
		if c.ended() {
			return true
		}
		if waited >= grace || c.Sleep(ctx, stopPoll) != nil {
			return false
		}
	}
}

// ended reports whether the worker is gone and nothing is left of its group.
// What cannot be looked at has not ended.
func (c *chase) ended() bool {
	left := 0
	if c.group {
		left, _ = c.look()
	}
	switch c.Table.judge(c.w).verdict {
	case aliveOther:
		return true // its number was free, so nothing was left of its group
	case dead:
		return left == 0
	}
	return false
}
