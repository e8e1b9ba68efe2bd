package lane

import (
	"context"
	"errors"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// Times of a delivery.
const (
	// applyWait bounds one delivery. A board that is busy for longer gets the
	// result by the next tick.
	applyWait = 60 * time.Second
	// A result that could not be made durable is tried again for a while: the
	// disk may get room, and the result is nowhere else.
	keepTries = 30
	keepPause = 10 * time.Second
)

// safe is where the result will be kept: the state folder of the board, held
// open from before the agent starts, and room in it, so that neither a disk that
// fills up nor a folder that is moved meanwhile takes the result away.
type safe struct {
	folder *journal.Folder // nil where it could not be opened
	slot   *journal.Slot   // nil where no room could be reserved
}

// prepareSafe makes room for the result. Without it the work goes on: the result
// may still fit when it is there.
func (r *Runner) prepareSafe() safe {
	folder, err := r.Journal.Place.Make()
	if err != nil {
		r.log.say("no room could be reserved for the result: %v", err)
		return safe{}
	}
	slot, err := folder.Reserve(r.Task, r.Run)
	if err != nil {
		r.log.say("no room could be reserved for the result: %v", err)
	}
	return safe{folder, slot}
}

func (s safe) close() {
	if s.slot != nil {
		_ = s.slot.Close()
	}
	if s.folder != nil {
		_ = s.folder.Close()
	}
}

// deliver makes the result durable, brings it to the board and returns the exit
// code. From the moment it is durable nothing can take it away; what stands
// against the board then is for the next tick. The result file is removed only
// after that.
func (r *Runner) deliver(ctx context.Context, card *core.Detail, result Result, to safe, exchange files) int {
	record := r.record(card, result)
	for n := 1; ; n++ {
		answer, err := r.submit(ctx, record, to)
		switch {
		case err == nil:
			exchange.remove()
			r.log.say("the result is durable: %s %s", answer.Outcome, answer.Reason)
			return answer.ExitCode()
		case errors.Is(err, journal.ErrConflict):
			r.log.say("%v", err)
			return exitLater
		case !errors.Is(err, journal.ErrNotDurable):
			r.log.say("the result cannot be kept: %v", err)
			return exitFailed
		case n == keepTries || ctx.Err() != nil:
			r.log.say("the result could not be kept: %v", err)
			return exitLater
		}
		r.log.say("the result could not be kept yet: %v", err)
		select {
		case <-ctx.Done():
		case <-r.After(keepPause):
		}
	}
}

// submit tries once. A runner that was told to end still brings its result home.
func (r *Runner) submit(ctx context.Context, record journal.Record, to safe) (journal.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyWait)
	defer cancel()
	if to.folder == nil {
		return r.Journal.Submit(ctx, record, nil)
	}
	return r.Journal.SubmitTo(ctx, to.folder, record, to.slot)
}

func (r *Runner) record(card *core.Detail, result Result) journal.Record {
	record := journal.Record{
		Board: r.Place.Slug, Task: r.Task, Run: r.Run, ClaimLock: &r.Lock, Result: &result.Text,
		Metadata: result.Metadata, WrittenAt: r.Now(),
	}
	for i := range card.Runs {
		if card.Runs[i].ID == r.Run {
			record.RunStarted = &card.Runs[i].StartedAt
		}
	}
	if result.Summary != "" {
		record.Summary = &result.Summary
	} else if result.Status == Blocked {
		record.Summary = &result.Reason
	}
	return record
}
