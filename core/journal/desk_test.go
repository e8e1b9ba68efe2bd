package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

var ctx = context.Background()

// desk is a real board with its state root in a folder of its own.
type desk struct {
	*Journal
	t     testing.TB
	board *board.Board
	path  string
	other *sql.DB // another program on the same board
	now   int64
	seen  core.Sighting // what a look at any worker finds
	held  bool          // whether anybody holds a lease
	fails error         // of the next write of a result
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{t: t, path: filepath.Join(dir, "kanban.db"), now: time.Now().Unix()}
	d.must(board.Create(ctx, d.path, time.Second))
	d.openBoard()
	query := url.Values{"mode": {"rw"}, "_busy_timeout": {"5000"}}
	var err error
	d.other, err = sql.Open("sqlite", "file:"+(&url.URL{Path: d.path}).EscapedPath()+"?"+query.Encode())
	d.must(err)
	d.other.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = d.other.Close() })
	d.restart()
	return d
}

func (d *desk) openBoard() {
	n := 0
	b, err := board.Open(ctx, d.path, board.Options{
		Now: func() int64 { return d.now }, Busy: 100 * time.Millisecond,
		NewID: func() string { n++; return fmt.Sprintf("t_%08x", n) },
	})
	d.must(err)
	d.t.Cleanup(func() { _ = b.Close() })
	d.board = b
}

// restart begins a new session.
func (d *desk) restart() {
	d.Journal = &Journal{
		Board: failing{d.board, d}, Place: Place{Root: filepath.Join(filepath.Dir(d.path), "cli-lanes"), Slug: "default", DB: d.path},
		Held: func(string, int64) bool { return d.held },
		Sight: func(w process.Worker) core.Sighting {
			s := d.seen
			s.PID, s.Fingerprint = w.PID, w.Fingerprint
			return s
		},
		Now: func() int64 { return d.now },
	}
}

// failing is a board whose next write of a result fails as it is told to.
type failing struct {
	*board.Board
	d *desk
}

func (f failing) ApplyResult(ctx context.Context, r board.RunResult) (board.Decision, error) {
	if err := f.d.fails; err != nil {
		f.d.fails = nil
		return board.Decision{}, err
	}
	return f.Board.ApplyResult(ctx, r)
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) sql(statement string, args ...any) {
	d.t.Helper()
	if _, err := d.other.Exec(statement, args...); err != nil {
		d.t.Fatalf("%v\nin: %s", err, statement)
	}
}

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

// is compares values that the board holds: query, want, query, want, ...
func (d *desk) is(pairs ...string) {
	d.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := d.one(pairs[i]); got != pairs[i+1] {
			d.t.Errorf("%s\nis %q, want %q", pairs[i], got, pairs[i+1])
		}
	}
}

// ended makes a card whose only run has ended; status and outcome as given.
func (d *desk) ended(task string, run int64, status, outcome string) {
	d.t.Helper()
	d.sql("INSERT INTO tasks(id, title, assignee, status, created_at, consecutive_failures) VALUES(?, 'a card', 'cli-auto', ?, ?, 1)", task, status, d.now-9000)
	d.sql("INSERT INTO task_runs(id, task_id, profile, status, outcome, started_at, ended_at) VALUES(?, ?, 'cli-auto', ?, ?, ?, ?)",
		run, task, outcome, outcome, d.now-900, d.now-60)
}

// running makes a card that works on its only run.
func (d *desk) running(task string, run int64) {
	d.t.Helper()
	d.sql(`INSERT INTO tasks(id, title, assignee, status, created_at, started_at, claim_lock, claim_expires, current_run_id, consecutive_failures)
		VALUES(?, 'a card', 'cli-auto', 'running', ?, ?, 'here:1', ?, ?, 1)`, task, d.now-9000, d.now-900, d.now+900, run)
	d.sql("INSERT INTO task_runs(id, task_id, profile, status, claim_lock, started_at) VALUES(?, ?, 'cli-auto', 'running', 'here:1', ?)", run, task, d.now-900)
}

func (d *desk) event(task string, run any, kind, payload string, at int64) {
	d.t.Helper()
	d.sql("INSERT INTO task_events(task_id, run_id, kind, payload, created_at) VALUES(?, ?, ?, ?, ?)", task, run, kind, payload, at)
}

// folder is where the files of the board lie.
func (d *desk) folder(parts ...string) string {
	return filepath.Join(append([]string{d.Place.Root, d.Place.Slug}, parts...)...)
}

// put writes a file as another program does.
func (d *desk) put(name, content string) string {
	d.t.Helper()
	path := d.folder(name)
	d.must(os.MkdirAll(filepath.Dir(path), 0o700))
	d.must(os.WriteFile(path, []byte(content), 0o600))
	return path
}

// plain is a record with nothing but the fields that every writer gives.
func plain(task string, run int64, summary string) string {
	result, _ := json.Marshal(map[string]any{"status": "completed", "summary": summary})
	m := map[string]any{
		"board": "default", "task_id": task, "expected_run_id": run, "result": string(result),
		"summary": summary, "metadata": map[string]any{}, "kanban_state": "pending",
	}
	out, _ := json.MarshalIndent(m, "", "  ")
	return string(out)
}

func (d *desk) pendingFile(task string, run int64, content string) string {
	d.t.Helper()
	return d.put(Name{task, run}.pending(), content)
}

// replay replays everything and gives each outcome as "file outcome guard reason".
func (d *desk) replay() []string {
	d.t.Helper()
	report, err := d.Replay(ctx, ReplayOptions{Eager: true})
	d.must(err)
	out := []string{}
	for _, r := range report.Results {
		out = append(out, strings.Join(strings.Fields(r.Task+" "+r.Outcome+" "+r.Guard+" "+r.Reason), " "))
	}
	return out
}

func (d *desk) replays(want ...string) {
	d.t.Helper()
	if got := d.replay(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		d.t.Errorf("replayed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// files lists a folder; the lock is left out.
func (d *desk) files(parts ...string) string {
	d.t.Helper()
	entries, err := os.ReadDir(d.folder(parts...))
	if os.IsNotExist(err) {
		return ""
	}
	d.must(err)
	var names []string
	for _, e := range entries {
		if e.Name() != replayLock && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// rows is everything that a replay may touch.
func (d *desk) rows() string {
	return d.one(`SELECT (SELECT group_concat(id || status || coalesce(result, '-') || consecutive_failures || coalesce(current_run_id, '-')) FROM tasks)
		|| (SELECT coalesce(group_concat(id || status || coalesce(outcome, '-') || coalesce(ended_at, '-')), '') FROM task_runs)
		|| (SELECT coalesce(group_concat(id || kind), '') FROM task_events) || (SELECT count(*) FROM task_comments)`)
}

func (d *desk) mode(path string, want os.FileMode) {
	d.t.Helper()
	info, err := os.Lstat(path)
	d.must(err)
	if info.Mode().Perm() != want || !info.Mode().IsRegular() {
		d.t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
	}
}
