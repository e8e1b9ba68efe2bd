package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// tx is one immediate write transaction. Its methods keep statements short in
// the transitions: they leave out what this board lacks and count what changed.
type tx struct {
	ctx    context.Context
	board  *Board
	conn   *writer
	schema schema
	now    int64 // the moment of the transaction, in epoch seconds
}

// kept is a refusal whose rows stay: Hermes records some refusals as events.
type kept struct{ error }

func (k kept) Unwrap() error { return k.error }

// write runs fn in one immediate transaction on the writing connection and
// commits unless fn fails. what names the request for the error text. Nothing
// is reported as done before the commit has succeeded.
func (b *Board) write(ctx context.Context, what string, fn func(*tx) error) error {
	if b.opt.ReadOnly != "" {
		return fmt.Errorf("%s: %w: %s", what, core.ErrRefused, b.opt.ReadOnly)
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	w, err := b.writer(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := w.begin(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, b.explain(err))
	}
	err = b.sameFile()
	if err == nil {
		err = fn(&tx{ctx: ctx, board: b, conn: w, schema: w.schema, now: b.opt.Now()})
	}
	var keep kept
	if err != nil && !errors.As(err, &keep) {
		w.rollback()
		return fmt.Errorf("%s: %w", what, b.explain(err))
	}
	if cerr := w.commit(ctx); cerr != nil {
		w.rollback()
		return fmt.Errorf("%s: not saved: %w", what, b.explain(cerr))
	}
	// A file that was swapped during the commit has taken what was written with it.
	if serr := b.sameFile(); serr != nil {
		return fmt.Errorf("%s: not saved: %w", what, serr)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, keep.error)
	}
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	stmt, err := t.conn.prepare(t.ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// query runs a query on the writing connection, so that it sees this
// transaction's own rows under its lock.
func (t *tx) query(query string, args ...any) (*sql.Rows, error) {
	stmt, err := t.conn.prepare(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(t.ctx, args...)
}

// row scans the only row of a query and reports whether there was one.
func (t *tx) row(query string, args []any, dest ...any) (bool, error) {
	stmt, err := t.conn.prepare(t.ctx, query)
	if err != nil {
		return false, err
	}
	err = stmt.QueryRowContext(t.ctx, args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// texts collects the first column of a query.
func (t *tx) texts(query string, args ...any) ([]string, error) {
	rows, err := t.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// update sets columns of the rows of table that the condition names and returns
// how many changed. Columns that this board lacks are left out.
func (t *tx) update(table string, set fields, where string, args ...any) (int64, error) {
	var b strings.Builder
	var values []any
	for _, f := range set {
		if !t.schema.has(table, f.name) {
			continue
		}
		if len(values) > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.name + " = ?")
		values = append(values, f.value)
	}
	if len(values) == 0 {
		return 0, nil
	}
	return t.exec("UPDATE "+table+" SET "+b.String()+" WHERE "+where, append(values, args...)...)
}

// updateTask is the compare-and-set of one card: it reports whether the card
// still fulfilled the guard and was changed.
func (t *tx) updateTask(id string, set fields, guard string, args ...any) (bool, error) {
	n, err := t.update("tasks", set, "id = ? AND ("+guard+")", append([]any{id}, args...)...)
	return n == 1, err
}

// insert adds one row and returns its rowid. Columns that this board lacks are
// left out.
func (t *tx) insert(table string, row fields) (int64, error) {
	var names, marks []string
	var values []any
	for _, f := range row {
		if t.schema.has(table, f.name) {
			names = append(names, f.name)
			marks = append(marks, "?")
			values = append(values, f.value)
		}
	}
	stmt, err := t.conn.prepare(t.ctx, "INSERT INTO "+table+"("+strings.Join(names, ", ")+") VALUES("+strings.Join(marks, ", ")+")")
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(t.ctx, values...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// event appends to the log of a card. A payload without keys is stored as NULL.
func (t *tx) event(task string, run *int64, kind string, payload fields) error {
	var text any
	if len(payload) > 0 {
		text = pythonJSON(payload)
	}
	_, err := t.insert("task_events", fields{
		{"task_id", task}, {"run_id", run}, {"kind", kind}, {"payload", text}, {"created_at", t.now},
	})
	return err
}
