package board

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// RunResult is what a worker left in a durable record: the result of exactly one
// run.
type RunResult struct {
	Task string
	Run  int64
	// RunStarted and ClaimLock, where given, must be those of the run: run ids
	// repeat after a board was restored from a copy, these do not.
	RunStarted *int64 // epoch seconds
	ClaimLock  *string

	// Blocked says that the worker stopped and waits, for Reason; otherwise it
	// completed.
	Blocked bool
	Reason  *string

	Result   *string
	Summary  *string
	Metadata json.RawMessage // a JSON object, or nothing
	// WrittenAt is when the record was durable, in epoch seconds.
	WrittenAt int64

	// Unchanged, where given, is asked once the board is locked for this result:
	// an error says that the record is not any more what was read.
	Unchanged func() error
}

// Judgement is what is to become of a result.
type Judgement string

// The judgements. Only Apply changes the board.
const (
	ResultApplied    Judgement = "applied"
	ResultAlready    Judgement = "already"    // the run has its result
	ResultSuperseded Judgement = "superseded" // somebody decided otherwise; a person may still accept it
	ResultWaiting    Judgement = "waiting"    // not now; see Reason
	ResultForeign    Judgement = "foreign"    // the board has no such run
	ResultEmpty      Judgement = "empty"      // there is nothing in it to complete a card with
)

// Which run a result was applied to.
const (
	RunningRun = "running-run" // the one that the card was working on
	EndedRun   = "ended-run"   // one that was given up although it had finished
)

// Decision is a judgement with its ground.
type Decision struct {
	Judgement Judgement
	Guard     string // RunningRun or EndedRun where the result is applied
	Reason    string // one line for a person; empty when there is nothing to say
	// Another says that the run was completed with another result than this.
	Another bool
}

// ApplyResult decides about a result and carries the decision out, in one
// immediate transaction: the run completes, and its card is done. A decision
// that applies nothing writes nothing. An error says that nobody decided: the
// board could not be read or written.
func (b *Board) ApplyResult(ctx context.Context, r RunResult) (Decision, error) {
	var d Decision
	err := b.writeOrLeave(ctx, fmt.Sprintf("apply the result of run %d to task %q", r.Run, r.Task), func(t *tx) (bool, error) {
		if r.Unchanged != nil {
			if err := r.Unchanged(); err != nil {
				return false, err
			}
		}
		f, err := t.resultFacts(r)
		if err != nil {
			return false, err
		}
		if d = f.decide(r); d.Judgement != ResultApplied {
			return false, nil
		}
		if r.Blocked {
			_, err := t.block(f.task, BlockRequest{Target: Target{ID: r.Task}, Reason: r.Reason})
			return true, err
		}
		return true, t.completeRun(f, r, "", fields{{"replayed", d.Guard}})
	})
	return d, err
}

// DecideResult says what ApplyResult would do now, and writes nothing.
func (b *Board) DecideResult(ctx context.Context, r RunResult) (Decision, error) {
	var d Decision
	err := b.look(ctx, func(reader *reader) error {
		f, err := looking{ctx, reader, b.path}.resultFacts(r)
		if err == nil {
			d = f.decide(r)
		}
		return err
	})
	if err != nil {
		return d, fmt.Errorf("judge the result of run %d of task %q: %w", r.Run, r.Task, err)
	}
	return d, nil
}

// AcceptResult applies a late result because a person says so: to its own run,
// whatever status the card has, unless another run of the card is open. It is
// refused for the reasons for which a completion is.
func (b *Board) AcceptResult(ctx context.Context, r RunResult, actor string) (Decision, error) {
	var d Decision
	err := b.writeOrLeave(ctx, fmt.Sprintf("accept the result of run %d of task %q", r.Run, r.Task), func(t *tx) (bool, error) {
		f, err := t.resultFacts(r)
		if err != nil {
			return false, err
		}
		if d = f.decide(r); d.Judgement == ResultAlready && !d.Another {
			return false, nil
		}
		if err := f.mayAccept(r, d); err != nil {
			return false, err
		}
		guard := EndedRun
		if f.runs() {
			guard = RunningRun
		}
		d = Decision{Judgement: ResultApplied, Guard: guard}
		return true, t.completeRun(f, r, actor, fields{{"accepted", true}, {"was_result", f.task.Result}})
	})
	return d, err
}

// writeOrLeave is write for a request that may turn out to need no change: the
// lock is given back without a commit then.
func (b *Board) writeOrLeave(ctx context.Context, what string, fn func(*tx) (bool, error)) error {
	err := b.write(ctx, what, func(t *tx) error {
		changed, err := fn(t)
		if err == nil && !changed {
			return errUnneeded
		}
		return err
	})
	return unlessUnneeded(err)
}

// completeRun completes exactly the run of a result. A run that had been ended
// is opened again for that, so that the same rows are written as for one that
// still ran; how it had ended is kept in the event.
func (t *tx) completeRun(f resultFacts, r RunResult, actor string, told fields) error {
	metadata, err := parseMetadata(r.Metadata)
	if err != nil {
		return err
	}
	if !f.runs() || f.run.EndedAt != nil {
		told = append(told,
			field{"was_status", string(f.task.Status)}, field{"was_outcome", orNull(string(f.run.Outcome))},
			field{"was_ended_at", f.run.EndedAt}, field{"was_error", f.run.Error}, field{"was_summary", f.run.Summary})
		if err := t.reopen(f); err != nil {
			return err
		}
	} else if actor == "" {
		told = nil // what any worker would have reported
	}
	return t.complete(f.task, Completion{
		Target: Target{ID: r.Task, Actor: actor}, Result: r.Result, Summary: r.Summary, told: told,
	}, metadata, nil)
}

// reopen makes an ended run the open and current one of its card again.
func (t *tx) reopen(f resultFacts) error {
	n, err := t.exec("UPDATE task_runs SET ended_at = NULL WHERE id = ? AND task_id = ? AND ended_at IS ?", f.run.ID, f.task.ID, f.run.EndedAt)
	if err != nil {
		return err
	}
	ok, err := t.updateTask(f.task.ID, fields{{"current_run_id", f.run.ID}}, "current_run_id IS ?", f.task.CurrentRun)
	if err != nil {
		return err
	}
	if n != 1 || !ok {
		return refused("the board did not take the change; something in it protects run %d", f.run.ID)
	}
	f.task.CurrentRun = &f.run.ID
	return nil
}

// runs reports whether the card is working on the run of the result.
func (f resultFacts) runs() bool {
	return f.task.Status == core.Running && f.current()
}

func (f resultFacts) current() bool {
	return f.task.CurrentRun != nil && *f.task.CurrentRun == f.run.ID
}
