package lane_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// chaosDispatcher runs ticks in a world until it is killed, and says after each
// that it did.
func chaosDispatcher(dir string) int {
	d, err := newDispatcher(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		if _, err := d.Tick(context.Background(), dispatch.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Println("tick")
		time.Sleep(30 * time.Millisecond)
	}
}

// chaosAgent works for a moment and reports. It holds a lock in its workspace
// meanwhile: a second agent on the same card finds it held, and leaves word of
// the twin.
func chaosAgent() int {
	lock, err := os.OpenFile("alone", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = os.WriteFile("twin", nil, 0o600)
		return 1
	}
	time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
	fmt.Printf("{\"status\": \"completed\", \"summary\": \"run %s by %d\"}\n", os.Getenv("HERMES_KANBAN_RUN_ID"), os.Getpid())
	return 0
}

// chaosKills is how many processes are killed: HERMES_TUI_KILLS, or a few.
func chaosKills() int {
	if n, err := strconv.Atoi(os.Getenv("HERMES_TUI_KILLS")); err == nil {
		return n
	}
	return 9
}

// durable is what was seen in the state folder: the records by their runs.
type durable map[string]string

// look notes every record that is there now. What is seen here was acknowledged,
// whatever is killed afterwards.
func (d durable) look(w *world) {
	w.t.Helper()
	folder := filepath.Join(w.d.Place.StateRoot, w.d.Place.Slug)
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	for _, e := range entries {
		name, terminal := strings.CutSuffix(e.Name(), ".terminal.pending.json")
		if !terminal {
			name, terminal = strings.CutSuffix(e.Name(), ".terminal.committed.json")
		}
		if !terminal || d[name] != "" {
			continue
		}
		// A replayer may give it its other name at any moment.
		for _, suffix := range []string{".terminal.pending.json", ".terminal.committed.json"} {
			if text, err := os.ReadFile(filepath.Join(folder, name+suffix)); err == nil {
				d[name] = string(text)
			}
		}
	}
}

func TestKilledAnywhereNothingAcknowledgedIsLostOrAppliedTwice(t *testing.T) {
	w := newWorld(t, "  chaos:\n    routes:\n      - {command: [@SELF@, chaos-agent]}\n")
	seen, cards, killed := durable{}, []string{}, map[string]int{}
	dispatcher, ticks := w.dispatcherProcess()
	for n := 0; n < chaosKills(); {
		for w.waiting() < 6 {
			cards = append(cards, w.chaosCard())
		}
		for range rand.IntN(3) {
			ticks.Scan()
		}
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		victim, run := int64(dispatcher.Process.Pid), ""
		what := "dispatcher"
		if n%3 > 0 {
			what = "runner"
			if victim, run = w.someRunner(); victim == 0 {
				continue
			}
		}
		seen.look(w)
		if seen[run] != "" {
			what = "runner with a durable result"
		}
		if syscall.Kill(int(victim), syscall.SIGKILL) != nil {
			continue // it was faster
		}
		n++
		killed[what]++
		if what == "dispatcher" {
			_ = dispatcher.Wait()
			dispatcher, ticks = w.dispatcherProcess()
		}
	}
	seen.look(w)
	_ = dispatcher.Process.Kill()
	_ = dispatcher.Wait()
	w.settle(cards)
	seen.look(w)
	w.promises(cards, seen)
	t.Logf("killed %v, %d cards, %d results acknowledged", killed, len(cards), len(seen))
	if len(seen) == 0 {
		t.Error("no result was ever acknowledged, which proves nothing")
	}
}

// retrying repeats what a program that died while writing stands in the way of.
func (w *world) retrying(act func() error) {
	w.t.Helper()
	var err error
	for range 50 {
		if err = act(); !board.Unusable(err) {
			break
		}
		_ = w.b.Recover(w.t.Context())
	}
	w.must(err)
}

func (w *world) chaosCard() (id string) {
	w.t.Helper()
	w.retrying(func() error {
		made, err := w.b.CreateTask(w.t.Context(), board.NewTask{Title: "a card", Assignee: "chaos"})
		id = made.ID
		return err
	})
	return id
}

// waiting counts the cards that are ready.
func (w *world) waiting() (n int) {
	w.t.Helper()
	w.retrying(func() error {
		s, err := w.b.Snapshot(w.t.Context())
		if err == nil {
			n = s.Count(core.Ready)
		}
		return err
	})
	return n
}

// someRunner is the pid of a live runner that our dispatchers have started, 0 if
// there is none, and the name of its run.
func (w *world) someRunner() (pid int64, run string) {
	w.t.Helper()
	var cards []board.RunningCard
	w.retrying(func() (err error) {
		cards, err = w.b.RunningCards(w.t.Context())
		return err
	})
	rand.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	for _, c := range cards {
		if c.Task.WorkerPID == nil || c.Run == nil {
			continue
		}
		s := w.d.Prober.Sight(process.Worker{
			TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock, RunStarted: c.Run.StartedAt, Now: clock(),
		})
		if s.Verdict == core.AliveOurs {
			return *c.Task.WorkerPID, fmt.Sprintf("%s.%d", c.Task.ID, c.Run.ID)
		}
	}
	return 0, ""
}

// dispatcherProcess starts a dispatcher as a process of its own.
func (w *world) dispatcherProcess() (*exec.Cmd, *bufio.Scanner) {
	w.t.Helper()
	self, err := os.Executable()
	w.must(err)
	cmd := exec.Command(self, "chaos-dispatcher", w.dir)
	out, err := cmd.StdoutPipe()
	w.must(err)
	w.must(cmd.Start())
	w.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// settle runs ticks until every card is done: none may be stuck.
func (w *world) settle(cards []string) {
	w.t.Helper()
	left := 0
	for range 6000 {
		if _, err := w.d.Tick(w.t.Context(), dispatch.Options{}); err != nil && !board.Unusable(err) {
			w.t.Fatal(err)
		}
		w.retrying(func() error {
			s, err := w.b.Snapshot(w.t.Context())
			if err == nil {
				left = len(cards) - s.Count(core.Done)
			}
			return err
		})
		if left == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	report := w.tick()
	w.t.Fatalf("%d of %d cards are stuck; held %v, skipped %v", left, len(cards), report.Held, report.Skipped)
}

// promises are checked on what the chaos left.
func (w *world) promises(cards []string, seen durable) {
	w.t.Helper()
	w.checked()
	twins, err := filepath.Glob(filepath.Join(w.d.Place.Workspaces, "*", "twin"))
	w.must(err)
	for _, twin := range twins {
		w.t.Errorf("two agents at once: %s", twin)
	}
	applied := map[string]int{}
	for _, id := range cards {
		d := w.detail(id)
		if n := count(d, "completed"); n != 1 {
			w.t.Errorf("card %s was completed %d times", id, n)
		}
		for _, e := range d.Events {
			if e.Kind == "completed" && e.RunID != nil {
				applied[fmt.Sprintf("%s.%d", id, *e.RunID)]++
			}
		}
		for _, run := range d.Runs {
			name := fmt.Sprintf("%s.%d", id, run.ID)
			text, acknowledged := seen[name]
			switch {
			case acknowledged && (run.Outcome != core.Completed || applied[name] != 1):
				w.t.Errorf("the result of %s was acknowledged; its run ended as %q and was completed %d times", name, run.Outcome, applied[name])
			case acknowledged && !strings.Contains(text, *run.Summary):
				w.t.Errorf("the run %s has the summary %q of another result than %s", name, *run.Summary, text)
			case run.Outcome == core.Completed && !strings.HasPrefix(*run.Summary, fmt.Sprintf("run %d by ", run.ID)):
				w.t.Errorf("the run %s was completed with %q", name, *run.Summary)
			}
		}
	}
	for name := range seen {
		if applied[name] != 1 {
			w.t.Errorf("the acknowledged result %s was applied %d times", name, applied[name])
		}
	}
}
