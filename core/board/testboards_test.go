package board_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// foreign connects to the file as another program would, with one connection
// that writes as it likes. It is closed when the test ends.
func foreign(t testing.TB, path string, pragmas ...string) *sql.DB {
	t.Helper()
	query := url.Values{"mode": {"rw"}, "_busy_timeout": {"5000"}, "_pragma": pragmas}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// run executes statements on a foreign connection.
func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%v\nin: %s", err, statement)
		}
	}
}

// change opens the file as another program, executes statements and closes it.
func change(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := foreign(t, path)
	run(t, db, statements...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// toWAL switches a board to WAL for good, as a newer Hermes does, and leaves
// neither a -wal nor a -shm.
func toWAL(t testing.TB, path string) {
	t.Helper()
	change(t, path, "PRAGMA journal_mode = WAL", "PRAGMA user_version = 0")
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			t.Fatalf("%s stayed behind", suffix)
		}
	}
}

// boardOf creates a board of n cards in every status, with bodies, runs,
// events, comments and links, in folder dir.
func boardOf(t testing.TB, dir string, n int) string {
	t.Helper()
	path := filepath.Join(dir, "kanban.db")
	if err := board.Create(context.Background(), path, time.Second); err != nil {
		t.Fatal(err)
	}
	fill(t, path, n)
	return path
}

// fill inserts n cards and what belongs to them in one transaction.
func fill(t testing.TB, path string, n int) {
	t.Helper()
	db := foreign(t, path, "synchronous(OFF)")
	run(t, db, "BEGIN", "CREATE TEMP TABLE n(i INTEGER PRIMARY KEY)")
	const count = `WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < ?) INSERT INTO n SELECT i FROM c`
	if _, err := db.Exec(count, n); err != nil {
		t.Fatal(err)
	}
	run(t, db,
		`INSERT INTO tasks(id, title, body, assignee, status, priority, created_by, created_at, started_at, completed_at,
			claim_lock, claim_expires, result, worker_pid, last_heartbeat_at, current_run_id, block_kind)
		SELECT printf('t_%08x', i), 'Card number ' || i || ' about the quick brown fox', printf('%.*c', 300 + i % 900, 'b'),
			'agent-' || (i % 17), s, i % 7, 'tester', 1700000000 + i, CASE WHEN s IN ('running', 'done') THEN 1700000100 + i END,
			CASE WHEN s = 'done' THEN 1700000200 + i END, CASE WHEN s = 'running' THEN 'host:' || i END,
			CASE WHEN s = 'running' THEN 1800000000 END, CASE WHEN s = 'done' THEN printf('%.*c', 500, 'r') END,
			CASE WHEN s = 'running' THEN 1000 + i END, CASE WHEN s = 'running' THEN 1700000300 END,
			CASE WHEN s = 'running' THEN i + 1 END, CASE WHEN s = 'blocked' THEN 'needs_input' END
		FROM (SELECT i, CASE i % 10 WHEN 0 THEN 'triage' WHEN 1 THEN 'todo' WHEN 2 THEN 'scheduled' WHEN 3 THEN 'ready'
			WHEN 4 THEN 'running' WHEN 5 THEN 'blocked' WHEN 6 THEN 'review' WHEN 7 THEN 'archived' ELSE 'done' END AS s FROM n)`,
		`INSERT INTO task_runs(id, task_id, profile, status, started_at, ended_at, outcome)
		SELECT i + 1, printf('t_%08x', i), 'agent', CASE WHEN i % 10 = 4 THEN 'running' ELSE 'done' END, 1700000100 + i,
			CASE WHEN i % 10 <> 4 THEN 1700000200 + i END, CASE WHEN i % 10 <> 4 THEN 'completed' END FROM n`,
		`INSERT INTO task_events(task_id, kind, payload, created_at)
		SELECT printf('t_%08x', i), k, p, 1700000000 + i FROM n, (SELECT 'created' AS k, '{"status": "todo"}' AS p UNION ALL
			SELECT 'blocked', '{"reason": "which colour?", "kind": "needs_input"}' UNION ALL SELECT 'heartbeat', NULL)`,
		`INSERT INTO task_comments(task_id, author, body, created_at)
		SELECT printf('t_%08x', i), 'ann', 'a remark', 1700000000 + i FROM n WHERE i % 3 = 0`,
		`INSERT INTO task_links(parent_id, child_id) SELECT printf('t_%08x', i - 1), printf('t_%08x', i) FROM n WHERE i % 2 = 1`,
		"COMMIT")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
