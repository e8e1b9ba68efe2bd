package board

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// init makes SQLite use open-file-description locks where the system has them,
// so that no close of a stray handle in this process can drop them. It must run
// before the first database file is opened; elsewhere POSIX locks stay, which
// is why nothing but the driver may open a board file.
func init() {
	if _, err := sqlite.OFDLocking(true); err != nil && !errors.Is(err, sqlite.ErrOFDLockingUnavailable) {
		panic(fmt.Sprintf("board: cannot switch SQLite to open-file-description locks: %v", err))
	}
}

// Options are what a board needs from outside.
type Options struct {
	Now   func() int64  // the clock, in epoch seconds
	NewID func() string // a fresh task id: "t_" and eight lower-case hex digits
	// Busy is how long a statement waits for another program's lock before it
	// fails with ErrBusy. The context of a call ends the wait earlier, but for
	// that of a commit, of which nobody would know then whether it was saved.
	Busy time.Duration
	// ReadOnly, where not empty, says why every write is to be refused.
	ReadOnly string
	// PromoteAll makes complete, archive, delete and unlink look for cards to
	// promote on the whole board, as Hermes does. Otherwise they look at the
	// card's children, so that they cost the same on a board of any size, and
	// the tick finds the rest.
	PromoteAll bool
}

// Board is an open board file. It may be used by several goroutines.
type Board struct {
	path string
	opt  Options

	reading    sync.Mutex // guards what follows; taken after writing
	read       *reader
	generation int
	closed     bool

	writing sync.Mutex // guards w; one write at a time
	w       *writer
}

// Open opens the board file at path for looking and checks that it is one:
// present, not empty, an SQLite database, with a tasks table. It changes
// nothing. The returned error wraps one of the errors of this package.
func Open(ctx context.Context, path string, opt Options) (*Board, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open board %q: %w", path, err)
	}
	b := &Board{path: abs, opt: opt}
	r, err := openToLook(ctx, abs, opt.Busy)
	if err != nil {
		return nil, fmt.Errorf("open %w", err)
	}
	b.read = r
	return b, nil
}

// Path is the absolute path of the board file.
func (b *Board) Path() string { return b.path }

// Facts are what a person should know about an open board.
type Facts struct {
	JournalMode string   // "delete", "wal", ... as found; never changed by us
	Live        bool     // false when changes by others are noticed only by a new open
	Lacking     []string // columns that dispatching needs and the board does not have
	Unknown     []string // columns of a newer Hermes than we know, as "table.column"
}

// Facts returns what the reading connection knows about the file.
func (b *Board) Facts() Facts {
	b.reading.Lock()
	defer b.reading.Unlock()
	if b.read == nil {
		return Facts{}
	}
	return Facts{
		JournalMode: b.read.mode, Live: b.read.live(),
		Lacking: b.read.schema.lacking(), Unknown: b.read.schema.unknown(),
	}
}

// Close lets go of the file. After a session that only looked, a reader whose
// close would checkpoint is left to the end of the process, see reader.letGo.
// A closed board refuses everything; closing it again is no error.
func (b *Board) Close() error {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.reading.Lock()
	defer b.reading.Unlock()
	b.closed = true
	return b.disconnect()
}

// disconnect lets go of both connections. The caller holds both locks.
func (b *Board) disconnect() error {
	var err error
	if b.read != nil {
		lost := b.read.lostSiblings()
		err = b.read.letGo(b.w != nil)
		if b.w != nil && lost {
			keepWAL(b.w.conn)
		}
		b.read = nil
	}
	if b.w != nil {
		err = errors.Join(err, b.w.close())
		b.w = nil
	}
	return err
}

// sameFile fails when the path no longer leads to the file that was opened.
func (b *Board) sameFile() error {
	b.reading.Lock()
	defer b.reading.Unlock()
	found, err := b.compare()
	if err == nil && (found == otherFile || found == lostSiblings) {
		err = fmt.Errorf("board %q: %w", b.path, ErrReplaced)
	}
	return err
}
