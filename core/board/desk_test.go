package board_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

var ctx = context.Background()

// desk is a board to work on, and a second connection that sees and changes it
// as another program would.
type desk struct {
	*board.Board
	t     testing.TB
	path  string
	other *sql.DB
	now   int64
	ids   int
}

// newDesk opens an empty board. adapt may change the options.
func newDesk(t *testing.T, adapt ...func(*board.Options)) *desk {
	t.Helper()
	return deskAt(t, fresh(t), adapt...)
}

func deskAt(t testing.TB, path string, adapt ...func(*board.Options)) *desk {
	t.Helper()
	d := &desk{t: t, path: path, now: 1_750_000_000}
	opt := board.Options{
		Now:   func() int64 { return d.now },
		NewID: func() string { d.ids++; return fmt.Sprintf("t_%08x", 0xf0000000+d.ids) },
		Busy:  5 * time.Second,
	}
	for _, a := range adapt {
		a(&opt)
	}
	b, err := board.Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	d.Board, d.other = b, foreign(t, path)
	return d
}

// card makes a card that is as the adaptation of its request says.
func (d *desk) card(adapt ...func(*board.NewTask)) string {
	d.t.Helper()
	n := board.NewTask{Title: "a card", Assignee: "alice"}
	for _, a := range adapt {
		a(&n)
	}
	made, err := d.CreateTask(context.Background(), n)
	if err != nil {
		d.t.Fatal(err)
	}
	return made.ID
}

func under(parents ...string) func(*board.NewTask) {
	return func(n *board.NewTask) { n.Parents = parents }
}

// claimed makes a card and claims it.
func (d *desk) claimed(adapt ...func(*board.NewTask)) (string, board.Claimed) {
	d.t.Helper()
	id := d.card(adapt...)
	c, err := d.Claim(context.Background(), board.ClaimRequest{Target: at(id), Lock: "here:1"})
	if err != nil {
		d.t.Fatal(err)
	}
	return id, c
}

func at(id string) board.Target { return board.Target{ID: id} }

// state is the card as it is stored.
func (d *desk) state(id string) core.Task {
	d.t.Helper()
	task, err := d.Task(context.Background(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return task
}

// must fails the test on an error.
func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// sql changes the board as another program would.
func (d *desk) sql(statement string, args ...any) {
	d.t.Helper()
	if _, err := d.other.Exec(statement, args...); err != nil {
		d.t.Fatalf("%v\nin: %s", err, statement)
	}
}

// one reads one value as text; NULL reads as "NULL".
func (d *desk) one(query string, args ...any) string {
	d.t.Helper()
	var s sql.NullString
	if err := d.other.QueryRow(query, args...).Scan(&s); err != nil {
		d.t.Fatalf("%v\nin: %s", err, query)
	}
	if !s.Valid {
		return "NULL"
	}
	return s.String
}

// kinds lists a card's events, oldest first.
func (d *desk) kinds(id string) string {
	d.t.Helper()
	return d.one("SELECT group_concat(kind, ' ') FROM (SELECT kind FROM task_events WHERE task_id = ? ORDER BY id)", id)
}

// said is the payload of the newest event of a card.
func (d *desk) said(id string) string {
	d.t.Helper()
	return d.one("SELECT payload FROM task_events WHERE task_id = ? ORDER BY id DESC LIMIT 1", id)
}

// everything is every row of every table that a transition may touch.
func (d *desk) everything() string {
	d.t.Helper()
	var out strings.Builder
	for _, table := range []string{"tasks", "task_links", "task_comments", "task_events", "task_runs", "kanban_notify_subs"} {
		rows, err := d.other.Query("SELECT * FROM " + table + " ORDER BY rowid")
		if err != nil {
			d.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			d.t.Fatal(err)
		}
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range dest {
			dest[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				d.t.Fatal(err)
			}
			fmt.Fprintln(&out, table, values)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			d.t.Fatal(err)
		}
	}
	return out.String()
}

// transitions are all functions that change one card, each as a person with
// the given target would ask for it.
func (d *desk) transitions(target board.Target) map[string]func() error {
	ctx, why := context.Background(), "because"
	claim := board.ClaimRequest{Target: target, Lock: "here:2"}
	return map[string]func() error{
		"claim":           func() error { _, err := d.Claim(ctx, claim); return err },
		"claim review":    func() error { _, err := d.ClaimReview(ctx, claim); return err },
		"heartbeat":       func() error { return d.Heartbeat(ctx, target, "") },
		"extend":          func() error { _, err := d.ExtendClaim(ctx, target, "here:1", 0); return err },
		"complete":        func() error { return d.Complete(ctx, board.Completion{Target: target, Result: &why, Force: true}) },
		"block":           func() error { _, err := d.Block(ctx, board.BlockRequest{Target: target, Reason: &why}); return err },
		"unblock":         func() error { _, err := d.Unblock(ctx, target); return err },
		"promote":         func() error { return d.Promote(ctx, target, &why) },
		"schedule":        func() error { return d.Schedule(ctx, target, &why) },
		"request review":  func() error { return d.RequestReview(ctx, board.ReviewRequest{Target: target, Force: true}) },
		"request changes": func() error { _, err := d.RequestChanges(ctx, target, why); return err },
		"reopen review":   func() error { _, err := d.ReopenReview(ctx, target); return err },
		"edit":            func() error { return d.Edit(ctx, board.EditRequest{Target: target, Title: &why}) },
		"assign":          func() error { return d.Assign(ctx, target, "bob") },
		"reassign":        func() error { return d.Reassign(ctx, board.ReclaimRequest{Target: target}, "bob") },
		"reclaim":         func() error { _, err := d.Reclaim(ctx, board.ReclaimRequest{Target: target}); return err },
		"comment":         func() error { _, err := d.Comment(ctx, target, "ann", "hello"); return err },
		"link":            func() error { _, err := d.Link(ctx, "t_parent", target); return err },
		"unlink":          func() error { _, err := d.Unlink(ctx, "t_parent", target); return err },
		"archive":         func() error { _, err := d.Archive(ctx, target, nil); return err },
		"delete":          func() error { return d.Delete(ctx, target) },
		"delete archived": func() error { return d.DeleteArchived(ctx, target) },
	}
}

// insert adds a card by hand, in a status of its own.
func (d *desk) insert(id, status string) {
	d.t.Helper()
	d.sql("INSERT INTO tasks(id, title, assignee, status, created_at) VALUES(?, 'by hand', 'alice', ?, ?)", id, status, d.now)
}
