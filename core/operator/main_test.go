package operator_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// program is the variable that turns the test binary into a worker.
const program = "OPERATOR_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(program) == "" {
		os.Exit(m.Run())
	}
	signal.Ignore(syscall.SIGHUP)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// desk is a board with an operator, and a second connection that changes it as
// another program would.
type desk struct {
	*board.Board
	*operator.Operator
	t     *testing.T
	other *sql.DB
	now   int64
	ids   int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kanban.db")
	if err := board.Create(t.Context(), path, time.Second); err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, now: time.Now().Unix()}
	b, err := board.Open(t.Context(), path, board.Options{
		Now: func() int64 { return d.now }, NewID: func() string { d.ids++; return fmt.Sprintf("t_%08x", d.ids) }, Busy: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	table := &process.Table{Host: "here"}
	d.Board = b
	d.Operator = &operator.Operator{Board: b, Prober: table, Actor: "tester", Host: "here", Now: func() int64 { return d.now },
		Stopper: &process.Stopper{Table: table, Self: int64(os.Getpid()), Sleep: poll}}
	if d.other, err = sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_busy_timeout=5000"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.other.Close() })
	return d
}

// poll is a wait of a stop: it gives the processes a moment, whatever was asked.
func poll(ctx context.Context, _ time.Duration) error {
	timer := time.NewTimer(2 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (d *desk) sql(statement string, args ...any) {
	d.t.Helper()
	if _, err := d.other.Exec(statement, args...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) count(query string, args ...any) (n int) {
	d.t.Helper()
	if err := d.other.QueryRow(query, args...).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func (d *desk) card(title string) operator.Card {
	d.t.Helper()
	made, err := d.CreateTask(d.t.Context(), board.NewTask{Title: title, Assignee: "dev"})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.seen(made.ID)
}

func (d *desk) seen(id string) operator.Card {
	d.t.Helper()
	s, err := d.Look(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return s.Card()
}

func (d *desk) task(id string) core.Task {
	d.t.Helper()
	task, err := d.Task(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return task
}

// working is a card with a real process behind it. gone is closed when that has
// ended.
func (d *desk) working(title string) (c operator.Card, gone <-chan struct{}) {
	d.t.Helper()
	id := d.card(title).ID
	if _, err := d.Claim(d.t.Context(), board.ClaimRequest{Target: board.Target{ID: id}, Lock: "here:1"}); err != nil {
		d.t.Fatal(err)
	}
	pid, gone := d.worker(id)
	fingerprint := (&process.Table{Host: "here"}).Fingerprint(pid)
	d.sql("UPDATE tasks SET worker_pid = ?, worker_started_at = ? WHERE id = ?", pid, fingerprint, id)
	d.sql("UPDATE task_runs SET worker_pid = ?, worker_started_at = ? WHERE task_id = ?", pid, fingerprint, id)
	return d.seen(id), gone
}

func (d *desk) worker(id string) (pid int64, gone <-chan struct{}) {
	d.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{program + "=wait", "HERMES_KANBAN_TASK=" + id}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		d.t.Fatalf("the worker said %q: %v", line, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	d.t.Cleanup(func() {
		_ = stdin.Close()
		<-ended
	})
	return int64(cmd.Process.Pid), ended
}
