package lane_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/lane"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// The test binary is the barrier, the runner, a dispatcher and an agent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case dispatch.BarrierCommand:
			os.Exit(worker.RunBarrier(os.Args[2:]))
		case "chaos-dispatcher":
			os.Exit(chaosDispatcher(os.Args[2]))
		case "chaos-agent":
			os.Exit(chaosAgent())
		}
	}
	if args, ok := dispatch.LaneOf(os.Args[1:]); ok {
		os.Exit(runner(args))
	}
	os.Exit(m.Run())
}

const host = "testhost"

func clock() int64 { return time.Now().Unix() }

// runner is the worker of a lane as the program wires it.
func runner(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	code := lane.Main(ctx, args, lane.System{
		Env: home.System(), Log: os.Stdout, PID: int64(os.Getpid()), Host: host, Now: clock, After: time.After,
	})
	if code == lane.ToldToEnd {
		signal.Reset(syscall.SIGTERM)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(time.Minute) // it arrives at any of our threads
	}
	return code
}

// world is a home with a board, a lane for each agent, and a dispatcher.
type world struct {
	t   *testing.T
	dir string
	b   *board.Board
	db  *sql.DB // another program on the same file
	d   *dispatch.Dispatcher
}

// newWorld makes a world whose lanes are the text of the configuration below
// "lanes:". The text @DIR@ is the world's folder, @SELF@ the test binary.
func newWorld(t *testing.T, lanes string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	self, err := os.Executable()
	w.must(err)
	w.must(os.Mkdir(w.path("bin"), 0o700))
	w.must(os.WriteFile(w.path("settings.yaml"), []byte("lanes:\n"+strings.NewReplacer("@DIR@", dir, "@SELF@", self).Replace(lanes)), 0o600))
	w.must(board.Create(t.Context(), w.path("kanban.db"), time.Second))
	w.d, err = newDispatcher(dir)
	w.must(err)
	ids := 0
	w.b, err = board.Open(t.Context(), w.d.Place.DB, board.Options{Now: clock, Busy: 10 * time.Second, NewID: func() string {
		ids++
		return fmt.Sprintf("t_%08x", ids)
	}})
	w.must(err)
	w.db, err = sql.Open("sqlite", "file:"+(&url.URL{Path: w.d.Place.DB}).EscapedPath()+"?_busy_timeout=10000")
	w.must(err)
	w.db.SetMaxOpenConns(1)
	t.Cleanup(w.end)
	return w
}

// newDispatcher wires a dispatcher over the board of a world.
func newDispatcher(dir string) (*dispatch.Dispatcher, error) {
	h, err := home.Find(home.Env{UserHome: dir, Cwd: dir, Vars: []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "HERMES_HOME=" + dir, "HERMES_KANBAN_HOME=" + dir,
		"HERMES_TUI_CONFIG=" + filepath.Join(dir, "settings.yaml"), "GORACE=atexit_sleep_ms=0", "LANG=C",
	}})
	if err != nil {
		return nil, err
	}
	place, err := h.Board("default")
	if err != nil {
		return nil, err
	}
	if err := board.Recover(context.Background(), place.DB, 10*time.Second); err != nil {
		return nil, err
	}
	b, err := board.Open(context.Background(), place.DB, board.Options{Now: clock, Busy: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	table, children := &process.Table{Host: host}, process.NewChildren(time.Now)
	rules := func() dispatch.Rules {
		kanban, _, _ := h.Config()
		timing, _ := h.Timing()
		kanban.MaxSpawn, kanban.MaxInProgress, kanban.FailureLimit = 4, 0, 1000
		timing.CrashGrace, timing.RateLimitCooldown = 0, 0
		return dispatch.Rules{Kanban: kanban, Timing: timing}
	}
	runs := worker.RunDir{StateRoot: place.StateRoot, Board: place.Slug}
	self := int64(os.Getpid())
	return &dispatch.Dispatcher{
		Board: b, Home: h, Place: place, Prober: table, Exits: children, Sleep: sleep, Now: clock, Rules: rules,
		Stopper: &process.Stopper{Table: table, Self: self, Sleep: sleep},
		Claimer: fmt.Sprintf("%s:%d", host, self), PID: self, Fingerprint: table.Fingerprint(self),
		Results: results{&journal.Journal{
			Board: b, Place: journal.Place{Root: place.StateRoot, Slug: place.Slug, DB: place.DB}, Sight: table.Sight, Now: clock,
			Held: func(task string, run int64) bool { return runs.Lease(task, run) != worker.LeaseFree },
		}},
		Starter: &dispatch.Workers{
			Home: h, Place: place, Table: table, Children: children, Program: program, Rules: rules, Sleep: sleep,
			Settings: func() home.Settings { s, _ := h.Settings(); return s },
		},
	}, nil
}

// results is a journal as a dispatcher uses it.
type results struct{ *journal.Journal }

func (r results) HasPending(task string, run int64) (bool, error) {
	return r.Place.HasPending(task, run)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end stops every worker that the world has left.
func (w *world) end() {
	cards, err := w.b.RunningCards(context.Background())
	if err == nil {
		for _, c := range cards {
			w.stop(c)
		}
	}
	_, _, _ = w.b.Close(), w.d.Board.Close(), w.db.Close()
}

func (w *world) stop(c board.RunningCard) {
	if c.Task.WorkerPID == nil || c.Run == nil {
		return
	}
	who := process.Worker{
		TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock, RunStarted: c.Run.StartedAt, Now: clock(),
	}
	w.d.Stopper.Stop(context.Background(), who)
	w.d.Stopper.StopLeft(context.Background(), who)
}

func (w *world) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.must(os.WriteFile(w.path(name), []byte(text), 0o700))
}

func (w *world) card(assignee string) string {
	w.t.Helper()
	made, err := w.b.CreateTask(w.t.Context(), board.NewTask{Title: "Port the parser", Body: "Keep it small.", Assignee: assignee})
	w.must(err)
	return made.ID
}

func (w *world) detail(id string) *core.Detail {
	w.t.Helper()
	d, err := w.b.Detail(w.t.Context(), id)
	w.must(err)
	return d
}

// tick is one pass, which must go without trouble. A runner that is killed while
// it writes may leave the board half written within a tick; the next one begins
// with putting that right.
func (w *world) tick() *dispatch.Report {
	w.t.Helper()
	report, err := w.d.Tick(w.t.Context(), dispatch.Options{})
	if errors.Is(err, board.ErrInterrupted) {
		report, err = w.d.Tick(w.t.Context(), dispatch.Options{})
	}
	w.must(err)
	if len(report.Errors) > 0 {
		w.t.Errorf("the tick reports %v", report.Errors)
	}
	return report
}

// until runs ticks until the card is as wanted, and returns it.
func (w *world) until(id, what string, is func(*core.Detail) bool) *core.Detail {
	w.t.Helper()
	for range 3000 {
		w.tick()
		if d := w.detail(id); is(d) {
			return d
		}
		time.Sleep(5 * time.Millisecond) // the workers need the processor
	}
	log, _ := os.ReadFile(filepath.Join(w.d.Place.Logs, id+".log"))
	w.t.Fatalf("never: %s\n%+v\nlog:\n%s", what, w.detail(id), log)
	return nil
}

func (w *world) untilStatus(id string, s core.Status) *core.Detail {
	w.t.Helper()
	return w.until(id, "the card is "+string(s), func(d *core.Detail) bool { return d.Task.Status == s })
}

// untilThere waits for a file that a process of the test makes.
func (w *world) untilThere(path string) {
	w.t.Helper()
	for range 6000 {
		if _, err := os.Lstat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatalf("never there: %s", path)
}

func (w *world) pending(id string, run int64) string {
	return filepath.Join(w.d.Place.StateRoot, w.d.Place.Slug, fmt.Sprintf("%s.%d.terminal.pending.json", id, run))
}

func (w *world) workspace(id string) string { return filepath.Join(w.d.Place.Workspaces, id) }

func (w *world) log(id string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.d.Place.Logs, id+".log"))
	w.must(err)
	return string(text)
}

// count counts the events of a kind on a card.
func count(d *core.Detail, kind string) int {
	n := 0
	for _, e := range d.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// outcomes are those of the runs of a card, oldest first.
func outcomes(d *core.Detail) string {
	var out []string
	for _, r := range d.Runs {
		out = append(out, string(r.Outcome))
	}
	return strings.Join(out, " ")
}

// checked makes sure that the board holds together.
func (w *world) checked() {
	w.t.Helper()
	violations, err := w.b.Check(w.t.Context())
	w.must(err)
	for _, v := range violations {
		w.t.Errorf("%+v", v)
	}
}

// hold takes the write lock of the board, as another program, until it is let go.
func (w *world) hold() (letGo func()) {
	w.t.Helper()
	_, err := w.db.Exec("BEGIN IMMEDIATE")
	w.must(err)
	return func() {
		_, err := w.db.Exec("ROLLBACK")
		w.must(err)
	}
}

// kill ends the runner of a card, which this test's dispatcher has started, and
// waits until the system says that it is gone.
func (w *world) kill(d *core.Detail, sig syscall.Signal) {
	w.t.Helper()
	if d.Task.WorkerPID == nil {
		w.t.Fatal("the card has no worker")
	}
	w.must(syscall.Kill(int(*d.Task.WorkerPID), sig))
	w.untilGone(*d.Task.WorkerPID)
}

func (w *world) untilGone(pid int64) {
	w.t.Helper()
	for range 6000 {
		facts, err := (&process.Table{Host: host}).Look(pid)
		if err != nil || facts.Zombie {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatalf("the runner %d does not end", pid)
}

// untilFree waits until no process of a run holds its lease.
func (w *world) untilFree(id string, run int64) {
	w.t.Helper()
	for range 6000 {
		if (worker.RunDir{StateRoot: w.d.Place.StateRoot, Board: w.d.Place.Slug}).Lease(id, run) == worker.LeaseFree {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatalf("the lease of run %d stays held", run)
}

// keepSettings makes the dispatcher go on with these settings.
func (w *world) keepSettings(s home.Settings) {
	w.d.Starter.(*dispatch.Workers).Settings = func() home.Settings { return s }
}
