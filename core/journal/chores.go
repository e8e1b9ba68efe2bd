package journal

import (
	"context"
	"errors"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// chores remembers when the occasional work was done.
type chores struct {
	done       bool
	at         int64 // epoch seconds
	generation int   // of the board
}

const (
	choresEvery = 600  // seconds
	leftBehind  = 3600 // seconds after which a file of an attempt has no writer
	// KeepCommitted is how many seconds a committed result is kept at least.
	KeepCommitted = 30 * 24 * 3600
	// prunedAtOnce bounds how many files one pass deletes.
	prunedAtOnce = 100
)

// occasionally does what need not be done each time: finish quarantines that
// were cut off, look whether the board lost a result that was committed, clear
// away what dead writers left, delete what is old.
func (p *pass) occasionally(ctx context.Context, names []string, eager bool) error {
	now, generation := p.Now(), p.Board.Generation()
	since := now - p.chores.at
	if p.chores.done && !eager && p.chores.generation == generation && 0 <= since && since < choresEvery {
		return nil
	}
	for _, chore := range []func(context.Context, []string) error{p.verify, p.clear, p.age} {
		if err := chore(ctx, names); err != nil {
			return err
		}
	}
	if err := p.unfinished(ctx); err != nil {
		return err
	}
	p.chores = chores{done: true, at: now, generation: generation}
	return nil
}

// verify compares the committed results with the board, which may have been
// restored from a copy. Run ids repeat after that, so only a record that says
// when its run started is applied again.
func (p *pass) verify(ctx context.Context, names []string) error {
	var refs []board.RunRef
	for _, file := range names {
		if name, ok := parseName(file, committedSuffix); ok && (p.only == "" || name.Task == p.only) {
			refs = append(refs, board.RunRef{Task: name.Task, Run: name.Run})
		}
	}
	lost, err := p.Board.NotCompleted(ctx, refs)
	if err != nil {
		return err
	}
	for _, ref := range lost {
		name := Name(ref)
		found, result, err := p.load(name.committed(), name)
		if err != nil || found.RunStarted == nil {
			continue // the list shows it
		}
		d, err := p.Board.DecideResult(ctx, result)
		if err == nil && d.Judgement == board.ResultApplied {
			d, err = p.Board.ApplyResult(ctx, result)
		}
		if unusable(ctx, err) {
			return err
		}
		if err == nil && d.Judgement == board.ResultApplied {
			p.report.add(Result{File: name.committed(), Task: name.Task, Run: name.Run, Outcome: Applied, Guard: d.Guard,
				Reason: "the board had lost this result"})
		}
	}
	return nil
}

// clear removes what writers left that are gone: an empty file is nothing, any
// other may be the only trace of hours of work and goes to quarantine.
func (p *pass) clear(ctx context.Context, names []string) error {
	if err := p.clearDir(ctx, p.folder.dir, names, parseTemporary); err != nil {
		return err
	}
	runs, err := p.folder.dir.Enter(runFolder)
	if err != nil {
		return nil // there is none
	}
	defer runs.Close()
	names, err = runs.Names()
	if err != nil {
		return nil
	}
	return p.clearDir(ctx, runs, names, func(file string) (Name, bool) { return parseName(file, slotSuffix) })
}

func (p *pass) clearDir(ctx context.Context, dir Dir, names []string, parse func(string) (Name, bool)) error {
	for _, file := range names {
		name, ok := parse(file)
		if !ok || p.only != "" && name.Task != p.only {
			continue
		}
		info, err := dir.Lstat(file)
		if err != nil || p.Now()-info.Modified/1e9 < leftBehind || p.Held(name.Task, name.Run) {
			continue
		}
		if info.Kind == regular && info.Size == 0 {
			_ = dir.Unlink(file)
			continue
		}
		there, err := p.folder.putAside(dir, file, file)
		if err != nil {
			continue
		}
		p.know(there)
		if _, err := p.tell(ctx, board.QuarantineNote{Task: name.Task, Run: name.Run, File: there, Reason: board.QuarantineLeftBehind}, false); err != nil {
			return err
		}
		p.report.add(Result{File: file, Task: name.Task, Run: name.Run, Outcome: Quarantined, Reason: board.QuarantineLeftBehind, Aside: there})
	}
	return nil
}

// age deletes some of the committed results that are old.
func (p *pass) age(ctx context.Context, names []string) error {
	if p.only != "" {
		return nil
	}
	_, err := p.prune(ctx, names, KeepCommitted, prunedAtOnce)
	return err
}

// prune deletes committed results older than keep seconds, at most limit of
// them, and only those that the board confirms to be on their runs: a result
// that lost against another one is kept.
func (p *pass) prune(ctx context.Context, names []string, keep int64, limit int) ([]string, error) {
	var gone []string
	for _, file := range names {
		if len(gone) == limit {
			break
		}
		name, ok := parseName(file, committedSuffix)
		if !ok {
			continue
		}
		info, err := p.folder.dir.Lstat(file)
		if err != nil || info.Kind != regular || p.Now()-info.Modified/1e9 < keep {
			continue
		}
		_, result, err := p.load(file, name)
		if err != nil {
			continue
		}
		d, err := p.Board.DecideResult(ctx, result)
		if err != nil {
			return gone, err
		}
		if d.Judgement != board.ResultAlready || d.Another {
			continue
		}
		if err := p.folder.dir.Unlink(file); err == nil {
			gone = append(gone, file)
		}
	}
	return gone, nil
}

// pruneQuarantine deletes what has been in quarantine for longer than keep
// seconds. Only a person asks for it.
func (f *Folder) pruneQuarantine(now, keep int64) ([]string, error) {
	q, err := f.dir.Enter(quarantineFolder)
	if err != nil {
		return nil, nil // there is none
	}
	defer q.Close()
	names, err := q.Names()
	if err != nil {
		return nil, err
	}
	var gone []string
	var failed error
	for _, file := range names {
		info, err := q.Lstat(file)
		if err != nil || info.Kind != regular || !strings.HasSuffix(file, quarantineSuffix) || now-info.Changed/1e9 < keep {
			continue
		}
		if err := q.Unlink(file); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		gone = append(gone, file)
	}
	return gone, failed
}
