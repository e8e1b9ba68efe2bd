package ui

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	_ "modernc.org/sqlite"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// desk is a screen over a real board, and a second connection that changes the
// board as another program would. Its clock moves when a test says so.
type desk struct {
	t     *testing.T
	m     *Model
	root  tea.Model // what gets the messages: the model, or what drives it
	board *board.Board
	other *sql.DB
	path  string
	clock time.Time
	msgs  chan tea.Msg
	ids   int
}

func newDesk(t *testing.T, width, height int) *desk {
	t.Helper()
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "kanban.db"), clock: noon, msgs: make(chan tea.Msg, 100)}
	d.must(board.Create(t.Context(), d.path, time.Second))
	var err error
	d.board, err = board.Open(t.Context(), d.path, board.Options{
		Now: func() int64 { return noon.Unix() }, NewID: func() string { d.ids++; return fmt.Sprintf("t_%08x", d.ids) }, Busy: 5 * time.Second,
	})
	d.must(err)
	t.Cleanup(func() { _ = d.board.Close() })
	d.other, err = sql.Open("sqlite", "file:"+(&url.URL{Path: d.path}).EscapedPath()+"?_busy_timeout=5000")
	d.must(err)
	t.Cleanup(func() { _ = d.other.Close() })
	table := &process.Table{Host: "here"}
	op := &operator.Operator{Board: d.board, Prober: table, Actor: "tester", Host: "here", Now: func() int64 { return noon.Unix() },
		Stopper: &process.Stopper{Table: table, Self: 1}}
	d.m, err = NewModel(t.Context(), Deps{
		Board: screenOf{d.board}, BoardName: "default", BoardPath: d.path, Now: func() time.Time { return d.clock },
		Stand: op.Look, Acts: op, Names: func() []string { return []string{"dev", "ops"} }, Known: func(string) bool { return true },
	}, Options{})
	d.must(err)
	d.root = d.m
	d.m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

// screenOf is a board as the screen reads it.
type screenOf struct{ *board.Board }

func (s screenOf) Poll(ctx context.Context) (bool, error) {
	change, err := s.Board.Poll(ctx)
	return change != board.Same, err
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) sql(statement string, args ...any) {
	d.t.Helper()
	_, err := d.other.Exec(statement, args...)
	d.must(err)
}

func (d *desk) count(query string, args ...any) (n int) {
	d.t.Helper()
	d.must(d.other.QueryRow(query, args...).Scan(&n))
	return n
}

func (d *desk) card(title string, adapt ...func(*board.NewTask)) string {
	d.t.Helper()
	n := board.NewTask{Title: title, Assignee: "dev"}
	for _, a := range adapt {
		a(&n)
	}
	made, err := d.board.CreateTask(d.t.Context(), n)
	d.must(err)
	return made.ID
}

func (d *desk) status(id string) core.Status {
	d.t.Helper()
	task, err := d.board.Task(d.t.Context(), id)
	d.must(err)
	return task.Status
}

// update gives the model a message and lets everything come to rest that was
// asked of the board.
func (d *desk) update(msg tea.Msg) {
	_, cmd := d.root.Update(msg)
	d.start(cmd)
	for d.m.InFlight() > 0 {
		switch msg := (<-d.msgs).(type) {
		case result, wrote:
			_, cmd := d.root.Update(msg)
			d.start(cmd)
		case tea.BatchMsg:
			for _, c := range msg {
				d.start(c)
			}
		}
	}
}

func (d *desk) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		select {
		case d.msgs <- cmd():
		case <-d.t.Context().Done():
		}
	}()
}

// poll lets the screen look at the board.
func (d *desk) poll() { d.update(pollDue{d.m.epoch}) }

func (d *desk) press(names ...string) {
	for _, name := range names {
		d.update(keyPress(name))
	}
}

// typed enters a text key by key.
func (d *desk) typed(words string) {
	for _, r := range words {
		d.update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// confirm waits until a dialog can have been read, and confirms it.
func (d *desk) confirm(key string) {
	d.clock = d.clock.Add(settling)
	d.press(key)
}

func (d *desk) screen() string { return ansi.Strip(d.m.frame) }

func (d *desk) want(words ...string) {
	d.t.Helper()
	for _, w := range words {
		if !strings.Contains(d.screen(), w) {
			d.t.Errorf("%q is not on the screen:\n%s", w, d.screen())
		}
	}
}

func (d *desk) wantNot(words ...string) {
	d.t.Helper()
	for _, w := range words {
		if strings.Contains(d.screen(), w) {
			d.t.Errorf("%q is on the screen:\n%s", w, d.screen())
		}
	}
}
