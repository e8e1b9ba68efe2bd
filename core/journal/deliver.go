package journal

import (
	"context"
	"errors"
)

// Submit makes a result durable and then brings it to its run: what the process
// that ran an agent does at the end. slot may be nil. The error wraps
// ErrNotDurable or ErrConflict, or says why the record is none; then nothing was
// told to the board. Without an error the result cannot be lost any more, and
// the answer says what the board did with it, see Result.ExitCode.
func (j *Journal) Submit(ctx context.Context, r Record, slot *Slot) (Result, error) {
	folder, err := j.make()
	if err != nil {
		return Result{}, errors.Join(ErrNotDurable, err)
	}
	defer folder.Close()
	return j.SubmitTo(ctx, folder, r, slot)
}

// SubmitTo is Submit into a folder that is held open already, as a runner holds
// it from before its agent starts.
func (j *Journal) SubmitTo(ctx context.Context, folder *Folder, r Record, slot *Slot) (Result, error) {
	name := r.name()
	if r.WrittenAt == 0 {
		r.WrittenAt = j.Now()
	}
	err := folder.Write(r, slot)
	if errors.Is(err, ErrReplayable) {
		// Neither told to the board nor held against the card: the next replay
		// finds the file, or finds that there is none.
		j.note(ctx, name, err)
		return waiting(name.pending(), name, err.Error()), nil
	}
	if err != nil {
		return Result{}, err
	}
	return j.deliver(ctx, folder, name)
}

// deliver applies a pending result. The file is read again for that: what the
// writer holds in memory is not what a replay would find.
func (j *Journal) deliver(ctx context.Context, folder *Folder, name Name) (Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p := &pass{Journal: j, folder: folder, report: &Report{}}
	there, err := folder.has(name.pending())
	if err == nil && !there {
		// A replayer was faster, or the same result was delivered before.
		return p.committed(ctx, name)
	}
	r, err := p.one(ctx, name.pending())
	switch {
	case err == nil && r.Outcome == "":
		return p.committed(ctx, name)
	case r.Outcome == "":
		r = waiting(name.pending(), name, err.Error())
	}
	if p.renamed {
		_ = folder.dir.Sync()
	}
	if r.Outcome == Waiting {
		if there, err := folder.has(name.pending()); err == nil && !there {
			return p.committed(ctx, name) // a replayer was faster between the look and the board
		}
		j.note(ctx, name, errors.New(r.Reason))
	}
	return r, nil
}

// committed answers for a result whose pending file is gone.
func (p *pass) committed(ctx context.Context, name Name) (Result, error) {
	r := Result{File: name.committed(), Task: name.Task, Run: name.Run, Outcome: Waiting}
	_, result, err := p.load(name.committed(), name)
	if err == nil {
		d, derr := p.Board.DecideResult(ctx, result)
		r.Outcome, r.Guard, r.Reason, err = string(d.Judgement), d.Guard, d.Reason, derr
	}
	if err != nil {
		r.Outcome, r.Reason = Waiting, err.Error()
	}
	if r.Outcome == Applied { // the board lost it; the next replay applies it again
		r.Outcome, r.Guard = Waiting, ""
	}
	return r, nil
}

// note tells the card that its result is safe. Where that fails, the list of
// journals says it.
func (j *Journal) note(ctx context.Context, name Name, why error) {
	_ = j.Board.NoteReplayable(ctx, name.Task, name.Run, why.Error())
}
