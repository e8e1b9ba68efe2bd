package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// follower is a command that goes on until it is ended.
type follower struct {
	t    *testing.T
	out  *bufio.Reader
	stop func() int
}

// testEnv is an empty home of its own.
func testEnv(t *testing.T) home.Env {
	dir := t.TempDir()
	return home.Env{Vars: []string{"HOME=" + dir, "USER=tester"}, UserHome: dir, Cwd: dir}
}

// command runs a command that must succeed and returns what it printed.
func command(t *testing.T, env home.Env, args ...string) string {
	t.Helper()
	var out, errOut strings.Builder
	if code := runContext(t.Context(), args, env, strings.NewReader(""), &out, &errOut); code != exitDone {
		t.Fatalf("%v: exit code %d\n%s", args, code, errOut.String())
	}
	return out.String()
}

func follow(t *testing.T, env home.Env, args ...string) *follower {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runContext(ctx, args, env, strings.NewReader(""), out, io.Discard)
		_ = out.Close()
	}()
	f := &follower{t: t, out: bufio.NewReader(in)}
	f.stop = func() int {
		cancel()
		_, _ = io.Copy(io.Discard, f.out)
		return <-code
	}
	return f
}

func (f *follower) line() string {
	f.t.Helper()
	s, err := f.out.ReadString('\n')
	if err != nil {
		f.t.Fatalf("the command ended: %v", err)
	}
	return strings.TrimSuffix(s, "\n")
}

func TestEventsAreFollowedAcrossProcessesAndBoards(t *testing.T) {
	env := testEnv(t)
	command(t, env, "init")
	command(t, env, "task", "create", "first")
	f := follow(t, env, "events", "--follow", "--json")
	next := func() shownEvent {
		var e shownEvent
		if err := json.Unmarshal([]byte(f.line()), &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := next()
	if first.Kind != "created" {
		t.Errorf("the first event is %q", first.Kind)
	}
	command(t, env, "task", "block", first.Task)
	if e := next(); e.Kind != "blocked" || e.Task != first.Task {
		t.Errorf("after a block comes %+v", e)
	}
	command(t, env, "task", "unblock", first.Task)
	if e := next(); e.Kind != "unblocked" {
		t.Errorf("after an unblock comes %+v", e)
	}
	// Another board takes the place of this one; its events count from one again.
	db := filepath.Join(env.UserHome, ".hermes", "kanban.db")
	other := filepath.Join(env.UserHome, "other.db")
	command(t, env, "init", "--db", other)
	command(t, env, "task", "create", "--db", other, "another")
	if err := os.Rename(other, db); err != nil {
		t.Fatal(err)
	}
	if e := next(); e.ID != 1 || e.Task == first.Task {
		t.Errorf("after the swap comes %+v", e)
	}
	if code := f.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestLogIsFollowedThroughARotation(t *testing.T) {
	env := testEnv(t)
	command(t, env, "init")
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(command(t, env, "task", "create", "x", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	logs := filepath.Join(env.UserHome, ".hermes", "kanban", "logs")
	path := filepath.Join(logs, made.ID+".log")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f := follow(t, env, "logs", made.ID, "--follow") // there is none yet
	expect := func(want string) {
		t.Helper()
		if got := f.line(); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	write("one\ntw")
	expect("one")
	write("o\n")
	expect("two")
	write("unfinished")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write("new run\n")
	expect("unfinished")
	expect("new run")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	write("cut\n")
	expect("cut")
	if code := f.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestOverlongLogLineIsCutInPieces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 3*maxLogLine)+"\nend\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var lines []string
	tail := &tail{path: path}
	if err := tail.copy(func(s string) { lines = append(lines, s) }); err != nil {
		t.Fatal(err)
	}
	tail.close()
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "end" {
		t.Errorf("the last line is %q", last)
	}
	for _, l := range lines {
		if len(l) > 2*maxLogLine {
			t.Errorf("a line has %d bytes", len(l))
		}
	}
}
