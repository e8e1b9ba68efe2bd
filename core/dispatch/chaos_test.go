package dispatch_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// The chaos tests run real dispatchers as processes of their own, with agents
// that finish, crash and hang, and kill dispatchers in between. Afterwards the
// rows alone tell whether the promises were kept.

// HERMES_TUI_CHAOS is how long each of them takes, as a duration; unset means a
// few seconds.
func chaosLength() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("HERMES_TUI_CHAOS")); err == nil {
		return d
	}
	return 4 * time.Second
}

// chaosCards is how many cards two dispatchers get, and how many of them are
// finished before it is enough. A long run has more than they can do in its time.
func chaosCards() (cards, enough int) {
	if os.Getenv("HERMES_TUI_CHAOS") == "" {
		return 40, 16
	}
	cards = max(40, 10*int(chaosLength().Seconds()/2))
	return cards, cards * 9 / 10 // the others hang
}

const (
	chaosCap      = 4
	chaosInterval = 60 * time.Millisecond
)

// chaosDispatcher runs ticks in the home dir until it is killed, and says after
// each that it did.
func chaosDispatcher(dir string) int {
	d, err := chaosWorld(dir, time.Now)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		if _, err := d.Tick(context.Background(), dispatch.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Println("tick")
		time.Sleep(chaosInterval)
	}
}

// chaosWorld wires a dispatcher over the board of a home.
func chaosWorld(dir string, clock func() time.Time) (*dispatch.Dispatcher, error) {
	h, err := home.Find(home.Env{UserHome: dir, Cwd: dir, Vars: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "HERMES_HOME=" + dir, "HERMES_KANBAN_HOME=" + dir,
		"HERMES_BIN=" + filepath.Join(dir, "hermes"),
	}})
	if err != nil {
		return nil, err
	}
	place, err := h.Board("default")
	if err != nil {
		return nil, err
	}
	now := func() int64 { return clock().Unix() }
	// A dispatcher that was killed while writing leaves that to the next writer.
	if err := board.Recover(context.Background(), place.DB, 10*time.Second); err != nil {
		return nil, err
	}
	b, err := board.Open(context.Background(), place.DB, board.Options{Now: now, Busy: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	table, children := &process.Table{Host: host}, process.NewChildren(clock)
	rules := func() dispatch.Rules {
		kanban, _, _ := h.Config()
		timing, _ := h.Timing()
		kanban.MaxSpawn, kanban.MaxInProgress, kanban.FailureLimit = chaosCap, 0, 1000
		timing.CrashGrace = 0
		return dispatch.Rules{Kanban: kanban, Timing: timing}
	}
	self := int64(os.Getpid())
	return &dispatch.Dispatcher{
		Board: b, Home: h, Place: place, Prober: table, Exits: children, Sleep: sleep, Now: now, Rules: rules,
		Stopper: &process.Stopper{Table: table, Self: self, Sleep: sleep, Grace: 200 * time.Millisecond},
		Claimer: fmt.Sprintf("%s:%d", host, self), PID: self, Fingerprint: table.Fingerprint(self),
		Starter: &dispatch.Workers{
			Home: h, Place: place, Table: table, Children: children, Program: program, Rules: rules, Sleep: sleep,
			Settings: func() home.Settings { s, _ := h.Settings(); return s },
		},
	}, nil
}

// chaosAgent works on its card as its mode says. It holds a lock in its
// workspace meanwhile: a second agent on the same card finds it held, and leaves
// word of the twin.
func chaosAgent(mode string) int {
	env := home.System()
	lock, err := os.OpenFile("alone", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = os.WriteFile("twin", []byte(strconv.Itoa(os.Getpid())), 0o600)
		return 1
	}
	run, _ := strconv.ParseInt(env.Get("HERMES_KANBAN_RUN_ID"), 10, 64)
	ctx := context.Background()
	_ = board.Recover(ctx, env.Get("HERMES_KANBAN_DB"), 10*time.Second)
	b, err := board.Open(ctx, env.Get("HERMES_KANBAN_DB"), board.Options{Now: func() int64 { return time.Now().Unix() }, Busy: 10 * time.Second})
	if err != nil {
		return 1
	}
	card := board.Target{ID: env.Get("HERMES_KANBAN_TASK"), Run: &run}
	_ = b.Heartbeat(ctx, card, "")
	time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
	switch {
	case mode == "hang":
		time.Sleep(time.Hour)
	case mode == "crash" && rand.IntN(2) == 0:
		return 3
	case mode == "die" && rand.IntN(2) == 0:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if err := b.Complete(ctx, board.Completion{Target: card, Result: new("done by run " + strconv.FormatInt(run, 10))}); err != nil {
		return 1
	}
	return 0
}

// chaosHome makes a home with a board of cards for every kind of agent.
func chaosHome(t *testing.T, cards int) (string, *dispatch.Dispatcher) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"finish", "crash", "die", "hang"} {
		if err := os.MkdirAll(filepath.Join(dir, "profiles", mode), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	hermes := fmt.Sprintf("#!/bin/sh\nexec %q chaos-agent $HERMES_PROFILE\n", program)
	if err := os.WriteFile(filepath.Join(dir, "hermes"), []byte(hermes), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := board.Create(t.Context(), filepath.Join(dir, "kanban.db"), time.Second); err != nil {
		t.Fatal(err)
	}
	d, err := chaosWorld(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ids := 0
	maker, err := board.Open(t.Context(), d.Place.DB, board.Options{Now: d.Now, Busy: 10 * time.Second, NewID: func() string {
		ids++
		return fmt.Sprintf("t_%08x", ids)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range cards {
		n := board.NewTask{Title: fmt.Sprint("card ", i), Assignee: []string{"finish", "crash", "die"}[i%3]}
		if i%10 == 9 {
			n.Assignee, n.MaxRuntime = "hang", new(int64(1))
		}
		if _, err := maker.CreateTask(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { endChaos(d); _ = maker.Close(); _ = d.Board.Close() })
	return dir, d
}

// endChaos stops the agents that are left.
func endChaos(d *dispatch.Dispatcher) {
	cards, err := d.Board.RunningCards(context.Background())
	if err != nil {
		return
	}
	for _, c := range cards {
		if c.Task.WorkerPID != nil && c.Run != nil {
			d.Stopper.Stop(context.Background(), process.Worker{
				TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock,
				RunStarted: c.Run.StartedAt, Now: d.Now(),
			})
		}
	}
}

// dispatcherProcess starts a dispatcher as a process of its own.
func dispatcherProcess(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "chaos-dispatcher", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// promises are checked on what the chaos left.
func promises(t *testing.T, d *dispatch.Dispatcher) {
	t.Helper()
	violations, err := d.Board.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Errorf("%+v", v)
	}
	twins, err := filepath.Glob(filepath.Join(d.Place.Workspaces, "*", "twin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, twin := range twins {
		t.Errorf("two workers at once: %s", twin)
	}
	events, err := d.Board.Events(t.Context(), 0, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	running, done := map[string]bool{}, 0
	for _, e := range events {
		switch e.Kind {
		case "claimed":
			if running[e.TaskID] {
				t.Errorf("event %d claims %s, which runs already", e.ID, e.TaskID)
			}
			running[e.TaskID] = true
			if len(running) > chaosCap {
				t.Errorf("after event %d %d cards run, the cap is %d", e.ID, len(running), chaosCap)
			}
		case "completed":
			done++
			delete(running, e.TaskID)
		case "crashed", "timed_out", "reclaimed", "reconciled", "spawn_failed", "stale", "rate_limited", "protocol_violation":
			delete(running, e.TaskID)
		}
	}
	t.Logf("%d events, %d cards completed", len(events), done)
	if done == 0 {
		t.Error("nothing was completed, so nothing was proven")
	}
}

func TestTwoDispatchersOnOneBoardKeepEveryPromise(t *testing.T) {
	cards, enough := chaosCards()
	dir, d := chaosHome(t, cards)
	for range 2 {
		_, out := dispatcherProcess(t, dir)
		go func() {
			for out.Scan() { // keep the pipe empty
			}
		}()
	}
	end := make(<-chan time.Time)
	if os.Getenv("HERMES_TUI_CHAOS") != "" {
		end = time.After(chaosLength())
	}
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for busy := true; busy; {
		select {
		case <-end:
			busy = false
		case <-poll.C:
			s, err := d.Board.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			busy = s.Count(core.Done) < enough
		}
	}
	promises(t, d)
}

func TestKillingTheDispatcherAtAnyMomentLeavesABoardThatTheNextOneRepairs(t *testing.T) {
	dir, d := chaosHome(t, 40)
	kills := 0
	for end := time.Now().Add(chaosLength()); time.Now().Before(end); kills++ {
		cmd, out := dispatcherProcess(t, dir)
		for range rand.IntN(4) {
			out.Scan()
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Logf("%d kills", kills)
	// The last dispatcher is this one: it must bring every card to an end.
	for range 3000 {
		if _, err := d.Tick(t.Context(), dispatch.Options{}); err != nil {
			t.Fatal(err)
		}
		s, err := d.Board.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Count(core.Done) >= 36 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	s, err := d.Board.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Count(core.Done); got < 36 {
		t.Errorf("only %d cards were finished", got)
	}
	promises(t, d)
}
