package journal

import (
	"errors"
	"fmt"
	"io/fs"
)

// How a result may fail to become durable, or to be known as durable.
var (
	// ErrNotDurable: nothing is promised; the result is not in the journal.
	ErrNotDurable = errors.New("the result could not be made durable")
	// ErrReplayable: the result is written and named, but the system did not
	// confirm the name. It is not lost: the next replay finds it.
	ErrReplayable = errors.New("the result is written, but its name is not confirmed; terminal replayable=True")
	// ErrConflict: the run has another result already, which stays; this one went
	// to quarantine.
	ErrConflict = errors.New("the run has another result already")
)

// maxAttempts is how many files are tried for one record.
const maxAttempts = 4

// Slot is space that was reserved for a result before the work began, so that
// it can be written on a full disk.
type Slot struct {
	dir  Dir
	name Name
	file File
}

// Reserve makes the slot of a run. Work may begin without one.
func (f *Folder) Reserve(task string, run int64) (*Slot, error) {
	name := Name{Task: task, Run: run}
	if err := name.Check(); err != nil {
		return nil, err
	}
	dir, err := makeDir(f.dir, runFolder)
	if err != nil {
		return nil, err
	}
	file, err := dir.Create(name.slot())
	if err == nil {
		if err = file.Allocate(MaxRecord); err != nil {
			err = errors.Join(err, file.Close(), dir.Unlink(name.slot()))
		}
	}
	if err != nil {
		_ = dir.Close()
		return nil, fmt.Errorf("reserve space for the result of run %d: %w", run, err)
	}
	return &Slot{dir: dir, name: name, file: file}, nil
}

// Close gives the slot back. A slot that became a result is not there any more.
func (s *Slot) Close() error {
	if s.file == nil {
		return s.dir.Close()
	}
	err := errors.Join(s.file.Close(), s.dir.Unlink(s.name.slot()))
	s.file = nil
	return errors.Join(err, s.dir.Close())
}

// Write makes a result durable: when it returns nil, no crash and no power cut
// takes the result away. Nobody may tell the board before. The error wraps
// ErrNotDurable, ErrReplayable or ErrConflict, or says why the record is none.
// slot may be nil. Writing the same result again succeeds.
func (f *Folder) Write(r Record, slot *Slot) error {
	name := r.name()
	if err := name.Check(); err != nil {
		return err
	}
	if err := r.agree(f.slug, name); err != nil {
		return err
	}
	if _, err := r.result(); err != nil {
		return err
	}
	data, err := r.encode()
	if err != nil {
		return err
	}
	if was, err := f.read(name.committed(), name); err == nil && was.same(r) {
		return nil
	}
	return f.publish(r, data, slot)
}

// publish tries until one file carries the pending name, each time with a new
// file: a handle whose sync failed may claim success the next time without
// having written anything.
func (f *Folder) publish(r Record, data []byte, slot *Slot) error {
	name := r.name()
	var failures []error
	for n := 1; n <= maxAttempts; n++ {
		a, err := f.attempt(name, n, slot)
		if err == nil {
			err = f.place(a, r, data)
		}
		switch {
		case err == nil || errors.Is(err, ErrReplayable):
			f.tidy(name, n, slot)
			return err
		case errors.Is(err, ErrConflict):
			return err
		}
		failures = append(failures, err)
	}
	f.tidy(name, maxAttempts, slot) // the last one is trace enough
	return fmt.Errorf("%w: %w", ErrNotDurable, errors.Join(failures...))
}

// attempt is one file that may become the record.
type attempt struct {
	dir  Dir
	file File
	name string
}

func (f *Folder) attempt(name Name, n int, slot *Slot) (attempt, error) {
	if n == 1 && slot != nil && slot.file != nil && slot.name == name {
		a := attempt{slot.dir, slot.file, name.slot()}
		slot.file = nil // whatever becomes of it, it is not tried again
		return a, nil
	}
	file, err := f.dir.Create(name.temporary(n))
	return attempt{f.dir, file, name.temporary(n)}, err
}

// place fills the file, gives it the pending name and makes that durable.
func (f *Folder) place(a attempt, r Record, data []byte) error {
	info, err := a.fill(data)
	if err != nil {
		return err
	}
	pending := r.name().pending()
	err = a.dir.RenameNew(a.name, f.dir, pending)
	if errors.Is(err, errTaken) {
		err = f.settle(a, r)
	}
	if err != nil && !errors.Is(err, ErrConflict) {
		// A rename that failed may have happened all the same.
		if now, lerr := f.dir.Lstat(pending); lerr == nil && now.sameFile(info) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if err := f.dir.Sync(); err != nil {
		return fmt.Errorf("%w: %w", ErrReplayable, err)
	}
	return nil
}

// fill writes and syncs the file. What could not be written whole is removed.
func (a attempt) fill(data []byte) (Info, error) {
	_, err := a.file.Write(data)
	if err != nil {
		err = errors.Join(err, a.file.Close(), a.dir.Unlink(a.name))
		return Info{}, err
	}
	_ = a.file.Release() // reserved blocks that stay only waste space
	err = a.file.Sync()
	info, serr := a.file.Stat()
	return info, errors.Join(err, serr, a.file.Close())
}

// settle decides what happens where the pending name is taken.
func (f *Folder) settle(a attempt, r Record) error {
	pending := r.name().pending()
	was, err := f.read(pending, r.name())
	var bad *fault
	switch {
	case err == nil && was.same(r):
		_ = a.dir.Unlink(a.name)
		return nil
	case err == nil || errors.Is(err, errNewer):
		as, err := f.putAside(a.dir, a.name, pending)
		if err != nil {
			return fmt.Errorf("%w, and this one could not be put aside: %w", ErrConflict, err)
		}
		return fmt.Errorf("%w; this one is in %q", ErrConflict, as)
	case errors.As(err, &bad):
		// It cannot be trusted and must not stand in the way of one that can.
		if _, err := f.putAside(f.dir, pending, pending); err != nil {
			return err
		}
		return a.dir.RenameNew(a.name, f.dir, pending)
	case errors.Is(err, errGone):
		return a.dir.RenameNew(a.name, f.dir, pending)
	}
	return err
}

// tidy removes what earlier attempts left. Failing leaves it to the replayer.
func (f *Folder) tidy(name Name, last int, slot *Slot) {
	for n := 1; n < last; n++ {
		if n == 1 && slot != nil && slot.name == name {
			_ = slot.dir.Unlink(name.slot())
			continue
		}
		_ = f.dir.Unlink(name.temporary(n))
	}
}

// taken reports whether a name is there already.
func taken(err error) bool { return errors.Is(err, errTaken) || errors.Is(err, fs.ErrExist) }
