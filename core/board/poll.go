package board

import (
	"context"
	"fmt"
	"os"
)

// Change is the answer of a poll.
type Change int

// What a poll can find.
const (
	Same     Change = iota // nothing moved since the last poll
	Changed                // somebody committed; a new snapshot is due
	Replaced               // the path leads to another file now, which is open
)

// Poll asks cheaply whether the board has moved: the identity of the file and
// SQLite's data_version. A file that was swapped under the program is opened
// anew, so that nobody goes on reading, or writing into, a file without a name.
func (b *Board) Poll(ctx context.Context) (Change, error) {
	replaced, err := b.swapped()
	if err != nil {
		return Same, fmt.Errorf("poll %w", err)
	}
	if replaced {
		if err := b.reopen(ctx); err != nil {
			return Same, fmt.Errorf("reopen %w", err)
		}
		return Replaced, nil
	}
	b.reading.Lock()
	defer b.reading.Unlock()
	var version int64
	if err := b.read.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return Same, fmt.Errorf("poll %w", b.explain(err))
	}
	if version == b.read.dataVersion {
		return Same, nil
	}
	b.read.dataVersion = version
	return Changed, nil
}

// swapped reports whether the path leads to another file than the open one. An
// immutable open sees no change by itself, so there any change of the file's
// facts counts as another file.
func (b *Board) swapped() (bool, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	now, err := os.Stat(b.path)
	switch {
	case os.IsNotExist(err):
		return false, fmt.Errorf("board %q: %w: it was removed or moved away", b.path, ErrMissing)
	case err != nil:
		return false, fmt.Errorf("board %q: %w", b.path, err)
	case b.read == nil || !os.SameFile(now, b.read.info):
		return true, nil
	}
	return !b.read.live && (now.Size() != b.read.info.Size() || !now.ModTime().Equal(b.read.info.ModTime()) ||
		now.Mode() != b.read.info.Mode()), nil
}

// reopen looks at the file that the path leads to now and lets go of the old
// one. Where the new file cannot be opened the old connections stay, so that
// the last known board remains readable; writes to it are refused.
func (b *Board) reopen(ctx context.Context) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.reading.Lock()
	defer b.reading.Unlock()
	fresh, err := openToLook(ctx, b.path, b.opt.Busy)
	if err != nil {
		return err
	}
	if b.w != nil {
		_ = b.w.close()
		b.w = nil
	}
	if b.read != nil {
		_ = b.read.close()
	}
	b.read = fresh
	b.generation++
	return nil
}

// Generation counts how often the file behind the path was swapped. A request
// that was prepared on one generation is refused on the next.
func (b *Board) Generation() int {
	b.reading.Lock()
	defer b.reading.Unlock()
	return b.generation
}
