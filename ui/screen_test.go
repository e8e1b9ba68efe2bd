package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

func TestBoardOpensWatching(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		var ticks atomic.Int32
		play(t, size[0], size[1], func(r *rig) {
			r.deps.Tick = func(context.Context) (*dispatch.Report, error) { ticks.Add(1); return dispatch.NewReport(), nil }
		}, func(r *rig) {
			r.want("hermes", "default", "4 running", "4 ready", "3 need you", "watching", "Running 4", "t_30ab41c9", "kanban.db", "? help", "q quit")
			if !r.emu.IsAltScreen() {
				t.Error("not on the alternate screen")
			}
			time.Sleep(10 * time.Minute)
			if ticks.Load() > 0 {
				t.Error("a tick ran though nobody decided to dispatch")
			}
		})
	}
}

func TestLightTerminalGetsTheLightTheme(t *testing.T) {
	play(t, 80, 24, func(r *rig) { r.emu.Emulator.SetDefaultBackgroundColor(white) }, func(r *rig) {
		r.inside(func(m *Model) {
			if m.styles.Theme.Name != "light" {
				t.Errorf("theme is %q", m.styles.Theme.Name)
			}
		})
	})
	play(t, 80, 24, func(r *rig) { r.emu.Emulator.SetDefaultBackgroundColor(white); r.opts.Theme = "dark" }, func(r *rig) {
		r.inside(func(m *Model) {
			if m.styles.Theme.Name != "dark" {
				t.Error("the terminal's background won over what was asked for")
			}
		})
	})
}

func TestSelectionStaysOnItsCard(t *testing.T) {
	play(t, 120, 40, nil, func(r *rig) {
		r.press("down")
		chosen := r.selected()
		r.board.change(func(b *fakeBoard) {
			b.cards = append(b.cards, core.Card{ID: "t_new", Title: "Sorts first", Status: core.Running, Priority: 99, CreatedAt: time.Now().Unix()})
		})
		r.poll()
		r.want("Sorts first")
		if got := r.selected(); got != chosen {
			t.Fatalf("the selection went from %s to %s", chosen, got)
		}
		for _, status := range []core.Status{core.Blocked, core.Done, core.Ready, core.Running} {
			r.board.change(func(b *fakeBoard) { b.card(chosen).Status = status })
			r.poll()
			if n := strings.Count(r.text(), chosen); n != 1 {
				t.Fatalf("%s is on the screen %d times as %s:\n%s", chosen, n, status, r.text())
			}
			if r.selected() != chosen {
				t.Fatalf("the selection left the card that became %s", status)
			}
		}
		below := r.selected()
		r.board.change(func(b *fakeBoard) { b.drop(below) })
		r.poll()
		r.inside(func(m *Model) {
			if c := m.board.Selected(); c == nil || c.Status != core.Running {
				t.Error("no neighbour was selected when the card went")
			}
		})
	})
}

func TestTickFlashesAndTheBadgeStays(t *testing.T) {
	play(t, 120, 40, func(r *rig) {
		r.opts.Dispatch = true
		r.deps.Tick = func(context.Context) (*dispatch.Report, error) {
			report := dispatch.NewReport()
			report.Reconciled = []string{"t_209f2c01"}
			report.Quarantined = []dispatch.Quarantined{{Task: "t_40e0aa10"}}
			report.Held = []dispatch.Note{{Task: "t_32ab41cb", Reason: "survived"}}
			return report, nil
		}
		r.opts.Interval = time.Hour
	}, func(r *rig) {
		r.want("↻ reconciled", "⚠ quarantined", "↻1 ⚠1 ‖1", "dispatching", "held: surv")
		renders := 0
		r.inside(func(m *Model) {
			if renders = m.board.Renders(); !m.board.Pulsing(m.now()) {
				t.Error("nothing pulses")
			}
		})
		time.Sleep(4 * time.Second)
		r.inside(func(m *Model) {
			if m.board.Pulsing(m.now()) {
				t.Error("it still pulses after four seconds")
			}
			if m.board.Renders() < renders+8 {
				t.Error("the pulse was not drawn")
			}
		})
		r.want("↻ reconciled", "⚠ quarantined")
		r.press("]")
		if got := r.selected(); got != "t_40e0aa10" {
			t.Errorf("] went to %s", got)
		}
		r.press("]")
		if got := r.selected(); got != "t_209f2c01" {
			t.Errorf("] then went to %s", got)
		}
		r.press("s")
		r.wantNot("↻ reconciled")
		r.press("[", "enter")
		r.press("esc")
		r.wantNot("⚠ quarantined")
	})
}

func TestAnotherDispatchersWorkFlashesToo(t *testing.T) {
	play(t, 120, 40, nil, func(r *rig) {
		r.board.change(func(b *fakeBoard) {
			b.card("t_33ab41cc").Status = core.Ready
			b.events = append(b.events, core.Event{ID: 101, TaskID: "t_33ab41cc", Kind: "reconciled"})
		})
		r.poll()
		r.want("↻ reconciled")
	})
}

func TestAFileThatTakesTheBoardsPlaceIsAnnouncedAndHasNoBadges(t *testing.T) {
	play(t, 120, 40, nil, func(r *rig) {
		reconciled := func(id int64) core.Event {
			return core.Event{ID: id, TaskID: "t_33ab41cc", Kind: "reconciled"}
		}
		r.board.change(func(b *fakeBoard) { b.events = append(b.events, reconciled(101)) })
		r.poll()
		r.want("↻ reconciled")
		r.board.change(func(b *fakeBoard) {
			b.generation++
			b.events = []core.Event{reconciled(500)}
		})
		r.poll()
		r.want("the board file was replaced")
		r.wantNot("↻ reconciled")
		r.board.change(func(b *fakeBoard) { b.events = append(b.events, reconciled(501)) })
		r.poll()
		r.want("↻ reconciled")
	})
}

func TestRequeueSaysWhatStandsBehindTheCard(t *testing.T) {
	var asked []operator.Standing
	play(t, 120, 40, func(r *rig) {
		pid, lock := int64(4242), "box:4100"
		r.deps.Stand = func(_ context.Context, id string) (operator.Standing, error) {
			return operator.Standing{Task: core.Task{ID: id, Status: core.Running, ClaimLock: &lock}, HeartbeatAge: 8, HasLease: true, LeaseLeft: 700,
				Run: &core.Run{ID: 12, Profile: "dev"}, Sighting: core.Sighting{PID: &pid, Verdict: core.AliveOurs, Evidence: "same start time"}}, nil
		}
		r.deps.Requeue = func(_ context.Context, seen operator.Standing, dead bool) error {
			if dead {
				t.Error("nobody said that the worker is dead")
			}
			asked = append(asked, seen)
			return nil
		}
	}, func(r *rig) {
		r.press("r")
		r.want("Requeue t_30ab41c9", "pid 4242 lives and is proven", "same start time", "8s ago", "box:4100, for another 11m", "12, by dev", "Worker 4242 is stopped")
		r.press("esc", "r")
		if len(asked) > 0 {
			t.Fatal("escape requeued")
		}
		r.press("esc")
		// A confirmation typed ahead of the answer is not meant for it.
		r.prog.Send(keyPress("r"))
		r.prog.Send(keyPress("y"))
		r.settle()
		r.prog.Send(keyPress("enter"))
		r.settle()
		if len(asked) > 0 {
			t.Fatal("an early key was taken for a confirmation")
		}
		time.Sleep(settling)
		r.prog.Send(tea.KeyPressMsg{Code: 'y', Text: "y", IsRepeat: true})
		r.settle()
		if len(asked) > 0 {
			t.Fatal("a held key was taken for a confirmation")
		}
		r.press("y")
		r.want("t_30ab41c9 is back in the queue")
		if len(asked) != 1 || asked[0].Task.ID != "t_30ab41c9" || asked[0].Run.ID != 12 {
			t.Errorf("requeue was asked for %+v", asked)
		}
	})
}

func TestRequeueOfAnUnclearCardNeedsAWord(t *testing.T) {
	dead := 0
	play(t, 80, 24, func(r *rig) {
		r.deps.Stand = func(context.Context, string) (operator.Standing, error) { return unclear(), nil }
		r.deps.Requeue = func(_ context.Context, _ operator.Standing, says bool) error {
			if says {
				dead++
			}
			return fmt.Errorf("requeue: %w: worker reported meanwhile", core.ErrChanged)
		}
	}, func(r *rig) {
		r.press("r")
		time.Sleep(time.Second)
		r.want("Type dead to say so", "may live")
		r.press("y", "enter")
		r.want("the word is missing")
		if dead > 0 {
			t.Fatal("requeued without the word")
		}
		r.press("backspace", "d", "e", "a", "d", "enter")
		if dead != 1 {
			t.Fatalf("requeued %d times", dead)
		}
		r.want("changed meanwhile")
	})
}

func TestReconcileShowsFindingsFirst(t *testing.T) {
	var repaired []string
	play(t, 120, 40, func(r *rig) {
		r.deps.Findings = func(context.Context) ([]reconcile.Finding, error) {
			return []reconcile.Finding{
				{Task: "t_33ab41cc", Kind: reconcile.NoClaim, Reason: "running without a claim", Evidence: "no lock", Action: reconcile.Requeue},
				{Task: "t_32ab41cb", Reason: "half a claim", Action: reconcile.Hold}}, nil
		}
		r.deps.Reconcile = func(_ context.Context, ids []string) ([]string, error) { repaired = ids; return ids, nil }
	}, func(r *rig) {
		r.press("x")
		r.want("Reconcile: 2 findings", "running without a claim", "no lock", "hold", "repair 1 card")
		if repaired != nil {
			t.Fatal("repaired before anybody said so")
		}
		time.Sleep(settling)
		r.press("y")
		r.want("reconciled 1 card", "↻ reconciled")
		if fmt.Sprint(repaired) != "[t_33ab41cc]" {
			t.Errorf("repaired %v", repaired)
		}
	})
}

func TestReplayShowsTheAnswer(t *testing.T) {
	play(t, 120, 40, func(r *rig) {
		r.deps.Replay = func(_ context.Context, id string) (string, error) { return "1 result of " + id + " applied", nil }
	}, func(r *rig) {
		r.press("J")
		r.want("1 result of t_30ab41c9 applied")
	})
}

func TestTicksNeverOverlapAndCanBePaused(t *testing.T) {
	var running, most, ticks atomic.Int32
	play(t, 120, 40, func(r *rig) {
		r.opts.Interval = 10 * time.Second
		r.deps.Tick = func(context.Context) (*dispatch.Report, error) {
			most.Store(max(most.Load(), running.Add(1)))
			ticks.Add(1)
			time.Sleep(25 * time.Second)
			running.Add(-1)
			return dispatch.NewReport(), nil
		}
	}, func(r *rig) {
		r.press("d")
		r.want("Dispatch from this screen")
		time.Sleep(settling)
		r.press("y")
		r.want("dispatching", "ticking")
		time.Sleep(3 * time.Minute)
		r.press("p")
		r.want("paused")
		for range 5 {
			r.press("p", "p", "p", "p")
		}
		time.Sleep(30 * time.Second)
		n := ticks.Load()
		time.Sleep(5 * time.Minute)
		if ticks.Load() != n {
			t.Error("ticks go on while paused")
		}
		r.press("p")
		time.Sleep(time.Minute)
		if ticks.Load() == n {
			t.Error("no tick after resuming")
		}
		if most.Load() != 1 {
			t.Errorf("%d ticks at once", most.Load())
		}
	})
}

func TestHeldTickSaysByWhom(t *testing.T) {
	play(t, 120, 40, func(r *rig) {
		r.opts.Dispatch = true
		r.deps.Tick = func(context.Context) (*dispatch.Report, error) {
			report := dispatch.NewReport()
			report.SkippedLocked = true
			return report, nil
		}
		r.deps.Hindrance = func(context.Context) string { return "held by pid 4711" }
	}, func(r *rig) { r.want("held by pid 4711", "tick in") })
}

func TestTheHeaderSumsUpWhatWaitsAndWhy(t *testing.T) {
	play(t, 200, 40, func(r *rig) {
		r.opts.Dispatch = true
		r.deps.Tick = func(context.Context) (*dispatch.Report, error) {
			report := dispatch.NewReport()
			for _, id := range []string{"t_1", "t_2"} {
				report.Skipped = append(report.Skipped, dispatch.Note{Task: id, Reason: "no owner"})
			}
			report.Skipped = append(report.Skipped, dispatch.Note{Task: "t_3", Reason: `unknown profile "ghost"`})
			return report, nil
		}
	}, func(r *rig) { r.want("3 waiting, 0 runnable: 2 no owner, 1 unknown profile") })
}

func TestCountdownRunsOnlyWhileFocused(t *testing.T) {
	play(t, 120, 40, func(r *rig) { r.opts.Dispatch = true }, func(r *rig) {
		r.want("tick in 60s")
		time.Sleep(10 * time.Second)
		r.settle()
		r.want("tick in 50s")
		time.Sleep(43 * time.Second)
		r.settle()
		r.want("tick in 7s")
		r.prog.Send(tea.BlurMsg{})
		r.settle()
		r.wantNot("tick in")
	})
}

func TestFailedReadKeepsTheBoard(t *testing.T) {
	play(t, 120, 40, nil, func(r *rig) {
		r.board.change(func(b *fakeBoard) { b.err = errGone })
		r.poll()
		r.want("stale since ", "disk I/O error: ␛cannot␛ read", "t_30ab41c9")
		r.board.change(func(b *fakeBoard) { b.err = nil })
		r.poll()
		r.wantNot("stale since")
	})
}

func TestMissingBoardNamesThePath(t *testing.T) {
	ticks := new(atomic.Int32)
	play(t, 80, 24, func(r *rig) {
		r.board.err = fmt.Errorf("open board: %w", fs.ErrNotExist)
		r.opts.Dispatch = true
		r.deps.Tick = func(context.Context) (*dispatch.Report, error) { ticks.Add(1); return dispatch.NewReport(), nil }
	}, func(r *rig) {
		time.Sleep(5 * time.Minute)
		if ticks.Load() > 0 {
			t.Error("a board that cannot be read was dispatched")
		}
		r.want("There is no board here", "/home/you/.hermes/kanban.db", "open board: file does not exist", "hermes-tui init", "q quit")
		r.press("enter", "r", "x", "J", "j", "]", "esc", "tab")
		r.board.change(func(b *fakeBoard) { b.err = nil })
		r.poll()
		r.want("Port the parser", "dispatching")
	})
	play(t, 80, 24, func(r *rig) { r.board.err = errors.New("file is not a database") }, func(r *rig) {
		r.want("This board cannot be used", "/home/you/.hermes/kanban.db", "file is not a database")
	})
}

func TestCardThatGoesClosesItsPage(t *testing.T) {
	play(t, 120, 40, nil, func(r *rig) {
		r.press("enter")
		r.want("t_30ab41c9  running")
		r.board.change(func(b *fakeBoard) { b.drop("t_30ab41c9") })
		r.poll()
		r.want("card t_30ab41c9 is gone from the board", "Running 3")
		r.inside(func(m *Model) {
			if m.page != nil || m.board.Selected() == nil {
				t.Error("the page stays open or nothing is selected")
			}
		})
	})
}

func TestIdleScreenIsQuiet(t *testing.T) {
	play(t, 80, 24, func(r *rig) {
		r.opts.Dispatch, r.opts.Interval = true, time.Hour
	}, func(r *rig) {
		time.Sleep(5 * time.Minute) // heartbeats and ages come to steps of minutes
		written := r.bytes.count()
		_, reads := r.board.asked()
		time.Sleep(time.Minute)
		r.settle()
		if n := r.bytes.count() - written; n >= 1000 {
			t.Errorf("an idle minute writes %d bytes", n)
		}
		if _, n := r.board.asked(); n != reads {
			t.Errorf("an idle board was read %d times", n-reads)
		}
	})
}

func TestOneChangeWritesLittle(t *testing.T) {
	play(t, 80, 24, nil, func(r *rig) {
		written := r.bytes.count()
		r.board.change(func(b *fakeBoard) { b.card("t_30ab41c9").Title = "Another title" })
		r.poll()
		r.want("Another title")
		if n := r.bytes.count() - written; n >= 2000 {
			t.Errorf("one changed title writes %d bytes", n)
		}
	})
}

func TestPollSlowsDownWhenNobodyLooks(t *testing.T) {
	play(t, 80, 24, nil, func(r *rig) {
		pollsIn := func(d time.Duration) int {
			before, _ := r.board.asked()
			time.Sleep(d)
			after, _ := r.board.asked()
			return after - before
		}
		if n := pollsIn(10 * time.Second); n < 35 || n > 41 {
			t.Errorf("%d polls in ten seconds with focus", n)
		}
		r.prog.Send(tea.BlurMsg{})
		time.Sleep(2 * time.Minute)
		if n := pollsIn(10 * time.Second); n < 9 || n > 11 {
			t.Errorf("%d polls in ten seconds without focus", n)
		}
	})
}

func TestHostileBoardWritesNothingOfItsOwn(t *testing.T) {
	play(t, 120, 40, func(r *rig) {
		r.board.cards[8].Title = hostile
		r.board.cards[8].Assignee = hostile
		r.deps.BoardName = hostile
	}, func(r *rig) {
		r.press("enter")
		r.press("esc")
		for _, bad := range []string{"PWNED", "]52;c;cm0gLXJm", "evil.example", "\x1b[6n", "\x1bP$q\"p", "\x1bc", "\x9b31m", "\x1b(B"} {
			if strings.Contains(r.bytes.all(), bad) {
				t.Errorf("%q reached the terminal", bad)
			}
		}
	})
}

func TestInFlightEndsAtZero(t *testing.T) {
	play(t, 80, 24, func(r *rig) { r.opts.Dispatch = true }, func(r *rig) {
		r.press("x")
		r.press("esc")
		r.inside(func(m *Model) {
			if n := m.InFlight(); n != 0 {
				t.Errorf("%d questions are never answered", n)
			}
		})
	})
}
