// Package operator is what a person does to one card that may have a worker
// behind it: look what stands there, stop it where it is proven to be ours, and
// then make one guarded transition. The screen and the command line both go
// through here, so that a key and a command have the same rules.
package operator

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// freshHeartbeat is how many seconds after a heartbeat somebody counts as
// working on a card, whoever it is.
const freshHeartbeat = 120

// Standing says what stands behind a card at this moment: what a dialog shows
// before a person decides.
type Standing struct {
	Task          core.Task
	Run           *core.Run // the current run, nil if there is none
	Sighting      core.Sighting
	HeartbeatAge  int64 // seconds; -1 when this run never gave a heartbeat
	LeaseLeft     int64 // seconds until the claim expires; negative when over; 0 without an expiry
	HasLease      bool  // the claim has an expiry at all
	JournalFound  bool  // a finished result of this run waits to be replayed
	NeedsDeadWord bool  // requeueing needs the person's word that no worker lives
}

// Look says what stands behind a card. The error wraps core.ErrNotFound for a
// card that is gone.
func (o *Operator) Look(ctx context.Context, id string) (Standing, error) {
	task, err := o.Board.Task(ctx, id)
	if err != nil {
		return Standing{}, err
	}
	s := Standing{Task: task, HeartbeatAge: -1}
	started := int64(0)
	if task.StartedAt != nil {
		started = *task.StartedAt
	}
	if task.CurrentRun != nil {
		if run, err := o.Board.Run(ctx, *task.CurrentRun); err == nil && run.TaskID == id {
			s.Run, started = &run, run.StartedAt
		}
	}
	now := o.Now()
	if task.ClaimExpires != nil {
		s.HasLease, s.LeaseLeft = true, *task.ClaimExpires-now
	}
	if beat := task.LastHeartbeat; beat != nil && *beat >= started {
		s.HeartbeatAge = now - *beat
	}
	s.Sighting = o.sight(task, started, now)
	s.NeedsDeadWord = s.uncertain()
	return s, nil
}

func (o *Operator) sight(task core.Task, started, now int64) core.Sighting {
	if task.WorkerPID == nil {
		s := core.Sighting{Verdict: core.Dead, Fingerprint: task.WorkerStarted, Evidence: "no worker is recorded"}
		if o.elsewhere(task, now) {
			s.Verdict, s.Elsewhere = core.Unknown, true
			s.Evidence = "claimed on another machine, whose processes cannot be seen from here"
		}
		return s
	}
	return o.Prober.Sight(process.Worker{
		TaskID: task.ID, PID: task.WorkerPID, Fingerprint: task.WorkerStarted, Lock: task.ClaimLock,
		RunStarted: started, Heartbeat: task.LastHeartbeat, Now: now,
	})
}

// elsewhere reports whether somebody on another machine holds the card: a worker
// may be starting there that nobody here can see. A claim that ran out is nobody's.
func (o *Operator) elsewhere(task core.Task, now int64) bool {
	return task.Status == core.Running && task.ClaimLock != nil && !strings.HasPrefix(*task.ClaimLock, o.Host+":") &&
		task.ClaimExpires != nil && *task.ClaimExpires >= now
}

// uncertain reports whether a worker may live that cannot be proven to be ours
// nor to be gone: its pid cannot be judged, or somebody gives heartbeats.
func (s Standing) uncertain() bool {
	if s.Sighting.Verdict == core.Unknown {
		return true
	}
	return s.Sighting.Verdict.Gone() && s.HeartbeatAge >= 0 && s.HeartbeatAge < freshHeartbeat
}

// Unknown says in one line what could not be told about the worker.
func (s Standing) Unknown() string {
	if s.HeartbeatAge >= 0 && s.HeartbeatAge < freshHeartbeat {
		return fmt.Sprintf("%s, but a heartbeat came %d s ago", s.Sighting.Evidence, s.HeartbeatAge)
	}
	return s.Sighting.Evidence
}
