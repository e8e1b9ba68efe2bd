package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// noon is when the tests without a program play.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// still is a model with the sample board, without a program around it.
func still(t testing.TB, w, h int, opts Options) *Model {
	t.Helper()
	cards, events := sampleCards(noon.Unix())
	m, err := NewModel(context.Background(), Deps{
		Board: &fakeBoard{now: func() time.Time { return noon }}, BoardName: "default", BoardPath: "/home/you/.hermes/kanban.db",
		Now:   func() time.Time { return noon },
		Stand: func(context.Context, string) (operator.Standing, error) { return operator.Standing{}, nil }, Requeue: func(context.Context, operator.Standing, bool) error { return nil },
		Findings: func(context.Context) ([]reconcile.Finding, error) { return nil, nil }, Reconcile: func(context.Context, []string) ([]string, error) { return nil, nil },
		Replay: func(context.Context, string) (string, error) { return "", nil },
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	snap := core.NewSnapshot(cards)
	snap.Events = events
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(result{msg: polled{snap: snap}})
	return m
}

func checkFrame(t *testing.T, m *Model, what string) {
	t.Helper()
	lines := strings.Split(m.draw(), "\n")
	if m.width < minWidth || m.height < minHeight {
		if len(lines) != 1 || ansi.StringWidth(lines[0]) > m.width {
			t.Fatalf("%s at %dx%d: %q", what, m.width, m.height, lines)
		}
		return
	}
	if len(lines) != m.height {
		t.Fatalf("%s at %dx%d has %d lines", what, m.width, m.height, len(lines))
	}
	for y, line := range lines {
		if got := ansi.StringWidth(line); got != m.width {
			t.Fatalf("%s at %dx%d: line %d takes %d cells: %q", what, m.width, m.height, y, got, ansi.Strip(line))
		}
	}
}

// views opens every view and every dialog in turn.
func views(m *Model, check func(name string)) {
	check("board")
	for range int(3) {
		m.press("z")
		check("board in another density")
	}
	m.press("enter")
	check("card being read")
	m.Update(result{msg: detailed{id: m.page.(*cardPage).id, detail: sampleDetail()}})
	check("card")
	m.press("esc")
	m.press("?")
	check("help")
	m.press("esc")
	m.press("r")
	check("requeue, looking")
	m.Update(result{msg: stood{id: m.dialog.(*requeueDialog).id, seen: unclear()}})
	check("requeue")
	m.press("esc")
	m.press("x")
	check("reconcile, looking")
	m.Update(result{msg: found{findings: sampleFindings(40)}})
	check("reconcile")
	m.press("esc")
	m.press("/")
	m.press("d")
	check("filter")
	m.press("esc")
	m.complain("something went wrong: " + strings.Repeat("long ", 60))
	m.notices = []string{"this board was made by a newer Hermes", "it lies on a network file system", "one more"}
	check("banners")
	m.Update(result{msg: polled{err: errors.New("disk I/O error")}})
	check("stale")
	m.notices, m.message = nil, ""
	m.Update(result{msg: polled{snap: core.NewSnapshot(nil)}})
	check("empty board")
	m.snap = nil
	check("opening")
	m.Update(result{msg: polled{err: fmt.Errorf("open board: %w", fs.ErrNotExist)}})
	check("no board")
}

func (m *Model) press(name string) { m.Update(keyPress(name)) }

func unclear() operator.Standing {
	pid, lock := int64(4242), "box:4100"
	return operator.Standing{Task: core.Task{ID: "t_30ab41c9", Status: core.Running, ClaimLock: &lock}, Run: &core.Run{ID: 12, Profile: "dev"},
		HeartbeatAge: 300, HasLease: true, LeaseLeft: -40, Sighting: core.Sighting{PID: &pid, Verdict: core.Unknown, Evidence: "start time was never recorded"}, NeedsDeadWord: true, JournalFound: true}
}

func sampleFindings(n int) []reconcile.Finding {
	var list []reconcile.Finding
	for i := range n {
		list = append(list, reconcile.Finding{Task: fmt.Sprintf("t_%08x", i), Kind: reconcile.NoClaim, Reason: "running without a claim for 3h", Evidence: "no lock, no expiry, no pid", Action: reconcile.Requeue})
	}
	return list
}

func sampleDetail() *core.Detail {
	ended, failure, lock := noon.Unix()-30, "pid 4100 not alive\nexit 137", "box:4100"
	return &core.Detail{
		Task:     core.Task{ID: "t_30ab41c9", Title: "Port the parser to the new lexer", Body: "The lexer moved.\n\n" + strings.Repeat("words of a long text ", 80), Assignee: "dev", Status: core.Running, Priority: 4, CreatedAt: noon.Unix() - 14400, ClaimLock: &lock, WorkspacePath: "/w/t_30ab41c9", Odd: []string{"started_at"}},
		Parents:  []core.Link{{ID: "t_10000000", Title: "Write the lexer", Status: core.Done}},
		Children: []core.Link{{ID: "t_10c4d2aa", Title: "日本語のタイトル", Status: core.Todo}},
		Runs:     []core.Run{{ID: 9, Profile: "dev", StartedAt: noon.Unix() - 3600, EndedAt: &ended, Outcome: core.Crashed, Error: &failure}, {ID: 12, Profile: "dev", StartedAt: noon.Unix() - 720}},
		Comments: []core.Comment{{Author: "lead", Body: "Mind the positions.\nAnd the tests.", CreatedAt: noon.Unix() - 3000}},
		Events:   []core.Event{{Kind: "created", CreatedAt: noon.Unix() - 14400, Payload: `{"by":"lead"}`}, {Kind: "claimed", CreatedAt: noon.Unix() - 720, Payload: "{}"}},
	}
}

func TestEveryViewFillsEveryScreenExactly(t *testing.T) {
	sizes := [][2]int{{1, 1}, {145, 1}, {3, 60}, {20, 5}, {39, 10}, {40, 8}, {59, 15}, {60, 16}, {80, 24}, {99, 30}, {100, 30}, {120, 40}, {149, 40}, {150, 41}, {200, 50}, {300, 100}}
	for _, size := range sizes {
		m := still(t, size[0], size[1], Options{})
		views(m, func(name string) { checkFrame(t, m, name) })
	}
}

func TestEveryWidthIsFilledExactly(t *testing.T) {
	m := still(t, 80, 24, Options{ASCII: true})
	for w := 1; w <= 300; w++ {
		m.Update(tea.WindowSizeMsg{Width: w, Height: 8 + w%40})
		checkFrame(t, m, "board")
		m.press("enter")
		checkFrame(t, m, "card")
		m.press("esc")
		m.press("tab")
	}
}

func TestManyResizesEndAsAFreshStart(t *testing.T) {
	m := still(t, 80, 24, Options{})
	random := rand.New(rand.NewSource(1))
	for range 200 {
		m.Update(tea.WindowSizeMsg{Width: random.Intn(300), Height: random.Intn(100)})
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if fresh := still(t, 80, 24, Options{}); m.frame != fresh.frame {
		t.Errorf("after resizing:\n%s\nfresh:\n%s", ansi.Strip(m.frame), ansi.Strip(fresh.frame))
	}
}

func TestTooSmallSaysWhatItNeeds(t *testing.T) {
	m := still(t, 39, 10, Options{})
	if m.frame != "terminal too small (39x10), needs 40x8" {
		t.Errorf("got %q", m.frame)
	}
	if _, cmd := m.Update(keyPress("q")); cmd == nil {
		t.Error("q does not quit")
	}
}

// hostile is text that tries everything on a terminal.
const hostile = "x\x1b[2J\x1b]0;PWNED\a\x1b]52;c;cm0gLXJm\a\x1b]8;;http://evil.example\x1b\\l\x1b[6n\x1bP$q\"p\x1b\\\x1bc\u009b31m\x9b31m\r\b\a\x00\u202egpj\u200b\ufeff\U000e0041\x1b(B\x1b[?1049l"

// checkHarmless finds what would do more in a terminal than set a style.
func checkHarmless(t *testing.T, frame, what string) {
	t.Helper()
	for rest := frame; rest != ""; {
		seq, width, n, _ := ansi.DecodeSequence(rest, ansi.NormalState, nil)
		if rest = rest[n:]; width > 0 || seq == "\n" {
			continue
		}
		if !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
			t.Fatalf("%s: %q reaches the terminal", what, seq)
		}
	}
}

// checkColourless finds a colour.
func checkColourless(t *testing.T, frame, what string) {
	t.Helper()
	for _, seq := range strings.Split(frame, "\x1b[")[1:] {
		codes, _, _ := strings.Cut(seq, "m")
		for _, code := range strings.Split(codes, ";") {
			if len(code) > 1 && code >= "30" && code != "7" {
				t.Fatalf("%s writes colour %q", what, codes)
			}
		}
	}
}

func TestForeignTextNeverSpeaksToTheTerminal(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		m := still(t, size[0], size[1], Options{})
		h := hostile
		var cards []core.Card
		for i, status := range append(core.Statuses, core.Status(hostile)) {
			for j := range 3 {
				cards = append(cards, core.Card{ID: fmt.Sprint("t_", i, j, h), Title: h, Assignee: h, Tenant: h, Status: status, ClaimLock: h, WorkerPID: 1, BlockKind: h, BlockReason: h,
					Summary: h, LastError: h, Failures: 1, WaitsFor: h, OpenParents: 1, Odd: [][]string{nil, {h}, nil}[j], CompletedAt: 1, RunStarted: 1})
			}
		}
		m.deps.BoardName, m.notices = "", []string{h}
		m.Update(result{msg: polled{snap: core.NewSnapshot(cards)}})
		check := func(name string) {
			t.Helper()
			checkFrame(t, m, name)
			checkHarmless(t, m.draw(), name)
		}
		m.press("A")
		for range 3 {
			check("board")
			m.press("z")
		}
		m.press("enter")
		detail := &core.Detail{Task: core.Task{ID: h, Title: h, Body: h, Assignee: h, Status: core.Status(h), Tenant: h, WorkspacePath: h, ClaimLock: &h, Result: &h, LastError: h, Odd: []string{h}},
			Runs: []core.Run{{Profile: h, Outcome: core.Outcome(h), Error: &h, Summary: &h}}, Events: []core.Event{{Kind: h, Payload: h}},
			Comments: []core.Comment{{Author: h, Body: h}}, Parents: []core.Link{{ID: h, Title: h, Status: core.Status(h)}}}
		m.Update(result{msg: detailed{id: m.page.(*cardPage).id, detail: detail}})
		check("card")
		m.Update(result{msg: detailed{id: m.page.(*cardPage).id, err: errors.New(h)}})
		check("card with an error")
		m.press("esc")
		m.dialog = &requeueDialog{id: h, name: "n"}
		seen := unclear()
		seen.Task.ID, seen.Task.ClaimLock, seen.Sighting.Evidence, seen.Run.Profile = h, &h, h, h
		m.Update(result{msg: stood{id: h, seen: seen}})
		check("requeue")
		m.dialog = &requeueDialog{id: h}
		m.Update(result{msg: stood{id: h, err: errors.New(h)}})
		check("requeue with an error")
		m.dialog = &reconcileDialog{}
		m.Update(result{msg: found{findings: []reconcile.Finding{{Task: h, Reason: h, Evidence: h}}}})
		check("reconcile")
		m.dialog = nil
		m.Update(result{msg: answered{err: errors.New(h)}})
		check("error")
		m.Update(result{msg: answered{text: h}})
		check("answer")
		m.Update(result{msg: ticked{err: errors.New(h), hindrance: h}})
		check("failed tick")
		m.Update(result{msg: polled{err: errors.New(h)}})
		check("stale")
		m.snap = nil
		m.dirty = true
		check("unusable")
	}
}

func TestWithoutColourNothingIsColoured(t *testing.T) {
	m := still(t, 120, 40, Options{NoColor: true, Theme: "light"})
	views(m, func(name string) {
		checkColourless(t, m.draw(), name)
	})
}

func TestUnchangedModelKeepsItsFrame(t *testing.T) {
	m := still(t, 120, 40, Options{})
	m.frame = "kept"
	m.Update(pollDue{})
	m.Update(result{msg: polled{}})
	m.Update(tea.KeyReleaseMsg{})
	m.Update(tea.PasteMsg{Content: "q"})
	m.Update(tea.EnvMsg{})
	if m.frame != "kept" {
		t.Error("the frame was drawn again though nothing changed")
	}
}

func TestFrameIsWhatTheScreenShows(t *testing.T) {
	m := still(t, 120, 40, Options{})
	frame, err := Frame(m.snap, m.deps, Options{}, 120, 40, true)
	if err != nil || frame != m.frame {
		t.Errorf("the frame differs from the screen (%v):\n%s", err, ansi.Strip(frame))
	}
}
