package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// TestMain makes the test binary the program itself where a script runs it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hermes-tui": main,
		"idle":       idle,
	})
}

// idle is a worker that does nothing until its standard input ends.
func idle() {
	fmt.Println("up")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			dir := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", dir)
			env.Setenv("R", filepath.Join(dir, ".hermes"))
			env.Setenv("DB", filepath.Join(dir, ".hermes", "kanban.db"))
			env.Setenv("USER", "tester")
			env.Setenv("HERMES_KANBAN_BUSY_TIMEOUT_MS", "5000")
			// A program with the race detector else waits a second before it ends.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return os.Mkdir(dir, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"json":   checkJSON,
			"sql":    runSQL,
			"query":  querySQL,
			"hold":   hold,
			"lock":   lockFile,
			"worker": startWorker,
			"bytes":  writeBytes,

			"interrupt":  interrupt,
			"await-lock": awaitLock,
			"await-text": awaitText,
		},
	})
}

// exits runs a program and checks its exit code: exits 3 hermes-tui task list
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var failed *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &failed):
		got = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// open connects to a board as another program would.
func open(ts *testscript.TestScript, path string) *sql.DB {
	dsn := "file:" + (&url.URL{Path: ts.MkAbs(path)}).EscapedPath() + "?mode=rwc&_busy_timeout=5000"
	db, err := sql.Open("sqlite", dsn)
	ts.Check(err)
	db.SetMaxOpenConns(1)
	return db
}

// runSQL executes statements on a database file: sql FILE STATEMENTS
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENTS")
	}
	db := open(ts, args[0])
	_, err := db.Exec(args[1])
	ts.Check(err)
	ts.Check(db.Close())
}

// querySQL compares the first row of a query, columns joined by a bar and lines
// by an arrow, with a text: query FILE QUERY WANT
func querySQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: query FILE QUERY WANT")
	}
	db := open(ts, args[0])
	defer db.Close()
	rows, err := db.Query(args[1])
	ts.Check(err)
	defer rows.Close()
	columns, err := rows.Columns()
	ts.Check(err)
	if !rows.Next() {
		ts.Fatalf("no row, want %q", args[2])
	}
	values := make([]sql.NullString, len(columns))
	dest := make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	ts.Check(rows.Scan(dest...))
	var texts []string
	for _, v := range values {
		if !v.Valid {
			v.String = "NULL"
		}
		texts = append(texts, strings.ReplaceAll(v.String, "\n", "↵"))
	}
	if got := strings.Join(texts, "|"); got != args[2] {
		ts.Fatalf("%s\n got %q\nwant %q", args[1], got, args[2])
	}
}

// hold keeps the write lock of a board to the end of the script: hold FILE
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold FILE")
	}
	db := open(ts, args[0])
	_, err := db.Exec("BEGIN IMMEDIATE")
	ts.Check(err)
	ts.Defer(func() { _ = db.Close() })
}

// interrupt leaves a board as a program does that dies while it writes, with a
// journal beside it: interrupt FILE
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: interrupt FILE")
	}
	path := ts.MkAbs(args[0])
	db := open(ts, path)
	for _, statement := range []string{
		"PRAGMA cache_size = 1", "BEGIN IMMEDIATE",
		"UPDATE tasks SET title = 'half done'", "CREATE TABLE bulk(a)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO bulk SELECT randomblob(4000) FROM n",
	} {
		_, err := db.Exec(statement)
		ts.Check(err)
	}
	saved := map[string][]byte{}
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		ts.Check(err)
		saved[suffix] = data
	}
	ts.Check(db.Close())
	for suffix, data := range saved {
		ts.Check(os.WriteFile(path+suffix, data, 0o644))
	}
}

// lockFile keeps a lock file locked to the end of the script: lock FILE
func lockFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock FILE")
	}
	l, err := home.TryLock(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(l.WriteHolder(home.Holder{PID: os.Getpid(), Started: 1}))
	ts.Defer(func() { _ = l.Release() })
}

// startWorker starts a process that is a card's worker and records it on the
// card and its run: worker FILE ID
func startWorker(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: worker FILE ID")
	}
	path, err := exec.LookPath("idle")
	ts.Check(err)
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "HERMES_KANBAN_TASK="+args[1])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n')
	ts.Check(err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	ts.Defer(func() {
		_ = stdin.Close()
		<-ended
	})
	id := int64(cmd.Process.Pid)
	db := open(ts, args[0])
	defer db.Close()
	for _, statement := range []string{
		"UPDATE tasks SET worker_pid = ?, worker_started_at = ? WHERE id = ?",
		"UPDATE task_runs SET worker_pid = ?, worker_started_at = ? WHERE id = (SELECT current_run_id FROM tasks WHERE id = ?)",
	} {
		_, err = db.Exec(statement, id, table().Fingerprint(id), args[1])
		ts.Check(err)
	}
	ts.Setenv("PID", strconv.FormatInt(id, 10))
}

// writeBytes writes a file whose bytes a script cannot hold: bytes FILE 'a\x1bb'
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE QUOTED")
	}
	s, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s), 0o644))
}
