package board

import (
	"context"
	"errors"
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
// While the new file cannot be opened, or there is none, Poll fails, the last
// board stays readable and writes are refused.
func (b *Board) Poll(ctx context.Context) (Change, error) {
	b.reading.Lock()
	found, err := b.compare()
	if err == nil && found == unmoved {
		var change Change
		change, err = b.read.poll(ctx)
		b.reading.Unlock()
		if err != nil {
			return Same, fmt.Errorf("poll %w", b.explain(err))
		}
		return change, nil
	}
	b.reading.Unlock()
	if err != nil {
		return Same, fmt.Errorf("poll %w", err)
	}
	change, err := b.reopen(ctx)
	if err != nil {
		return Same, fmt.Errorf("reopen %w", err)
	}
	return change, nil
}

// poll asks the connection whether another one has committed.
func (r *reader) poll(ctx context.Context) (Change, error) {
	var version int64
	if err := r.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return Same, err
	}
	if version == r.dataVersion {
		return Same, nil
	}
	// Another program may have switched the journal mode with its commit.
	if err := r.readMode(ctx); err != nil {
		return Same, err
	}
	r.dataVersion = version
	return Changed, nil
}

// whereabouts is what became of the file behind the path since it was opened.
type whereabouts int

const (
	unmoved      whereabouts = iota
	stale                    // the same file, but the open connection does not follow it
	lostSiblings             // the same file, but its -wal or -shm was removed or replaced
	otherFile
)

// compare looks where the path leads now. The caller holds b.reading.
func (b *Board) compare() (whereabouts, error) {
	if b.closed {
		return unmoved, fmt.Errorf("board %q: %w", b.path, errClosed)
	}
	now, err := os.Stat(b.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return unmoved, fmt.Errorf("board %q: %w: it was removed or moved away", b.path, ErrMissing)
	case err != nil:
		return unmoved, fmt.Errorf("board %q: %w", b.path, err)
	case b.read == nil || !os.SameFile(now, b.read.info):
		return otherFile, nil
	case b.read.lostSiblings():
		return lostSiblings, nil
	case !b.read.live() && b.read.outdated(now):
		return stale, nil
	}
	return unmoved, nil
}

// outdated reports whether the file of an immutable open, which sees no change
// by itself, shows signs of one.
func (r *reader) outdated(now os.FileInfo) bool {
	return now.Size() != r.info.Size() || !now.ModTime().Equal(r.info.ModTime()) || now.Mode() != r.info.Mode() ||
		hasContent(r.file+"-wal")
}

// reopen looks at the file that the path leads to now and lets go of the old
// one. Where the new file cannot be opened the old connections stay, so that
// the last known board remains readable; writes to it are refused.
func (b *Board) reopen(ctx context.Context) (Change, error) {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.reading.Lock()
	defer b.reading.Unlock()
	found, err := b.compare()
	if err != nil {
		return Same, err
	}
	if found == unmoved { // somebody else's poll was faster
		return Changed, nil
	}
	if found == lostSiblings {
		// A second connection to the same file would share the lost ones.
		_ = b.disconnect()
	}
	fresh, err := openToLook(ctx, b.path, b.opt.Busy)
	if err != nil {
		return Same, err
	}
	_ = b.disconnect()
	b.read = fresh
	if found == stale {
		return Changed, nil
	}
	b.generation++
	return Replaced, nil
}

// Mark tells one state of a board from another: it differs after every commit,
// by whomever.
type Mark struct {
	Generation int
	Version    int64
}

// Mark reads the mark of the board as it is now.
func (b *Board) Mark(ctx context.Context) (Mark, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	return b.markLocked(ctx)
}

func (b *Board) markLocked(ctx context.Context) (Mark, error) {
	m := Mark{Generation: b.generation}
	if b.read == nil {
		return m, fmt.Errorf("board %q: it is closed", b.path)
	}
	if err := b.read.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&m.Version); err != nil {
		return m, fmt.Errorf("mark %w", b.explain(err))
	}
	return m, nil
}

// Generation counts how often the file behind the path was swapped. A request
// that was prepared on one generation is refused on the next.
func (b *Board) Generation() int {
	b.reading.Lock()
	defer b.reading.Unlock()
	return b.generation
}
