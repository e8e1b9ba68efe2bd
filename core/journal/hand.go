package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// What a person does to one journal. Files are named as the list names them.

// locate finds the directory of a file that a person named. The caller closes it.
func (f *Folder) locate(file string) (dir Dir, name Name, named bool, err error) {
	if file == "" || strings.ContainsAny(file, "/\x00") {
		return nil, name, false, fmt.Errorf("%w: that is no name of a journal", core.ErrInvalid)
	}
	folder := "."
	switch {
	case strings.HasSuffix(file, quarantineSuffix):
		folder = quarantineFolder
		name, named = parseQuarantined(file)
	case strings.HasSuffix(file, pendingSuffix):
		name, named = parseName(file, pendingSuffix)
	case strings.HasSuffix(file, committedSuffix):
		name, named = parseName(file, committedSuffix)
	default:
		return nil, name, false, fmt.Errorf("%w: that is no name of a journal", core.ErrInvalid)
	}
	dir, err = f.dir.Enter(folder)
	return dir, name, named, err
}

// within opens the folder for what a person does to a file.
func (j *Journal) within(verb, file string, do func(f *Folder, dir Dir, name Name) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := func() error {
		folder, err := j.open()
		if err != nil {
			return err
		}
		defer folder.Close()
		dir, name, named, err := folder.locate(file)
		if err != nil {
			return err
		}
		defer dir.Close()
		if !named {
			return fmt.Errorf("%w: its name is not that of any run's journal", core.ErrInvalid)
		}
		return do(folder, dir, name)
	}()
	if err != nil {
		return fmt.Errorf("%s the journal %q: %w", verb, file, err)
	}
	return nil
}

// Restore takes a journal out of the quarantine, after a correction: it is
// pending again under its own name, which it returns. One that would go back at
// once is refused.
func (j *Journal) Restore(file string) (string, error) {
	var pending string
	err := j.within("restore", file, func(f *Folder, q Dir, name Name) error {
		if !strings.HasSuffix(file, quarantineSuffix) {
			return fmt.Errorf("%w: it is not in quarantine", core.ErrInvalid)
		}
		info, data, err := readFile(q, file, f.trusts)
		if err == nil {
			var r Record
			if r, err = decode(data); err == nil {
				if err = r.agree(f.slug, name); err == nil {
					_, err = r.result()
				}
			}
		}
		if err != nil && !errors.Is(err, errNewer) {
			return fmt.Errorf("%w: it would go to quarantine again: %w", core.ErrRefused, err)
		}
		pending = name.pending()
		if there, err := q.Lstat(file); err != nil || !unmoved(there, info) {
			return errMoved
		}
		if err := q.RenameNew(file, f.dir, pending); err != nil {
			if errors.Is(err, errTaken) {
				return fmt.Errorf("%w: %q is there; replay it or put it aside first", core.ErrRefused, pending)
			}
			return err
		}
		delete(j.known, file)
		return errors.Join(f.dir.Sync(), q.Sync())
	})
	return pending, err
}

// Quarantine puts a pending journal aside because a person says so and returns
// its name there. The run is left as it is.
func (j *Journal) Quarantine(ctx context.Context, file, actor string) (string, error) {
	var there string
	err := j.within("quarantine", file, func(f *Folder, dir Dir, name Name) error {
		if !strings.HasSuffix(file, pendingSuffix) {
			return fmt.Errorf("%w: only a pending journal can be put aside", core.ErrInvalid)
		}
		var err error
		if there, err = f.putAside(f.dir, file, file); err != nil {
			return err
		}
		j.know(there)
		_, err = j.Board.NoteQuarantine(ctx, board.QuarantineNote{
			Task: name.Task, Run: name.Run, File: there, Reason: board.QuarantineByHand, Actor: actor,
		})
		return err
	})
	return there, err
}

// Accept brings a late result to its run because a person says so. The error
// wraps core.ErrRefused where the board stands against it.
func (j *Journal) Accept(ctx context.Context, file, actor string) (Result, error) {
	var r Result
	err := j.within("accept", file, func(f *Folder, dir Dir, name Name) error {
		if strings.HasSuffix(file, quarantineSuffix) {
			return fmt.Errorf("%w: it is in quarantine; restore it first", core.ErrRefused)
		}
		p := &pass{Journal: j, folder: f}
		found, result, err := p.load(file, name)
		if err != nil {
			return err
		}
		d, err := j.Board.AcceptResult(ctx, result, actor)
		if err != nil {
			return err
		}
		r = Result{File: file, Task: name.Task, Run: name.Run, Outcome: string(d.Judgement), Guard: d.Guard}
		if strings.HasSuffix(file, pendingSuffix) {
			p.commitAccepted(file, name, found)
		}
		delete(j.judged, file)
		return nil
	})
	return r, err
}

// commitAccepted gives an accepted result the committed name. The one that lost
// against it goes on waiting under a name in the quarantine.
func (p *pass) commitAccepted(file string, name Name, found held) {
	if !p.commit(file, name, found) {
		if there, err := p.folder.putAside(p.folder.dir, name.committed(), name.committed()); err == nil {
			p.know(there)
			p.commit(file, name, found)
		}
	}
	_ = p.folder.dir.Sync()
}

// PruneOptions say how old, in seconds, what is deleted must be.
type PruneOptions struct {
	Committed  int64 // 0 means KeepCommitted
	Quarantine int64 // 0 deletes nothing there; else at least KeepQuarantine
}

// KeepQuarantine is how many seconds a file stays in quarantine at least.
const KeepQuarantine = 30 * 24 * 3600

// Prune deletes what is old and not needed any more, and returns the names. Of
// the committed results those go that the board confirms to have.
func (j *Journal) Prune(ctx context.Context, o PruneOptions) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	folder, err := j.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := folder.dir.Names()
	if err != nil {
		return nil, err
	}
	if o.Committed <= 0 {
		o.Committed = KeepCommitted
	}
	p := &pass{Journal: j, folder: folder}
	gone, err := p.prune(ctx, names, o.Committed, len(names))
	if err != nil || o.Quarantine <= 0 {
		return gone, err
	}
	more, err := folder.pruneQuarantine(j.Now(), max(o.Quarantine, KeepQuarantine))
	return append(gone, more...), err
}

// readInto fills data as far as the file goes.
func readInto(file File, data []byte) (int, error) {
	n, err := io.ReadFull(file, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
