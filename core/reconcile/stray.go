package reconcile

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// The shapes of bookkeeping that belongs to no card at work.
const (
	StaleLock      Kind = "stale_lock"       // a lock on a card that does not run: nobody would ever claim it again
	OpenRunAtRest  Kind = "open_run_at_rest" // an open run of a card that does not run
	ExtraOpenRun   Kind = "extra_open_run"   // an open run beside the card's current one
	RunWithoutCard Kind = "run_without_card" // an open run of a card that was deleted
	PointerLost    Kind = "pointer_lost"     // a running card that does not point to its open run
	PointerAtRest  Kind = "pointer_at_rest"  // a card that does not run and points to a run that is not open
)

// Mend is the action of putting bookkeeping right without moving a card.
const Mend Action = "mend"

// JudgeStray says what a stray is and what to do about it. The mending is nil
// where nothing may be written: a worker that lives or may live behind it, a
// lock that has not run out yet, a value that cannot be read.
func JudgeStray(s board.Stray, worker core.Sighting, now int64) (Finding, *board.Mending) {
	f := Finding{Task: s.Task, Kind: strayKind(s), Action: Hold, Evidence: worker.Evidence}
	switch {
	case s.Odd:
		f.Reason = "a number of its claim cannot be read; the card is left alone"
	case f.Kind == PointerLost && !s.Claimed:
		f.Reason = "its claim is broken as well; that is put right first"
	case f.Kind != PointerLost && !worker.Verdict.Gone():
		f.Reason = "a worker is still alive behind it, or may be"
	case f.Kind == StaleLock && s.ClaimExpires != nil && *s.ClaimExpires >= now:
		f.Reason = fmt.Sprintf("locked by %q for another %d s", *s.ClaimLock, *s.ClaimExpires-now)
	default:
		f.Action, f.Reason = Mend, strayWords[f.Kind]
		return f, &board.Mending{Stray: s, Shape: string(f.Kind), Point: f.Kind == PointerLost}
	}
	return f, nil
}

var strayWords = map[Kind]string{
	StaleLock:      "a lock on a card that does not run: taken off",
	OpenRunAtRest:  "an open run of a card that does not run: ended as reclaimed",
	ExtraOpenRun:   "an open run beside the card's current one: ended as reclaimed",
	RunWithoutCard: "an open run of a card that is gone: ended as reclaimed",
	PointerLost:    "the card did not point to its open run: pointed to it again",
	PointerAtRest:  "the card pointed to a run that is not open: pointer taken off",
}

func strayKind(s board.Stray) Kind {
	switch {
	case s.Run == nil && s.ClaimLock != nil:
		return StaleLock
	case s.Run == nil:
		return PointerAtRest
	case s.Missing:
		return RunWithoutCard
	case s.Status != core.Running:
		return OpenRunAtRest
	case !s.Points:
		return PointerLost
	}
	return ExtraOpenRun
}

// theWorker is who may be behind a stray: the worker of the run that is astray,
// else the one on the card.
func theWorker(s board.Stray) (pid *int64, fingerprint *string, lock *string, started int64) {
	if s.Run != nil {
		return s.Run.WorkerPID, s.Run.WorkerStarted, s.Run.ClaimLock, s.Run.StartedAt
	}
	return s.WorkerPID, s.WorkerStarted, s.ClaimLock, 0
}
