package dispatch_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// The test binary is the program that a worker starts behind.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == dispatch.BarrierCommand {
		os.Exit(worker.RunBarrier(os.Args[2:]))
	}
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "chaos-dispatcher":
			os.Exit(chaosDispatcher(os.Args[2]))
		case "chaos-agent":
			os.Exit(chaosAgent(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

const host = "testhost"

// world is a home with a real board, a dispatcher, and profiles whose workers are
// shell scripts.
type world struct {
	t        testing.TB
	dir      string
	clock    int64
	b        *board.Board
	db       *sql.DB // another program on the same file
	d        *dispatch.Dispatcher
	children *process.Children
	rules    dispatch.Rules
}

// agents of the world: profiles whose Hermes is one shell script each.
var agents = map[string]string{
	"sleeper": "exec sleep 600",
	"dies":    "exit 3",
	"shows":   "env; cat; exec sleep 600",
	"dev":     "exec sleep 600",
}

// agent makes a profile whose worker runs the script.
func (w *world) agent(name, script string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Join(w.dir, "profiles", name), 0o700))
	w.must(os.WriteFile(filepath.Join(w.dir, "profiles", name, "agent"), []byte(script), 0o600))
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, clock: time.Now().Unix()}
	for name, script := range agents {
		w.agent(name, script)
	}
	hermes := filepath.Join(dir, "hermes")
	w.must(os.WriteFile(hermes, []byte("#!/bin/sh\nexec /bin/sh "+dir+"/profiles/$HERMES_PROFILE/agent\n"), 0o700))
	h, err := home.Find(home.Env{UserHome: dir, Cwd: dir, Vars: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "HERMES_HOME=" + dir, "HERMES_KANBAN_HOME=" + dir, "HERMES_BIN=" + hermes,
	}})
	w.must(err)
	place, err := h.Board("default")
	w.must(err)
	w.must(board.Create(t.Context(), place.DB, time.Second))
	now := func() int64 { return w.clock }
	ids := 0
	w.b, err = board.Open(t.Context(), place.DB, board.Options{Now: now, Busy: 5 * time.Second, NewID: func() string {
		ids++
		return fmt.Sprintf("t_%08x", ids)
	}})
	w.must(err)
	w.db, err = sql.Open("sqlite", "file:"+(&url.URL{Path: place.DB}).EscapedPath())
	w.must(err)
	kanban, _, err := h.Config()
	w.must(err)
	timing, _ := h.Timing()
	kanban.MaxInProgress = 0
	w.rules = dispatch.Rules{Kanban: kanban, Timing: timing}
	rules := func() dispatch.Rules { return w.rules }
	program, err := os.Executable()
	w.must(err)
	table := &process.Table{Host: host}
	w.children = process.NewChildren(time.Now)
	w.d = &dispatch.Dispatcher{
		Board: w.b, Home: h, Place: place, Prober: table, Stopper: &process.Stopper{Table: table, Self: int64(os.Getpid()), Sleep: sleep}, Exits: w.children, Claimer: fmt.Sprintf("%s:%d", host, os.Getpid()),
		PID: int64(os.Getpid()), Fingerprint: table.Fingerprint(int64(os.Getpid())),
		Now: now, Rules: rules, Sleep: sleep,
		Results: &results{Journal: journalOf(w.b, place, table, now)},
		Starter: &dispatch.Workers{
			Home: h, Place: place, Table: table, Children: w.children, Program: program, Rules: rules, Sleep: sleep,
			Settings: func() home.Settings {
				s, err := h.Settings()
				w.must(err)
				return s
			},
		},
	}
	t.Cleanup(w.end)
	return w
}

// end stops every worker that this world has started.
func (w *world) end() {
	cards, err := w.b.RunningCards(context.Background())
	if err == nil {
		stopper := &process.Stopper{Table: &process.Table{Host: host}, Self: int64(os.Getpid()), Sleep: sleep}
		for _, c := range cards {
			if c.Task.WorkerPID != nil && c.Run != nil && c.Spawned {
				stopper.Stop(context.Background(), process.Worker{
					TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock,
					RunStarted: c.Run.StartedAt, Now: w.clock,
				})
			}
		}
	}
	_ = w.db.Close()
	_ = w.b.Close()
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) card(n board.NewTask) string {
	w.t.Helper()
	if n.Title == "" {
		n.Title = "a card"
	}
	made, err := w.b.CreateTask(w.t.Context(), n)
	w.must(err)
	return made.ID
}

// sql plays a script with the placeholders of the field.
func (w *world) sql(script string, args ...string) {
	w.t.Helper()
	script = strings.NewReplacer(append([]string{"@NOW@", fmt.Sprint(w.clock), "@HOST@", host}, args...)...).Replace(script)
	_, err := w.db.Exec(script)
	w.must(err)
}

func (w *world) tick(o dispatch.Options) *dispatch.Report {
	w.t.Helper()
	report, err := w.d.Tick(w.t.Context(), o)
	w.must(err)
	if len(report.Errors) > 0 {
		w.t.Errorf("the tick reports %v", report.Errors)
	}
	return report
}

func (w *world) status(id string) core.Status {
	w.t.Helper()
	task, err := w.b.Task(w.t.Context(), id)
	w.must(err)
	return task.Status
}

// kinds are the events of a card, oldest first.
func (w *world) kinds(id string) []string {
	w.t.Helper()
	d, err := w.b.Detail(w.t.Context(), id)
	w.must(err)
	var out []string
	for _, e := range d.Events {
		out = append(out, e.Kind)
	}
	return out
}

// digest is every row of the board, to see that nothing was written.
func (w *world) digest() string {
	w.t.Helper()
	var out strings.Builder
	for _, table := range []string{"tasks", "task_runs", "task_events", "task_comments", "task_links"} {
		rows, err := w.db.Query("SELECT * FROM " + table + " ORDER BY rowid")
		w.must(err)
		names, _ := rows.Columns()
		for rows.Next() {
			values := make([]any, len(names))
			dest := make([]any, len(names))
			for i := range dest {
				dest[i] = &values[i]
			}
			w.must(rows.Scan(dest...))
			fmt.Fprintln(&out, table, values)
		}
		w.must(rows.Close())
	}
	return out.String()
}

// until runs ticks until the condition holds. Ticks are what moves this world,
// so the number of them is the bound; between two of them the reaper of our
// children gets the processor.
func (w *world) until(what string, done func(*dispatch.Report) bool) {
	w.t.Helper()
	for range 2000 {
		if done(w.tick(dispatch.Options{})) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	w.t.Fatalf("never: %s", what)
}

// live starts a process of another program that lives until the test ends.
func live(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return fmt.Sprint(cmd.Process.Pid)
}

// dead is the number of a process that has ended and was reaped.
func dead(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(cmd.Process.Pid)
}

// launchRecord leaves word, as a dispatcher with that pid, that it is about to
// start the worker of a run.
func (w *world) launchRecord(task string, run, pid int64) error {
	runs := worker.RunDir{StateRoot: w.d.Place.StateRoot, Board: w.d.Place.Slug}
	return runs.WriteLaunch(worker.Launch{Task: task, Run: run, ClaimerPID: pid, Fingerprint: process.Unverified, Time: w.clock})
}

// lives reports whether a process is there and has not ended.
func lives(pid int) bool {
	facts, err := (&process.Table{Host: host}).Look(int64(pid))
	return err == nil && !facts.Zombie
}

// results is a journal as a dispatcher uses it.
type results struct{ *journal.Journal }

func (r *results) HasPending(task string, run int64) (bool, error) {
	return r.Place.HasPending(task, run)
}

func journalOf(b *board.Board, place home.Board, table *process.Table, now func() int64) *journal.Journal {
	runs := worker.RunDir{StateRoot: place.StateRoot, Board: place.Slug}
	return &journal.Journal{
		Board: b, Place: journal.Place{Root: place.StateRoot, Slug: place.Slug, DB: place.DB}, Sight: table.Sight, Now: now,
		Held: func(task string, run int64) bool { return runs.Lease(task, run) != worker.LeaseFree },
	}
}
