package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// reader is the one connection that looks at the board.
type reader struct {
	db   *sql.DB
	conn *sql.Conn
	info os.FileInfo // the file at the moment of opening, to notice a swap
	live bool        // false for immutable opens: others' changes are not seen
	mode string      // journal mode as found

	schema        schema
	schemaVersion int64
	dataVersion   int64
}

// dsn names the file so that no character of the path can become a parameter
// or open another file.
func dsn(path, mode string, busy time.Duration, more ...string) string {
	q := url.Values{}
	switch mode {
	case "immutable":
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	default:
		q.Set("mode", mode)
	}
	q.Set("_busy_timeout", strconv.FormatInt(busy.Milliseconds(), 10))
	for _, pragma := range more {
		q.Add("_pragma", pragma)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// lookMode chooses how to open the file so that looking leaves it as it is.
//
//   - A -journal beside it: read-only. Opening it read-write would roll it back.
//   - A -wal with content: read-only. Closing a read-write handle would checkpoint.
//   - Otherwise read-write with query_only, which leaves nothing behind, where a
//     read-only open of a WAL board would leave a -wal and a -shm.
//   - A file marked read-only with nothing in its -wal: immutable, not live.
func lookMode(path string, info os.FileInfo) string {
	_, journal := os.Lstat(path + "-journal")
	wal := hasContent(path + "-wal")
	switch {
	case journal == nil || wal:
		return "ro"
	case info.Mode().Perm()&0o222 == 0:
		return "immutable"
	case unix.Access(path, unix.W_OK) != nil || unix.Access(dirOf(path), unix.W_OK) != nil:
		return "ro"
	}
	return "rw"
}

// openToLook opens path without changing anything and reads its schema.
func openToLook(ctx context.Context, path string, busy time.Duration) (*reader, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("board %q: %w; create it with: hermes-tui init", path, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("board %q: %w", path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("board %q: %w: it is no regular file", path, ErrNotDatabase)
	case info.Size() == 0:
		return nil, fmt.Errorf("board %q: %w", path, ErrEmpty)
	}
	mode := lookMode(path, info)
	r, err := connectToLook(ctx, path, mode, busy)
	var serr *sqlite.Error
	if mode == "ro" && errors.As(err, &serr) && !hasContent(path+"-wal") &&
		(serr.Code() == lib.SQLITE_READONLY_DIRECTORY || serr.Code() == lib.SQLITE_CANTOPEN) {
		r, err = connectToLook(ctx, path, "immutable", busy)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	// Between the stat and the open the file may have been swapped.
	if after, err := os.Stat(path); err != nil || !os.SameFile(info, after) {
		_ = r.close()
		return nil, fmt.Errorf("board %q: %w while it was being opened", path, ErrReplaced)
	}
	r.info = info
	return r, nil
}

// connectToLook makes the connection in the given mode and proves by reading
// that the file is a board.
func connectToLook(ctx context.Context, path, mode string, busy time.Duration) (*reader, error) {
	db, err := sql.Open("sqlite", dsn(path, mode, busy, "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	r := &reader{db: db, live: mode != "immutable"}
	if r.conn, err = db.Conn(ctx); err == nil {
		err = r.examine(ctx)
	}
	if err != nil {
		_ = r.close()
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
	if err := r.conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&r.mode); err != nil {
		return err
	}
	return r.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&r.dataVersion)
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

// close lets go of the connection. It is safe on a reader that failed halfway.
func (r *reader) close() error {
	var err error
	if r.conn != nil {
		err = r.conn.Close()
	}
	return errors.Join(err, r.db.Close())
}

// QuickCheck runs SQLite's quick_check on a connection of its own, so that the
// board stays usable meanwhile. It returns an error that wraps ErrDamaged with
// the first finding when the file is not sound.
func (b *Board) QuickCheck(ctx context.Context) error {
	r, err := openToLook(ctx, b.path, b.opt.Busy)
	if err != nil {
		return fmt.Errorf("check %w", err)
	}
	defer func() {
		// Closing the only connection to a -wal with content would checkpoint;
		// the board's own reader is still open, so this one never is the last.
		_ = r.close()
	}()
	var first string
	if err := r.conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&first); err != nil {
		return fmt.Errorf("check %w", b.explain(err))
	}
	if first != "ok" {
		return fmt.Errorf("check board %q: %w: %s", b.path, ErrDamaged, first)
	}
	return nil
}
