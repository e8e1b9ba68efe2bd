package process

import (
	"context"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
)

// StopLeft ends what a worker that is gone left running in its group or
// session: TERM, the grace, KILL, the grace. A number of a group can in the end
// come back to somebody else, so only a process whose own environment or
// arguments name the card is signalled, each by itself. Terminated says that
// nothing is left; a process that is not proven counts as left.
func (s *Stopper) StopLeft(ctx context.Context, w Worker) core.Termination {
	report := core.Termination{PrevPID: w.PID, HostLocal: true}
	if w.PID == nil {
		return report
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		left, err := s.Table.Left(w)
		if err != nil {
			return report
		}
		if report.Terminated = len(left) == 0; report.Terminated {
			return report
		}
		sent := false
		for _, m := range left {
			sent = s.signalMember(w, m, sig) || sent
		}
		report.Attempted = report.Attempted || sent
		report.Sigkill = report.Sigkill || sent && sig == syscall.SIGKILL
		report.SignalRefused = !report.Attempted
		if !sent {
			return report
		}
		if report.Terminated = s.waitLeft(ctx, w); report.Terminated || ctx.Err() != nil {
			return report
		}
	}
	return report
}

// signalMember signals one process if it is proven at this very moment: it
// holds on to the process first, then asks who it is.
func (s *Stopper) signalMember(w Worker, m Member, sig syscall.Signal) bool {
	h := openHandle(m.PID)
	defer h.close()
	facts, err := s.Table.Look(m.PID)
	if err != nil || facts.Start != m.Start || m.PID == s.Self {
		return false
	}
	if named, err := s.Table.Names(m.PID, w.TaskID); err != nil || !named {
		return false
	}
	if s.Signal != nil {
		return s.Signal(m.PID, sig) == nil
	}
	return h.signal(m.PID, sig) == nil
}

// waitLeft returns true as soon as nothing is left, false after the grace or
// when ctx ends.
func (s *Stopper) waitLeft(ctx context.Context, w Worker) bool {
	grace := s.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	for waited := time.Duration(0); ; waited += stopPoll {
		if left, err := s.Table.Left(w); err == nil && len(left) == 0 {
			return true
		}
		if waited >= grace || s.Sleep(ctx, stopPoll) != nil {
			return false
		}
	}
}

// KillSession ends every process in the session that this program leads, except
// itself: all of them descend from it.
func (s *Stopper) KillSession() {
	self, err := s.Table.Look(s.Self)
	if err != nil || self.Session != s.Self {
		return
	}
	members, err := s.Table.members(func(f Facts) bool { return f.Session == s.Self })
	if err != nil {
		return
	}
	for _, m := range members {
		h := openHandle(m.PID)
		if facts, err := s.Table.Look(m.PID); err == nil && m.PID != s.Self && facts.Start == m.Start && facts.Session == s.Self {
			_ = h.signal(m.PID, syscall.SIGKILL)
		}
		h.close()
	}
}
