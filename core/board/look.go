package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// The ways to open a file for looking; see lookMode.
const (
	readOnly  = "ro"
	readWrite = "rw"        // with query_only
	immutable = "immutable" // takes no locks and sees no change by others
)

// reader is the one connection that looks at the board.
type reader struct {
	db   *sql.DB
	conn *sql.Conn
	how  string      // readOnly, readWrite or immutable
	file string      // what the path leads to; its -wal and -journal stand beside it
	info os.FileInfo // the file at the moment of opening, to notice a swap
	mode string      // journal mode as found

	siblings map[string]os.FileInfo // the -wal and -shm that this connection uses

	schema        schema
	schemaVersion int64
	dataVersion   int64
}

// live reports whether the connection sees what others commit.
func (r *reader) live() bool { return r.how != immutable }

// dsn names the file so that no character of the path can become a parameter
// or open another file.
func dsn(path, mode string, busy time.Duration) string {
	q := url.Values{}
	switch mode {
	case immutable:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	default:
		q.Set("mode", mode)
	}
	q.Set("_busy_timeout", strconv.FormatInt(busy.Milliseconds(), 10))
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// lookMode chooses how to open the file so that looking leaves it as it is.
//
//   - A -journal beside it, or a -wal with content: read-only. Opening it
//     read-write would roll it back, closing it would checkpoint.
//   - A board in a rollback journal mode: read-only as well. A read-write handle
//     would roll back what a dying writer leaves later on.
//   - A WAL board that nobody writes: a read-only open would leave a -wal and a
//     -shm behind, so it is opened read-write with query_only.
//   - The same where the file or folder cannot be written: immutable, unless a
//     -shm says that somebody has it open.
func lookMode(ctx context.Context, file string, info os.FileInfo) string {
	unwritable := info.Mode().Perm()&0o222 == 0 ||
		unix.Access(file, unix.W_OK) != nil || unix.Access(filepath.Dir(file), unix.W_OK) != nil
	switch {
	case exists(file + "-journal"), hasContent(file + "-wal"):
		return readOnly
	case !exists(file+"-wal") && rollsBack(ctx, file):
		return readOnly
	case unwritable && exists(file+"-shm"):
		return readOnly
	case unwritable:
		return immutable
	}
	return readWrite
}

// rollsBack reports whether the file is known to be in a rollback journal mode,
// as the version in its header says. Only an immutable open finds out without
// leaving anything behind; as it takes no locks, a failure means nothing.
func rollsBack(ctx context.Context, file string) bool {
	db, err := sql.Open("sqlite", dsn(file, immutable, 0))
	if err != nil {
		return false
	}
	defer db.Close()
	var version string
	err = db.QueryRowContext(ctx, "SELECT hex(substr(data, 19, 1)) FROM sqlite_dbpage WHERE pgno = 1").Scan(&version)
	return err == nil && version == "01"
}

// find follows path to a file that may be a board.
func find(path string) (file string, info os.FileInfo, err error) {
	info, err = os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil, fmt.Errorf("board %q: %w; create it with: hermes-tui init", path, ErrMissing)
	case err != nil:
		return "", nil, fmt.Errorf("board %q: %w", path, err)
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("board %q: %w: it is no regular file", path, ErrNotDatabase)
	case info.Size() == 0:
		return "", nil, fmt.Errorf("board %q: %w", path, ErrEmpty)
	}
	if file, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, fmt.Errorf("board %q: %w", path, err)
	}
	return file, info, nil
}

// openToLook opens path without changing anything and reads its schema.
func openToLook(ctx context.Context, path string, busy time.Duration) (*reader, error) {
	file, info, err := find(path)
	if err != nil {
		return nil, err
	}
	how := lookMode(ctx, file, info)
	r, err := connectToLook(ctx, file, how, busy)
	if how == readOnly && !exists(file+"-journal") && !hasContent(file+"-wal") && needsToWrite(err) {
		r, err = connectToLook(ctx, file, immutable, busy)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	r.info = info
	// Between the stat and the open the file may have been swapped.
	if after, err := os.Stat(path); err != nil || !os.SameFile(info, after) {
		_ = r.letGo(false)
		return nil, fmt.Errorf("board %q: %w while it was being opened", path, ErrReplaced)
	}
	return r, nil
}

// needsToWrite reports whether a read-only open failed for want of a -wal or
// -shm that it may not make.
func needsToWrite(err error) bool {
	var serr *sqlite.Error
	if !errors.As(err, &serr) {
		return false
	}
	return serr.Code()&0xff == lib.SQLITE_READONLY || serr.Code()&0xff == lib.SQLITE_CANTOPEN
}

// connectToLook makes the connection and proves by reading that the file is a
// board.
func connectToLook(ctx context.Context, file, how string, busy time.Duration) (*reader, error) {
	// The cache, in KiB, holds a board of some ten thousand cards, so that the
	// next snapshot reads only what has changed.
	db, conn, err := connect(ctx, file, how, busy, []string{"query_only(1)", "cache_size(-16384)"})
	if err != nil {
		return nil, err
	}
	r := &reader{db: db, conn: conn, how: how, file: file}
	if err := r.examine(ctx); err != nil {
		_ = r.letGo(false)
		return nil, err
	}
	return r, nil
}

// examine reads what the reader must know about the file.
func (r *reader) examine(ctx context.Context) error {
	if err := r.readSchema(ctx); err != nil {
		return err
	}
	if r.schema["tasks"] == nil {
		return ErrNoTables
	}
	if err := r.readMode(ctx); err != nil {
		return err
	}
	return r.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&r.dataVersion)
}

// readMode reads the journal mode and, in WAL mode, which -wal and -shm are in
// use, to notice when they are taken away.
func (r *reader) readMode(ctx context.Context) error {
	if r.how == immutable {
		r.mode = "wal" // nothing else is opened so, and SQLite would say "delete"
		return nil
	}
	if err := r.conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&r.mode); err != nil {
		return err
	}
	r.siblings = map[string]os.FileInfo{}
	if r.mode != "wal" {
		return nil
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if info, err := os.Stat(r.file + suffix); err == nil {
			r.siblings[suffix] = info
		}
	}
	return nil
}

// lostSiblings reports whether the -wal or -shm in use is no longer the one
// beside the file.
func (r *reader) lostSiblings() bool {
	for suffix, opened := range r.siblings {
		now, err := os.Stat(r.file + suffix)
		if err != nil || !os.SameFile(now, opened) {
			return true
		}
	}
	return false
}

// readSchema reads the tables and columns anew when the schema has moved.
func (r *reader) readSchema(ctx context.Context) error {
	var version int64
	if err := r.conn.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return err
	}
	if r.schema != nil && version == r.schemaVersion {
		return nil
	}
	s, err := readSchema(ctx, r.conn)
	if err != nil {
		return err
	}
	r.schema, r.schemaVersion = s, version
	return nil
}

// letGo closes the connection, unless that would change the board. Closing the
// last read-write handle of a WAL board checkpoints, and looking changes
// nothing: where the -wal got content and nothing of it is ours (wrote), the
// handle is left to the end of the process, as after a kill. SQLite by itself
// spares the -wal of another file that has taken the name. It is safe on a
// reader that failed halfway.
func (r *reader) letGo(wrote bool) error {
	if r.how == readWrite {
		now, err := os.Stat(r.file)
		moved := r.info != nil && (err != nil || !os.SameFile(now, r.info))
		switch {
		case r.lostSiblings():
			keepWAL(r.conn)
		case !wrote && !moved && hasContent(r.file+"-wal"):
			return nil
		}
	}
	return errors.Join(r.conn.Close(), r.db.Close())
}

// keepWAL makes SQLite leave the -wal beside the file at close, because it is
// not the one that this connection has open.
func keepWAL(conn *sql.Conn) {
	_ = conn.Raw(func(driver any) error {
		_, err := driver.(sqlite.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
}

// QuickCheck runs SQLite's quick_check on a connection of its own, so that the
// board stays usable meanwhile. It returns an error that wraps ErrDamaged with
// the first finding when the file is not sound.
func (b *Board) QuickCheck(ctx context.Context) error {
	r, err := openToLook(ctx, b.path, b.opt.Busy)
	if err != nil {
		return fmt.Errorf("check %w", err)
	}
	defer r.letGo(false)
	var first string
	if err := r.conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&first); err != nil {
		return fmt.Errorf("check %w", b.explain(err))
	}
	if first != "ok" {
		return fmt.Errorf("check board %q: %w: %s", b.path, ErrDamaged, first)
	}
	return nil
}

// hasContent reports whether the file exists and is not empty.
func hasContent(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
