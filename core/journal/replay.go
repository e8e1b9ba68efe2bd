package journal

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// ReplayOptions say which journals are looked at.
type ReplayOptions struct {
	Task string // only those of this card; empty for all
	// Eager tries again although the board could not be used a moment ago, and
	// does the occasional chores now: a person asked.
	Eager bool
}

// Replay brings every pending result to the board. A folder that is not there
// has nothing to replay. The error says that the folder could not be used or
// that ctx ended; what concerns one file only is in the report, and so is a
// board that cannot be used: its results wait.
func (j *Journal) Replay(ctx context.Context, o ReplayOptions) (Report, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	report := Report{Results: []Result{}}
	folder, err := j.open()
	if errors.Is(err, fs.ErrNotExist) {
		return report, nil
	}
	if err != nil {
		return report, err
	}
	defer folder.Close()
	names, err := folder.dir.Names()
	if err != nil {
		return report, err
	}
	// Whether the lock can be taken at all does not matter: what is applied twice
	// is refused by the board.
	lock, err := folder.dir.Lock(replayLock)
	if errors.Is(err, errHeld) {
		report.Locked = true
		return report, nil
	}
	if err == nil {
		defer lock.Close()
	}
	slices.Sort(names)
	p := &pass{Journal: j, folder: folder, report: &report, only: o.Task}
	err = p.run(ctx, names, o.Eager)
	if p.renamed {
		// Undone by a power cut, a rename to committed is made again.
		_ = folder.dir.Sync()
	}
	return report, err
}

// pass is one replay at work.
type pass struct {
	*Journal
	folder  *Folder
	report  *Report
	only    string
	renamed bool
}

func (p *pass) run(ctx context.Context, names []string, eager bool) error {
	if eager {
		p.pause = pause{}
	}
	for _, file := range names {
		if !strings.HasSuffix(file, pendingSuffix) {
			continue
		}
		name, _ := parseName(file, pendingSuffix)
		if p.only != "" && name.Task != p.only {
			continue
		}
		if p.pause.on(p.Now()) {
			p.report.add(waiting(file, name, p.pause.why))
			continue
		}
		told := len(p.report.Results)
		if err := p.step(ctx, func() error { return p.pending(ctx, file) }); err != nil {
			return err
		}
		if p.pause.on(p.Now()) && len(p.report.Results) == told {
			p.report.add(waiting(file, name, p.pause.why))
		}
	}
	if p.pause.on(p.Now()) {
		return nil
	}
	return p.step(ctx, func() error { return p.occasionally(ctx, names, eager) })
}

// step does a part of the work. Where the board cannot be used for it, nothing
// more is tried for a while.
func (p *pass) step(ctx context.Context, work func() error) error {
	err := work()
	if err == nil {
		p.pause = pause{}
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	p.pause = p.pause.longer(p.Now(), err.Error())
	return nil
}

// pending handles one file with a pending name. An error says that the board
// cannot be used.
func (p *pass) pending(ctx context.Context, file string) error {
	r, err := p.one(ctx, file)
	if r.Outcome != "" {
		p.report.add(r)
	}
	return err
}

// one reads a pending file, lets the board decide and carries the decision out.
// It answers nothing for a file that is gone, and both a result and an error for
// one that was put aside without its card being told.
func (p *pass) one(ctx context.Context, file string) (Result, error) {
	name, ok := parseName(file, pendingSuffix)
	if !ok {
		return p.aside(ctx, file, name, &fault{reasonName, "no such name can be a run's"})
	}
	found, result, err := p.load(file, name)
	var bad *fault
	switch {
	case errors.As(err, &bad):
		return p.aside(ctx, file, name, bad)
	case errors.Is(err, errGone):
		delete(p.judged, file)
		return Result{}, nil
	case err != nil:
		return waiting(file, name, err.Error()), nil
	}
	p.folder.hide(file, found.info)
	d, err := p.judge(ctx, file, found, result)
	switch {
	case errors.Is(err, errMoved) || errors.Is(err, errGone):
		return waiting(file, name, errMoved.Error()), nil
	case unusable(ctx, err):
		return Result{}, err
	case err != nil:
		return waiting(file, name, err.Error()), nil
	}
	return p.conclude(ctx, file, name, found, d)
}

// load reads a record and what the board is to be told.
func (p *pass) load(file string, name Name) (held, board.RunResult, error) {
	found, err := p.folder.read(file, name)
	if err != nil {
		return found, board.RunResult{}, err
	}
	result, err := found.result()
	result.Unchanged = func() error { return p.folder.still(file, found.info) }
	return found, result, err
}

// judge asks the board. A result that was not applied before is first looked at
// without the lock of a writer, since most of them stay what they are.
func (p *pass) judge(ctx context.Context, file string, found held, result board.RunResult) (board.Decision, error) {
	if before, there := p.judged[file]; there && unmoved(found.info, before.info) {
		d, err := p.Board.DecideResult(ctx, result)
		if err != nil || d.Judgement != board.ResultApplied {
			return d, err
		}
	}
	return p.Board.ApplyResult(ctx, result)
}

// conclude does to the file what the board has decided about its record.
func (p *pass) conclude(ctx context.Context, file string, name Name, found held, d board.Decision) (Result, error) {
	r := Result{File: file, Task: name.Task, Run: name.Run, Outcome: string(d.Judgement), Guard: d.Guard, Reason: d.Reason}
	switch d.Judgement {
	case board.ResultForeign:
		return p.aside(ctx, file, name, &fault{reasonForeign, d.Reason})
	case board.ResultEmpty:
		return p.aside(ctx, file, name, &fault{reasonEmpty, d.Reason})
	case board.ResultApplied, board.ResultAlready:
		delete(p.judged, file)
		if !p.commit(file, name, found) {
			r.Outcome, r.Guard, r.Reason = Superseded, "", "another result of this run is committed"
		}
		return r, nil
	}
	if p.judged == nil {
		p.Journal.judged = map[string]judged{}
	}
	p.judged[file] = judged{found.info, d}
	return r, nil
}

// commit gives a file whose result the board has its committed name. It returns
// false only where another result has that name. A failure is nothing to
// handle: the file stays pending, and the next replay finds the run completed.
func (p *pass) commit(file string, name Name, found held) bool {
	if p.folder.still(file, found.info) != nil {
		return true // what lies there now is not what was applied
	}
	err := p.folder.dir.RenameNew(file, p.folder.dir, name.committed())
	if errors.Is(err, errTaken) {
		was, err := p.folder.read(name.committed(), name)
		if err != nil || !was.same(found.Record) {
			return false
		}
		_ = p.folder.dir.Unlink(file)
	}
	p.renamed = true
	return true
}

func waiting(file string, name Name, why string) Result {
	return Result{File: file, Task: name.Task, Run: name.Run, Outcome: Waiting, Reason: why}
}

// unusable reports whether err says that the board as a whole cannot be used
// now, in contrast to one row that resists.
func unusable(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || board.Unusable(err) || errors.Is(err, board.ErrBusy) || errors.Is(err, board.ErrFull))
}
