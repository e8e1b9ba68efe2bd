package board

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/hermes-tui/hermes-tui/core"
)

// Cause is why a dispatcher ends a run that reported nothing.
type Cause string

// The causes, each with the way it is booked.
const (
	Expired      Cause = "expired"       // the claim ran out with nobody behind it
	NeverStarted Cause = "never_started" // our own launch was cut off before the worker began
	Prevented    Cause = "prevented"     // its worker was not started, for a reason that is not the card's
	Died         Cause = "died"          // the worker is gone
	CleanExit    Cause = "clean_exit"    // it ended with 0 and reported nothing
	Quota        Cause = "quota"         // it ended with 75: try again later
	CannotWork   Cause = "cannot_work"   // it ended with 78: trying again is of no use
	Restarted    Cause = "restarted"     // it died together with its dispatcher
	Silent       Cause = "silent"        // it lived, but gave no heartbeat for too long
	OverTime     Cause = "over_time"     // it lived longer than its limit
)

// Ending is a running card that is to be released, with all that was observed.
type Ending struct {
	Card  RunningCard
	Cause Cause
	// Exit is how the worker ended, where that is known.
	Exit *Exit
	// Output is the end of the worker's log, in its own words, or empty.
	Output string
	// Stop reports what was done to a worker that lived.
	Stop core.Termination
	// HeartbeatStale: an expired claim whose worker lived, but was silent.
	HeartbeatStale bool
	// Elapsed seconds of the run, and the limit that was exceeded in seconds.
	Elapsed, Limit int64
}

// Exit is how a worker's process ended.
type Exit struct {
	Signaled bool
	Code     int64 // exit code, or the number of the signal
}

// FromOutside reports whether somebody ended the process, as a machine that goes
// down does. A runner that outlives its program for a moment writes that as 128
// and the signal.
func (e Exit) FromOutside() bool {
	signal := e.Code
	if !e.Signaled {
		signal -= 128
	}
	switch syscall.Signal(signal) {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL:
		return true
	}
	return false
}

// Ended is a card that was released.
type Ended struct {
	Task    string
	Cause   Cause
	Blocked bool // the failure was one too many
}

// Limits are what the configuration says about failures.
type Limits struct {
	Failures int64 // in a row, of a card without a limit of its own
	// Restarts in a row that are no failure; the next one is.
	Restarts int64
}

// systemic is how many crashes of one sweep with the same error mean that
// something is broken for all of them: each then blocks its card at once. A death
// that left no trace, or that came from outside, is nobody's error.
const systemic = 3

// EndRuns releases cards in one transaction: first every run and event, in the
// order given, then the counters and what they trip. A card that changed since
// it was looked at is left alone and is not among the answers.
func (b *Board) EndRuns(ctx context.Context, endings []Ending, limits Limits) ([]Ended, error) {
	if len(endings) == 0 {
		return nil, nil
	}
	var out []Ended
	err := b.write(ctx, fmt.Sprintf("release %d cards", len(endings)), func(t *tx) error {
		out = nil
		var booked []booking
		for _, e := range endings {
			book, err := t.endOne(e, limits)
			if skippable(err) {
				continue
			}
			if err != nil {
				return err
			}
			booked = append(booked, book)
			out = append(out, Ended{Task: e.Card.Task.ID, Cause: book.cause})
		}
		alike := map[string]int{}
		for _, book := range booked {
			alike[book.shape()]++
		}
		for i, book := range booked {
			if !book.counts {
				continue
			}
			if shape := book.shape(); shape != "" && alike[shape] >= systemic {
				book.failure.forced, book.failure.sticky = 1, true
			}
			blocked, err := t.count(book.task, book.failure)
			if err != nil {
				return err
			}
			out[i].Blocked = blocked
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// booking is a run that has been ended and what is to be counted for it.
type booking struct {
	task    *core.Task
	cause   Cause
	counts  bool
	own     bool // it ended by an error of its own
	failure failure
}

// endOne ends one run and writes its event.
func (t *tx) endOne(e Ending, limits Limits) (booking, error) {
	task, err := t.still(e.Card)
	if err != nil {
		return booking{}, err
	}
	if e.Cause == Restarted {
		if e.Cause, err = t.victim(task.ID, limits.Restarts); err != nil {
			return booking{}, err
		}
	}
	was := *task
	story := e.story(&was, t.now)
	run, err := t.letGo(task, e, story)
	if err != nil {
		return booking{}, err
	}
	if err := t.event(task.ID, run, story.kind, story.payload); err != nil {
		return booking{}, err
	}
	return booking{task: task, cause: e.Cause, counts: story.counts, own: e.Exit != nil && !e.Exit.FromOutside(), failure: failure{
		outcome: story.outcome, error: story.error, phase: e.Card.Phase(), limit: limits.Failures,
		forced: story.forced, sticky: story.sticky, more: story.more,
	}}, nil
}

// victim decides whether a card that went down with its dispatcher may go free
// once more. One that takes its dispatcher down each time would loop for ever.
func (t *tx) victim(task string, free int64) (Cause, error) {
	n, err := t.number(`SELECT count(*) FROM (SELECT outcome, error FROM task_runs WHERE task_id = ? AND ended_at IS NOT NULL
		ORDER BY id DESC LIMIT ?) WHERE outcome = 'reclaimed' AND error LIKE ?`, task, free, restartedText+"%")
	if err != nil {
		return "", err
	}
	if n >= free {
		return Died, nil
	}
	return Restarted, nil
}

// letGo takes the claim off one running card, ends its run and sends it back to
// where it goes on: todo while a parent is unfinished.
func (t *tx) letGo(task *core.Task, e Ending, s story) (*int64, error) {
	to := e.Card.Phase()
	open, err := t.openParents(task.ID)
	if err != nil {
		return nil, err
	}
	if len(open) > 0 {
		to = core.Todo
	}
	set := unclaimed(field{"status", string(to)}, field{"worker_started_at", nil})
	if e.Cause == Silent {
		set = append(set, field{"last_heartbeat_at", nil})
	}
	if s.noted {
		set = append(set, field{"last_failure_error", cut(s.error, shownError)})
	}
	if err := t.change(task, set); err != nil {
		return nil, err
	}
	return t.endRun(task, ending{outcome: s.outcome, error: &s.error, metadata: new(pythonJSON(s.metadata))})
}

// shape is what crashes of a sweep that have the same cause share; empty for
// what is no crash.
func (b booking) shape() string {
	if b.cause != Died || !b.own {
		return ""
	}
	return crashShape(b.failure.error)
}

// skippable reports whether err concerns one card only, so that a pass over
// many goes on without it.
func skippable(err error) bool {
	return errors.Is(err, core.ErrChanged) || errors.Is(err, core.ErrNotFound) || errors.Is(err, core.ErrRefused)
}
