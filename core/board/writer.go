package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// writer is the one connection that writes. It is opened by the first write.
type writer struct {
	db     *sql.DB
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt
	schema schema

	schemaVersion int64
}

// writePragmas are those that Hermes sets on each of its connections. None of
// them changes the file; the journal mode is left as it was found.
func writePragmas() []string {
	pragmas := []string{
		"synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)", "cell_size_check(1)",
		"wal_autocheckpoint(100)", "journal_size_limit(8388608)",
	}
	if runtime.GOOS == "darwin" {
		pragmas = append(pragmas, "checkpoint_fullfsync(1)")
	}
	return pragmas
}

// writer returns the writing connection, opening it where there is none or the
// file was replaced since. The caller holds b.writing.
func (b *Board) writer(ctx context.Context) (*writer, error) {
	if err := b.sameFile(); err != nil {
		return nil, err
	}
	if b.w != nil {
		return b.w, nil
	}
	file, _, err := find(b.path)
	if err != nil {
		return nil, err
	}
	w, err := openToWrite(ctx, file, "rw", b.opt.Busy)
	if err != nil {
		return nil, b.explain(err)
	}
	b.w = w
	return w, nil
}

// openToWrite connects for writing. mode is rw for a board that exists; only
// creating a board uses rwc.
func openToWrite(ctx context.Context, path, mode string, busy time.Duration) (*writer, error) {
	db, conn, err := connect(ctx, path, mode, busy, writePragmas())
	if err != nil {
		return nil, err
	}
	return &writer{db: db, conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

// connect opens the one connection of a reader or writer and prepares it. The
// pragmas are statements of their own, because some of them wait for a lock,
// and only a statement's wait ends with its context.
func connect(ctx context.Context, path, mode string, busy time.Duration, pragmas []string) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("sqlite", dsn(path, mode, busy))
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	for _, pragma := range pragmas {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return nil, nil, errors.Join(err, conn.Close(), db.Close())
		}
	}
	return db, conn, nil
}

// begin starts an immediate transaction and reads the schema anew where another
// program has changed it.
func (w *writer) begin(ctx context.Context) error {
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		// A context that ends meanwhile makes the call fail, although it may have
		// begun: the lock would be held for as long as this connection lives.
		w.rollback()
		return err
	}
	if err := w.refreshSchema(ctx); err != nil {
		w.rollback()
		return err
	}
	return nil
}

func (w *writer) refreshSchema(ctx context.Context) error {
	stmt, err := w.prepare(ctx, "PRAGMA schema_version")
	if err != nil {
		return err
	}
	var version int64
	if err := stmt.QueryRowContext(ctx).Scan(&version); err != nil {
		return err
	}
	if w.schema != nil && version == w.schemaVersion {
		return nil
	}
	s, err := readSchema(ctx, w.conn)
	if err != nil {
		return err
	}
	if s["tasks"] == nil {
		return ErrNoTables
	}
	w.schema, w.schemaVersion = s, version
	return nil
}

// commit saves the transaction, unless ctx has ended before. Once begun it is
// seen to its end: a commit that is cut off fails although it may be saved. A
// wait for somebody who reads is bounded by the busy timeout alone.
func (w *writer) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := w.conn.ExecContext(context.WithoutCancel(ctx), "COMMIT")
	return err
}

// rollback ends a transaction that must leave nothing. It runs whatever became
// of the caller's context; a failure means that SQLite has already rolled back.
func (w *writer) rollback() {
	_, _ = w.conn.ExecContext(context.Background(), "ROLLBACK")
}

// prepare returns the statement of this text, compiled once a connection.
func (w *writer) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("statement %q: %w", query, err)
	}
	w.stmts[query] = stmt
	return stmt, nil
}

func (w *writer) close() error {
	for _, stmt := range w.stmts {
		_ = stmt.Close()
	}
	return errors.Join(w.conn.Close(), w.db.Close())
}

// Recover is the function Recover for an open board, whose readers can go on
// afterwards.
func (b *Board) Recover(ctx context.Context) error { return Recover(ctx, b.path, b.opt.Busy) }

// Recover makes SQLite take back what a program that died while writing has
// left half done: it is the write that ErrInterrupted waits for. busy is how
// long it waits for a lock. On a board that needs nothing it changes nothing.
func Recover(ctx context.Context, path string, busy time.Duration) error {
	file, _, err := find(path)
	if err != nil {
		return fmt.Errorf("recover %w", err)
	}
	w, err := openToWrite(ctx, file, "rw", busy)
	if err != nil {
		return fmt.Errorf("recover %w", explain(path, err))
	}
	defer w.close()
	if err := w.begin(ctx); err != nil {
		return fmt.Errorf("recover %w", explain(path, err))
	}
	w.rollback()
	return nil
}
