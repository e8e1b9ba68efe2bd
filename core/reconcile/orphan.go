package reconcile

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// JudgeOrphan says what is wrong with a running card whose claim is broken and
// what to do about it. The release is nil where nothing may be written: a
// worker that lives or may live, a fresh heartbeat, a value that cannot be read.
func JudgeOrphan(o board.Orphan, s core.Sighting, now int64) (Finding, *board.Release) {
	f := Finding{Task: o.Task, Kind: shape(o), Action: Hold, Evidence: evidence(o, s, now)}
	switch {
	case o.Odd:
		f.Reason = "a number of the claim cannot be read; the card is left alone"
	case orphanWorker(o, now).HeartbeatWins():
		f.Reason = "running, unclaimed: somebody gives heartbeats without a claim"
	case !s.Verdict.Gone():
		f.Reason = "a live process has the recorded pid; looked at again in the next tick"
	default:
		return release(f, o)
	}
	return f, nil
}

// release decides where the card goes: a review run returns to review, a card
// with an unfinished parent waits for it, everything else may be tried again,
// unless that has happened too often without a worker ever starting.
func release(f Finding, o board.Orphan) (Finding, *board.Release) {
	r := &board.Release{Orphan: o, Shape: string(f.Kind), To: core.Ready}
	f.Action = Requeue
	switch {
	case f.Kind == NoClaim && o.NoClaimRepairs+1 >= board.NoClaimLimit:
		r.To, f.Action = core.Blocked, Block
		f.Reason = fmt.Sprintf("running without a claim, %d times in a row and never a worker: blocked for a person", o.NoClaimRepairs+1)
		return f, r
	case o.WaitsFor:
		r.To = core.Todo
	case o.Review:
		r.To = core.Review
	}
	f.Reason = fmt.Sprintf("running with a broken claim and no worker: back to %s", r.To)
	return f, r
}

func shape(o board.Orphan) Kind {
	switch {
	case o.ClaimLock == nil && o.ClaimExpires == nil:
		return NoClaim
	case o.ClaimExpires == nil:
		return LockWithoutExpiry
	}
	return ExpiryWithoutLock
}

// orphanWorker is what the card says about its worker, or its open run where
// the card has lost that too.
func orphanWorker(o board.Orphan, now int64) process.Worker {
	w := process.Worker{
		TaskID: o.Task, PID: o.WorkerPID, Fingerprint: o.WorkerStarted, Lock: o.ClaimLock,
		RunStarted: o.RunStarted, Heartbeat: o.LastHeartbeat, Now: now,
	}
	if w.PID == nil {
		w.PID, w.Fingerprint = o.RunWorkerPID, o.RunWorkerStarted
	}
	return w
}

func evidence(o board.Orphan, s core.Sighting, now int64) string {
	beat := "no heartbeat"
	if o.LastHeartbeat != nil {
		beat = fmt.Sprintf("heartbeat %d s ago", now-*o.LastHeartbeat)
	}
	pid := orphanWorker(o, now).PID
	if pid == nil {
		return "no worker recorded, " + beat
	}
	return fmt.Sprintf("pid %d: %s, %s", *pid, s.Evidence, beat)
}
