package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Processes is a table of processes in which nothing is real, and a recorder
// of the signals that were sent.
type Processes struct {
	Signals [][2]int64     // pid and signal number, in order
	Exits   map[int64]Exit // how those ended whose end was seen
	host    string
	live    map[int64]bool
}

// NewProcesses is an empty table on a host.
func NewProcesses(host string) *Processes {
	return &Processes{Exits: map[int64]Exit{}, host: host, live: map[int64]bool{}}
}

// Exit is how a process ended: with a code or by a signal.
type Exit struct{ Code, Signal *int64 }

// unverified is the fingerprint of a process whose identity nobody knows.
const unverified = "unverified"

const sigterm = 15

// Born adds a live process, Died removes one.
func (p *Processes) Born(pid int64) { p.live[pid] = true }

// Died removes a process.
func (p *Processes) Died(pid int64) { delete(p.live, pid) }

// Live lists the live processes.
func (p *Processes) Live() []int64 { return slices.Sorted(maps.Keys(p.live)) }

// Fingerprint is that of a process at this moment.
func (p *Processes) Fingerprint(pid int64) string {
	if !p.live[pid] {
		return unverified
	}
	return fmt.Sprintf("oracle-epoch|%d", pid*10)
}

// Local reports whether a lock is of this host.
func (p *Processes) Local(lock *string) bool {
	return lock != nil && strings.HasPrefix(*lock, p.host+":")
}

// Look says what stands behind a pid as Hermes sees it: without a fingerprint
// a live pid is the worker, and so is one whose identity was never known.
func (p *Processes) Look(pid *int64, fingerprint *string) core.Sighting {
	s := core.Sighting{PID: pid, Fingerprint: fingerprint, Verdict: core.Dead, Evidence: "no such process"}
	switch {
	case pid == nil || !p.live[*pid]:
	case fingerprint == nil || *fingerprint == p.Fingerprint(*pid):
		s.Verdict, s.Evidence = core.AliveOurs, "it lives"
	case *fingerprint == unverified:
		s.Verdict, s.Evidence = core.Unknown, "it lives; its identity was never known"
	default:
		s.Verdict, s.Evidence = core.AliveOther, "the pid was given to another process"
	}
	return s
}

// Stop stops a worker by the rules of the scenarios and reports it.
func (p *Processes) Stop(lock *string, pid *int64, fingerprint *string) core.Termination {
	r := core.Termination{PrevPID: pid}
	if pid == nil || *pid == 0 || !p.Local(lock) {
		return r
	}
	r.HostLocal = true
	if fingerprint != nil && *fingerprint == unverified {
		r.SignalRefused, r.Terminated = true, !p.live[*pid]
		return r
	}
	if p.live[*pid] && p.Look(pid, fingerprint).Verdict == core.AliveOther {
		r.Terminated, r.PIDRecycled = true, true
		return r
	}
	p.Signals = append(p.Signals, [2]int64{*pid, sigterm})
	p.Died(*pid)
	r.Attempted, r.Terminated = true, true
	return r
}
