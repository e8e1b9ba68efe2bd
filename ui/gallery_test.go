package ui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// pictures is where TestPictures writes a picture of every view.
var pictures = flag.String("pictures", "", "write a picture of every view into this directory")

var golden = flag.Bool("golden", false, "write the golden frames anew")

// fakeActs takes everything and does nothing.
type fakeActs struct{ Acts }

func (fakeActs) Edit(context.Context, operator.Card, operator.Edit) error { return nil }

// fakeJournals has nothing.
type fakeJournals struct{}

func (fakeJournals) List(context.Context, string) (journal.Listing, error) {
	return journal.Listing{}, nil
}
func (fakeJournals) Show(context.Context, string) (journal.Content, error) {
	return journal.Content{}, nil
}
func (fakeJournals) Accept(context.Context, string) (journal.Result, error) {
	return journal.Result{}, nil
}
func (fakeJournals) Restore(context.Context, string) (string, error) { return "", nil }

// everything lets a still model do all that a screen can do.
func everything(m *Model) *Model {
	d := &m.deps
	d.Acts, d.Journals = fakeActs{}, fakeJournals{}
	d.Names = func() []string { return []string{"dev", "docs", "ops"} }
	d.Why = func(context.Context, string) ([]dispatch.Gate, error) { return nil, nil }
	d.Log = func(string) (Log, error) { return nil, errors.New("no log") }
	d.Boards = func(context.Context) ([]BoardInfo, error) { return nil, nil }
	d.Open = func(context.Context, string) (Deps, error) { return Deps{}, nil }
	d.Emergency = &EmergencyStop{Engaged: func() (bool, string) { return false, "" }}
	d.Tick = func(context.Context) (*dispatch.Report, error) { return dispatch.NewReport(), nil }
	return m
}

// exhibit is a view with something in it. foreign stands for every text of others.
type exhibit struct {
	name string
	open func(m *Model, foreign func(string) string)
}

func plain(s string) string { return s }

func gallery() []exhibit {
	pid, lock := int64(4242), "box:4100"
	living := operator.Standing{Task: core.Task{ID: "t_30ab41c9", Status: core.Running, ClaimLock: &lock, WorkerPID: &pid}, HeartbeatAge: 8,
		Sighting: core.Sighting{PID: &pid, Verdict: core.AliveOurs, Evidence: "its start time is the recorded one"}}
	looks := func(m *Model, key string, seen operator.Standing, foreign func(string) string) {
		m.press(key)
		seen.Sighting.Evidence = foreign(seen.Sighting.Evidence)
		m.Update(result{msg: looked{form: m.dialog.(*form), seen: seen}})
	}
	return []exhibit{
		{"board", func(*Model, func(string) string) {}},
		{"card", func(m *Model, _ func(string) string) {
			m.press("enter")
			m.Update(result{msg: detailed{id: m.page.(*cardPage).id, detail: sampleDetail()}})
		}},
		{"requeue", func(m *Model, _ func(string) string) {
			m.press("r")
			m.Update(result{msg: stood{id: m.dialog.(*requeueDialog).id, seen: unclear()}})
		}},
		{"reconcile", func(m *Model, _ func(string) string) {
			m.press("x")
			m.Update(result{msg: found{findings: sampleFindings(3)}})
		}},
		{"block-live", func(m *Model, f func(string) string) { looks(m, "B", living, f) }},
		{"archive", func(m *Model, f func(string) string) {
			m.board.Select("t_10c4d2aa")
			looks(m, "a", operator.Standing{Task: core.Task{ID: "t_10c4d2aa", Status: core.Todo}}, f)
		}},
		{"complete", func(m *Model, f func(string) string) {
			m.board.Select("t_209f2c01")
			looks(m, "C", operator.Standing{Task: core.Task{ID: "t_209f2c01", Status: core.Ready}}, f)
			typeInto(m, "merged, all checks green")
		}},
		{"block-unclear", func(m *Model, f func(string) string) {
			seen := unclear()
			seen.Task.Status = core.Running
			looks(m, "B", seen, f)
		}},
		{"answer", func(m *Model, _ func(string) string) {
			m.board.Select("t_40e0aa10")
			m.press("R")
			typeInto(m, "the one in the cellar")
		}},
		{"create", func(m *Model, _ func(string) string) {
			m.press("n")
			typeInto(m, "Write the release notes")
			m.press("tab")
		}},
		{"edit", func(m *Model, f func(string) string) {
			m.press("e")
			d := sampleDetail()
			d.Task.Title, d.Task.Body = f(d.Task.Title), f("The lexer moved.\n\nMind the positions 日本語.\n"+strings.Repeat("words of a long text ", 20))
			m.Update(result{msg: toEdit{card: operator.Card{ID: d.Task.ID}, detail: d}})
			m.press("tab")
		}},
		{"owner", func(m *Model, _ func(string) string) {
			m.board.Select("t_209f2c01")
			m.press("o")
			typeInto(m, "o")
		}},
		{"emergency-stop", func(m *Model, _ func(string) string) { m.press("E") }},
		{"send-back", func(m *Model, _ func(string) string) {
			m.board.Select("t_50d1bb20")
			m.press("<")
			typeInto(m, "the tests are missing")
		}},
		{"palette", func(m *Model, _ func(string) string) { m.press(":"); typeInto(m, "re") }},
		{"themes", func(m *Model, _ func(string) string) { m.press("T") }},
		{"offer", func(m *Model, _ func(string) string) { m.press("d") }},
		{"boards", func(m *Model, f func(string) string) {
			m.press("b")
			m.Update(result{msg: boardsListed{boards: []BoardInfo{{Name: f("default"), Counts: map[core.Status]int{core.Running: 4, core.Ready: 4, core.Done: 28}},
				{Name: "website", Title: f("The web site"), Counts: map[core.Status]int{core.Blocked: 2}}, {Name: "old", Err: errors.New(f("the file is not an SQLite database"))}}}})
		}},
		{"feed", func(m *Model, f func(string) string) {
			for i, kind := range []string{"created", "claimed", "spawned", "heartbeat", "crashed", "completed", "reconciled", "journal_quarantined", "blocked"} {
				m.snap.Events = append(m.snap.Events, core.Event{ID: int64(101 + i), TaskID: "t_30ab41c9", Kind: f(kind), Payload: f(`{"by":"lead"}`), CreatedAt: noon.Unix() - int64(900-100*i)})
			}
			m.press("f")
		}},
		{"why", func(m *Model, f func(string) string) {
			m.board.Select("t_229f2c03")
			m.press("w")
			m.Update(result{msg: explained{id: "t_229f2c03", gates: []dispatch.Gate{{Name: "status", Open: true}, {Name: "parents", Open: true},
				{Name: "owner", Reason: f("no owner"), Opens: f("assign it")}, {Name: "profile", Open: true}, {Name: "dispatcher", Reason: f("nobody dispatches here"), Opens: f("start dispatching")}}}})
		}},
		{"graph", func(m *Model, f func(string) string) {
			m.press("t")
			l := &links{parents: map[string][]core.Link{"t_30ab41c9": {{ID: "t_a", Title: f("Write the lexer"), Status: core.Done}, {ID: "t_b", Title: "Agree on tokens", Status: core.Blocked}},
				"t_b": {{ID: "t_c", Title: "Ask the others", Status: core.Running}}},
				children: map[string][]core.Link{"t_30ab41c9": {{ID: "t_d", Title: "Use the parser", Status: core.Todo}}, "t_d": {{ID: "t_e", Title: "Ship it", Status: core.Todo}}, "t_e": {{ID: "t_d", Title: "Use the parser", Status: core.Todo}}}}
			m.Update(result{msg: graphed{id: "t_30ab41c9", links: l}})
		}},
		{"log", func(m *Model, f func(string) string) {
			m.press("L")
			p := m.page.(*logPage)
			var lines []string
			for i := range 60 {
				lines = append(lines, text.LogLine(f(fmt.Sprintf("step %d: \x1b[32mok\x1b[m, \x1b[1;31mone warning\x1b[0m and more %s", i, strings.Repeat("x", i*3)))))
			}
			m.Update(result{msg: logRead{page: p, lines: lines}})
		}},
		{"statistics", func(m *Model, _ func(string) string) {
			for i := range 12 {
				m.snap.Events = append(m.snap.Events, core.Event{Kind: []string{"crashed", "timed_out", "crashed", "stale"}[i%4]})
			}
			m.press("S")
		}},
		{"journals", func(m *Model, f func(string) string) {
			m.press("ctrl+j")
			m.Update(result{msg: journalsListed{listing: journal.Listing{
				Quarantined: []journal.Entry{{File: f("t_40e0aa10.7.terminal.pending.json"), Task: "t_40e0aa10", Run: 7, Size: 812, Reason: f("it is of another board"), Modified: noon.Unix() - 300}},
				Pending:     []journal.Entry{{File: "t_30ab41c9.12.terminal.pending.json", Task: "t_30ab41c9", Run: 12, Size: 1202}, {File: "t_41e0aa11.5.terminal.pending.json", Task: "t_41e0aa11", Run: 5, Late: true, Reason: "the card was completed by hand"}}}}})
		}},
		{"journal", func(m *Model, f func(string) string) {
			m.Update(result{msg: journalShown{content: journal.Content{Entry: journal.Entry{File: f("t_1.7.json"), Reason: f("malformed-payload")}, Text: f("{\"version\": 1,\n \"summary\": \"merged\"}")}}})
		}},
		{"bulk", func(m *Model, _ func(string) string) {
			m.board.Select("t_209f2c01")
			m.press("space")
			m.press("down")
			m.press("down")
			m.press("v")
			m.press("a")
		}},
		{"bulk-report", func(m *Model, f func(string) string) {
			m.Update(result{msg: bulkDone{verb: "archive", results: []bulkResult{{id: f("t_209f2c01")}, {id: "t_219f2c02", err: errors.New(f("t_219f2c02 changed to done meanwhile; nothing was written"))}}}})
		}},
		{"lanes", func(m *Model, _ func(string) string) { m.press("M") }},
		{"help", func(m *Model, _ func(string) string) { m.press("?") }},
	}
}

func typeInto(m *Model, words string) {
	for _, r := range words {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func TestEveryExhibitFillsItsScreen(t *testing.T) {
	for _, size := range [][2]int{{40, 8}, {80, 24}, {99, 30}, {120, 40}, {200, 50}} {
		for _, e := range gallery() {
			for _, o := range []Options{{}, {ASCII: true, NoColor: true}} {
				m := everything(still(t, size[0], size[1], o))
				e.open(m, plain)
				checkFrame(t, m, e.name)
			}
		}
	}
}

func TestEveryExhibitSurvivesForeignText(t *testing.T) {
	for _, e := range gallery() {
		m := everything(still(t, 120, 40, Options{}))
		e.open(m, func(string) string { return hostile })
		checkFrame(t, m, e.name)
		checkHarmless(t, m.draw(), e.name)
	}
}

func TestEveryExhibitIsColourlessWithoutColours(t *testing.T) {
	for _, e := range gallery() {
		m := everything(still(t, 120, 40, Options{NoColor: true}))
		e.open(m, plain)
		checkColourless(t, m.draw(), e.name)
	}
}

// TestExhibitsOnATerminal shows every view and dialog on a terminal and compares
// what stands there with the frame.
func TestExhibitsOnATerminal(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		for _, e := range gallery() {
			play(t, size[0], size[1], nil, func(r *rig) {
				var frame string
				r.inside(func(m *Model) {
					m.take(still(t, size[0], size[1], Options{}).snap, 0)
					e.open(everything(m), plain)
				})
				r.prog.Send(tea.FocusMsg{})
				r.settle()
				r.inside(func(m *Model) { frame = m.frame })
				var want strings.Builder
				for _, line := range strings.Split(ansi.Strip(frame), "\n") {
					want.WriteString(strings.TrimRight(line, " ") + "\n")
				}
				if diff := cmp.Diff(want.String(), r.text()); diff != "" {
					t.Errorf("%s at %v (-frame +terminal):\n%s", e.name, size, diff)
				}
			})
		}
	}
}

// TestGoldenFrames compares every view with the frame that was looked at:
// go test ./ui -run TestGoldenFrames -golden writes them anew.
func TestGoldenFrames(t *testing.T) {
	for _, e := range gallery() {
		m := everything(still(t, 80, 24, Options{}))
		e.open(m, plain)
		var b strings.Builder
		for _, line := range strings.Split(ansi.Strip(m.draw()), "\n") {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		path := filepath.Join("testdata", "frames", e.name+".txt")
		if *golden {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-golden +now):\n%s", e.name, diff)
		}
	}
}

// TestPictures draws every view, and writes the pictures where it is asked to:
// go test ./ui -run TestPictures -pictures DIR
func TestPictures(t *testing.T) {
	for _, theme := range []string{"dark", "light", "monochrome"} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			for _, e := range gallery() {
				m := everything(still(t, size[0], size[1], Options{Theme: theme}))
				e.open(m, plain)
				svg := SVG(m.draw(), size[0], size[1], m.styles.Theme)
				if !strings.HasPrefix(svg, "<svg ") || !strings.HasSuffix(svg, "</svg>\n") {
					t.Fatalf("%s is no picture", e.name)
				}
				if *pictures == "" {
					continue
				}
				name := fmt.Sprintf("%s-%s-%dx%d.svg", e.name, theme, size[0], size[1])
				if err := os.WriteFile(filepath.Join(*pictures, name), []byte(svg), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
