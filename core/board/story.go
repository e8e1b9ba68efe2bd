package board

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// story is how an ending is told: on the run, in the event and, where it counts,
// in the counter.
type story struct {
	outcome  core.Outcome
	kind     string // of the event
	error    string
	payload  fields
	metadata fields
	counts   bool
	noted    bool   // the error is kept on the card although it does not count
	forced   int64  // a limit that takes the place of all others; 0 for none
	sticky   bool   // a trip is not undone by promotion
	more     fields // further keys of the event that tells of a trip
}

// restartedText begins the error of a run that ended with its dispatcher.
const restartedText = "dispatcher restarted"

// story tells an ending of the card as it was.
func (e Ending) story(was *core.Task, now int64) story {
	switch e.Cause {
	case Expired:
		return e.expired(was, now)
	case NeverStarted:
		return e.neverStarted()
	case Prevented:
		return e.prevented()
	case Silent:
		return e.silent(was)
	case OverTime:
		return e.overTime(was)
	case Restarted:
		text := fmt.Sprintf("%s: pid %d went down with the dispatcher that had claimed the card", restartedText, pid(was))
		payload := append(fields{{"stale_lock", was.ClaimLock}, {"worker_pid", was.WorkerPID}, {"reason", restartedText}, {"now", now}}, e.phase()...)
		return story{outcome: core.Reclaimed, kind: "reclaimed", error: text, payload: payload, metadata: payload}
	}
	return e.died(was)
}

func (e Ending) phase() fields { return fields{{"retry_status", string(e.Card.Phase())}} }

func pid(t *core.Task) int64 {
	if t.WorkerPID == nil {
		return 0
	}
	return *t.WorkerPID
}

// expired counts unless the run showed a sign of life.
func (e Ending) expired(was *core.Task, now int64) story {
	report := terminationFields(e.Stop)
	payload := fields{
		{"stale_lock", was.ClaimLock}, {"worker_pid", was.WorkerPID}, {"claim_expires", was.ClaimExpires},
		{"last_heartbeat_at", was.LastHeartbeat}, {"now", now}, {"host_local", e.Stop.HostLocal},
		{"heartbeat_stale", e.HeartbeatStale}, {"retry_status", string(e.Card.Phase())},
	}
	return story{
		outcome: core.Reclaimed, kind: "reclaimed", error: "stale_lock=" + *was.ClaimLock,
		payload: payload.with(report), metadata: report,
		counts: !e.Card.Spawned && !e.Card.Alive && e.Card.Heartbeat() == nil, more: fields{{"worker_pid", was.WorkerPID}},
	}
}

// with adds keys that are not there yet.
func (f fields) with(more fields) fields {
	for _, m := range more {
		if _, there := f.get(m.name); !there {
			f = append(f, m)
		}
	}
	return f
}

func (f fields) get(name string) (any, bool) {
	for _, x := range f {
		if x.name == name {
			return x.value, true
		}
	}
	return nil, false
}

func (e Ending) neverStarted() story {
	text := "the launch was cut off before the worker began"
	failures := e.Card.Task.Failures + 1
	payload := append(fields{{"error", text}, {"failures", failures}}, e.phase()...)
	return story{
		outcome: core.SpawnFailed, kind: "spawn_failed", error: text, counts: true,
		payload: payload, metadata: payload[1:],
	}
}

func (e Ending) prevented() story {
	text := "its worker was not started, and the dispatcher could not say so at once"
	payload := append(fields{{"error", text}, {"failures", e.Card.Task.Failures}}, append(e.phase(), field{"infrastructure", true})...)
	return story{outcome: core.SpawnFailed, kind: "spawn_failed", error: text, noted: true, payload: payload, metadata: payload[1:]}
}

// silent does not count: the worker may have been about to finish.
func (e Ending) silent(was *core.Task) story {
	text := fmt.Sprintf("no heartbeat ever after %ds running", e.Elapsed)
	var age *int64
	if beat := e.Card.Heartbeat(); beat != nil && e.Card.Run != nil {
		silence := e.Card.Run.StartedAt + e.Elapsed - *beat
		age, text = &silence, fmt.Sprintf("no heartbeat for %ds after %ds running", silence, e.Elapsed)
	}
	payload := fields{
		{"elapsed_seconds", e.Elapsed}, {"last_heartbeat_at", was.LastHeartbeat}, {"heartbeat_age_seconds", age},
		{"timeout_seconds", e.Limit}, {"pid", was.WorkerPID}, {"retry_status", string(e.Card.Phase())},
	}.with(terminationFields(e.Stop))
	return story{outcome: core.Stale, kind: "stale", error: text, payload: payload, metadata: payload}
}

func (e Ending) overTime(was *core.Task) story {
	payload := append(fields{
		{"pid", was.WorkerPID}, {"elapsed_seconds", e.Elapsed}, {"limit_seconds", e.Limit}, {"sigkill", e.Stop.Sigkill},
	}, e.phase()...)
	return story{
		outcome: core.TimedOut, kind: "timed_out", error: fmt.Sprintf("elapsed %ds > limit %ds", e.Elapsed, e.Limit),
		payload: payload, metadata: payload, counts: true, more: fields{{"pid", was.WorkerPID}},
	}
}

// died tells of a worker that is gone, by how it ended.
func (e Ending) died(was *core.Task) story {
	who := fields{{"pid", was.WorkerPID}, {"claimer", was.ClaimLock}}
	s := story{outcome: core.Crashed, kind: "crashed", counts: true, more: who}
	payload := append(fields{}, who...)
	switch e.Cause {
	case CleanExit:
		s.kind, s.sticky = "protocol_violation", true
		s.error = fmt.Sprintf("pid %d ended with 0 and reported nothing", pid(was))
		payload = append(payload, field{"exit_code", int64(0)}, field{"protocol_violation", true})
	case Quota:
		s.outcome, s.kind, s.counts, s.noted = core.RateLimited, "rate_limited", false, true
		s.error = fmt.Sprintf("pid %d met a quota or rate limit (exit 75)", pid(was))
		payload = append(payload, field{"exit_code", e.Exit.Code})
	case CannotWork:
		s.sticky, s.forced = true, 1
		s.error = fmt.Sprintf("pid %d cannot work with its credentials or model (exit 78)", pid(was))
		payload = append(payload, field{"exit_kind", "exited"}, field{"exit_code", e.Exit.Code}, field{"terminal_provider", true})
		s.more = append(who, field{"terminal_provider", true})
	default:
		s.error = fmt.Sprintf("pid %d not alive", pid(was))
		if e.Exit != nil {
			kind, how := "exited", fmt.Sprintf("exited with %d", e.Exit.Code)
			if e.Exit.Signaled {
				kind, how = "signaled", fmt.Sprintf("killed by signal %d", e.Exit.Code)
			}
			s.error = fmt.Sprintf("pid %d %s", pid(was), how)
			payload = append(payload, field{"exit_kind", kind}, field{"exit_code", e.Exit.Code})
		}
	}
	if e.Output != "" {
		payload = append(payload, field{"worker_output", e.Output})
		s.error += " Worker's last output: " + e.Output
	}
	payload = append(payload, e.phase()...)
	s.payload, s.metadata = payload, payload
	return s
}

var (
	pidNumber  = regexp.MustCompile(`pid \d+`)
	longNumber = regexp.MustCompile(`\d{10,}`)
)

// crashShape is an error without what differs from crash to crash: process
// numbers, times, capitals, and all behind the first eighty characters.
func crashShape(text string) string {
	text = longNumber.ReplaceAllString(pidNumber.ReplaceAllString(text, "pid N"), "N")
	return strings.ToLower(cut(text, 80))
}
