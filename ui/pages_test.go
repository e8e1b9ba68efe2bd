package ui

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/themes"
)

// fakeLog hands out lines as they are put in.
type fakeLog struct {
	lines  chan string
	closed atomic.Bool
}

func (l *fakeLog) Read(context.Context) (lines []string, err error) {
	for {
		select {
		case line := <-l.lines:
			lines = append(lines, line)
		default:
			return lines, nil
		}
	}
}

func (l *fakeLog) Close() error { l.closed.Store(true); return nil }

func TestLogIsFollowedUntilItsPageIsLeft(t *testing.T) {
	log := &fakeLog{lines: make(chan string, 10000)}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		log.closed.Store(false)
		play(t, size[0], size[1], func(r *rig) { r.deps.Log = func(string) (Log, error) { return log, nil } }, func(r *rig) {
			r.press("L")
			r.want("Log of t_30ab41c9", "nothing was written yet")
			for i := range 5000 {
				log.lines <- fmt.Sprintf("line %d \x1b[31mred\x1b]0;PWNED\a", i)
			}
			time.Sleep(time.Second)
			r.settle()
			r.want("line 4999", "following")
			r.inside(func(m *Model) {
				if n := len(m.page.(*logPage).lines); n != maxLogLines {
					t.Errorf("%d lines are kept", n)
				}
			})
			r.press("k")
			r.want("held: F follows")
			log.lines <- "one more"
			time.Sleep(time.Second)
			r.settle()
			r.wantNot("one more")
			r.press("F")
			r.want("one more")
			r.press("/", "4", "9", "9", "9")
			r.want("line 4999")
			r.wantNot("one more")
			r.press("esc", "esc")
			time.Sleep(2 * time.Second)
			if !log.closed.Load() {
				t.Error("the file is still open")
			}
			if strings.Contains(r.bytes.all(), "PWNED") {
				t.Error("the log spoke to the terminal")
			}
		})
	}
}

func TestWhyNamesTheFirstClosedGate(t *testing.T) {
	play(t, 80, 24, func(r *rig) {
		r.deps.Why = func(_ context.Context, id string) ([]dispatch.Gate, error) {
			return []dispatch.Gate{{Name: "status", Open: true}, {Name: "owner", Reason: "no owner", Opens: "assign it"}, {Name: "dispatcher", Reason: "nobody dispatches", Opens: "start one"}}, nil
		}
	}, func(r *rig) {
		r.inside(func(m *Model) { m.deps.Acts = fakeActs{} })
		r.press("down", "up", "left", "w")
		r.want("Between t_209f2c01 and a running worker", "▸ ■ owner", "assign it (o)", "  ■ dispatcher", "start one (d)")
	})
}

func TestFeedFollowsAndOpensTheCard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		play(t, size[0], size[1], nil, func(r *rig) {
			r.press("f")
			r.want("Feed", "created")
			r.board.change(func(b *fakeBoard) {
				b.events = append(b.events, core.Event{ID: 101, TaskID: "t_41e0aa11", Kind: "blocked", Payload: `{"reason":"which one?"}`, CreatedAt: time.Now().Unix()})
			})
			r.poll()
			r.want("blocked", "which one?")
			r.press("/", "c", "r", "e", "a")
			r.wantNot("which one?")
			r.press("esc", "G", "enter")
			r.want("t_41e0aa11  blocked")
		})
	}
}

func TestGraphNamesACycle(t *testing.T) {
	link := func(id string) []core.Link { return []core.Link{{ID: id, Title: "card " + id, Status: core.Todo}} }
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		play(t, size[0], size[1], func(r *rig) {
			r.board.details = map[string]*core.Detail{
				"t_30ab41c9": {Task: core.Task{ID: "t_30ab41c9"}, Children: link("t_10c4d2aa")},
				"t_10c4d2aa": {Task: core.Task{ID: "t_10c4d2aa"}, Children: link("t_11c4d2ab")},
				"t_11c4d2ab": {Task: core.Task{ID: "t_11c4d2ab"}, Children: link("t_10c4d2aa")},
			}
		}, func(r *rig) {
			r.press("t")
			r.want("Waited for by", "cycle: t_10c4d2aa > t_11c4d2ab > t_10")
			r.press("G", "enter")
			r.want("t_10c4d2aa  todo")
		})
	}
}

func TestAnotherBoardCanBeShown(t *testing.T) {
	other := &fakeBoard{now: time.Now, moved: true, cards: []core.Card{{ID: "t_other", Title: "Over there", Status: core.Ready, CreatedAt: 1}}}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		play(t, size[0], size[1], func(r *rig) {
			r.deps.Boards = func(context.Context) ([]BoardInfo, error) {
				return []BoardInfo{{Name: "default"}, {Name: "site", Counts: map[core.Status]int{core.Ready: 1}}}, nil
			}
			r.deps.Open = func(_ context.Context, name string) (Deps, error) {
				d := r.deps
				d.Board, d.BoardName, d.BoardPath = other, name, "/elsewhere/kanban.db"
				return d, nil
			}
		}, func(r *rig) {
			r.press("b")
			r.want("Boards", "site", "1 ready")
			r.press("down", "enter")
			r.poll()
			r.want("Over there", "site", "watching")
			r.wantNot("t_30ab41c9")
			before, _ := r.board.asked()
			time.Sleep(10 * time.Second)
			if after, _ := r.board.asked(); after != before {
				t.Error("the board that was left is still looked at")
			}
			polls, _ := other.asked()
			time.Sleep(10 * time.Second)
			if again, _ := other.asked(); again-polls > 41 {
				t.Errorf("%d polls in ten seconds", again-polls)
			}
		})
	}
}

func TestPaletteDoesWhatTheKeyDoes(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		play(t, size[0], size[1], nil, func(r *rig) {
			r.press(":")
			r.want("Commands")
			r.press("s", "t", "a", "t", "i", "enter")
			r.want("Statistics", "Finished a day")
			r.press("esc", "ctrl+p", "r", "e", "d", "o", "enter")
			r.want("nothing was undone")
		})
	}
}

func TestThemeIsShownWhileItIsLookedAt(t *testing.T) {
	play(t, 80, 24, nil, func(r *rig) {
		theme := func() (name string) {
			r.inside(func(m *Model) { name = m.styles.Theme.Name })
			return name
		}
		before := theme()
		r.press("T", "down", "down")
		if theme() != "light" {
			t.Errorf("looking at light shows %s", theme())
		}
		r.press("esc")
		if theme() != before {
			t.Error("leaving it does not take it back")
		}
		r.press("T", "down", "down", "enter")
		if theme() != "light" {
			t.Error("the theme was not taken")
		}
	})
}

func TestAPersonsOwnThemesAreInThePicker(t *testing.T) {
	var set themes.Set
	mine, err := themes.Parse("mine", []byte("based_on: light\nmuted: \"#cccccc\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	set.Add(mine)
	set.Refuse("evil\x1b[2J", errors.New("is no theme\x1b[2J"))
	play(t, 120, 40, func(r *rig) { r.opts.Themes = set }, func(r *rig) {
		r.press("T", "m", "i", "n", "e")
		r.want("hard to read: muted on background")
		r.press("enter")
		r.want("the theme is mine")
		r.inside(func(m *Model) {
			if m.styles.Theme != mine {
				t.Errorf("the theme is %s", m.styles.Theme.Name)
			}
		})
		r.press("T", "e", "v", "i", "l")
		r.want("is no theme␛")
		r.press("enter")
		r.inside(func(m *Model) {
			if m.styles.Theme != mine {
				t.Error("a broken theme was taken")
			}
		})
	})
}

func TestHelpCanBeSearched(t *testing.T) {
	m := everything(still(t, 80, 24, Options{}))
	m.press("?")
	m.press("/")
	typeInto(m, "undone")
	if !strings.Contains(m.frame, "do again what was undone") || strings.Contains(m.frame, "open the card: text") {
		t.Error("the help was not narrowed")
	}
}

func TestClipboardGetsTheHarmlessForm(t *testing.T) {
	for _, tmux := range []bool{false, true} {
		play(t, 120, 40, func(r *rig) {
			r.opts.Tmux = tmux
			r.board.card("t_30ab41c9").Title = "evil\x1b]52;c;cm0gLXJm\a title"
		}, func(r *rig) {
			r.press("Y")
			r.want("the title was sent to the clipboard")
			all := r.bytes.all()
			if strings.Contains(all, "cm0gLXJm") {
				t.Error("the card wrote the clipboard")
			}
			want := base64.StdEncoding.EncodeToString([]byte("evil␛ title"))
			if !strings.Contains(all, want) {
				t.Errorf("%q was not sent", want)
			}
			if strings.Contains(all, "\x1bPtmux;") != tmux {
				t.Errorf("tmux %v: wrongly wrapped", tmux)
			}
		})
	}
}

func TestMouseIsOffUntilAskedFor(t *testing.T) {
	play(t, 120, 40, nil, func(r *rig) {
		if strings.Contains(r.bytes.all(), "\x1b[?1002h") {
			t.Fatal("the mouse was taken unasked")
		}
		r.press("ctrl+t")
		r.want("the mouse works here")
		if !strings.Contains(r.bytes.all(), "\x1b[?1002h") {
			t.Fatal("the mouse was not asked for")
		}
		var x, y int
		for line, s := range strings.Split(r.text(), "\n") {
			if at := strings.Index(s, "t_40e0aa10"); at >= 0 {
				x, y = len([]rune(s[:at])), line
			}
		}
		r.prog.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		r.settle()
		if r.selected() != "t_40e0aa10" {
			t.Errorf("%s is selected", r.selected())
		}
		r.prog.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		r.settle()
		r.want("t_40e0aa10  blocked")
	})
}

func TestPersonIsCalledOnlyWhileNobodyLooks(t *testing.T) {
	play(t, 120, 40, func(r *rig) { r.opts.Notify = true }, func(r *rig) {
		block := func(id string) {
			r.board.change(func(b *fakeBoard) { b.card(id).Status = core.Blocked })
			time.Sleep(3 * time.Second)
			r.settle()
		}
		block("t_209f2c01")
		if strings.Contains(r.bytes.all(), "\x1b]9;") {
			t.Error("called while the person looks")
		}
		r.prog.Send(tea.BlurMsg{})
		r.settle()
		block("t_219f2c02")
		if n := strings.Count(r.bytes.all(), "\x1b]9;"); n != 1 || !strings.Contains(r.bytes.all(), "t_219f2c02 needs you") {
			t.Errorf("called %d times", n)
		}
		block("t_219f2c02")
		if n := strings.Count(r.bytes.all(), "\x1b]9;"); n != 1 {
			t.Errorf("called %d times for one card", n)
		}
	})
}

func TestTerminalThatTurnsLightIsFollowed(t *testing.T) {
	play(t, 80, 24, nil, func(r *rig) {
		if !strings.Contains(r.bytes.all(), "\x1b[?2031h") {
			t.Fatal("nobody asked the terminal to tell")
		}
		_, _ = r.keys.Write([]byte("\x1b[?997;2n"))
		r.settle()
		r.inside(func(m *Model) {
			if m.styles.Theme.Name != "light" {
				t.Errorf("the theme is %s", m.styles.Theme.Name)
			}
		})
	})
}

func TestLateAnswerDoesNotDisturbWhatIsOpenNow(t *testing.T) {
	m := everything(still(t, 120, 40, Options{}))
	m.press("e")
	m.press("n")
	m.Update(result{msg: toEdit{detail: sampleDetail()}})
	if f, ok := m.dialog.(*form); !ok || f.head != "New card" {
		t.Error("another form came up under the person's fingers")
	}
}

// besideGateway is a home where a gateway dispatches and these lanes are known.
func besideGateway(lanes ...string) func(context.Context) Beside {
	return func(context.Context) Beside { return Beside{Gateway: true, Lanes: lanes} }
}

func TestBesideAGatewayOnlyLanesAreOffered(t *testing.T) {
	d := newDesk(t, 80, 24)
	var served []bool
	kept := State{}
	d.m.deps.Beside = besideGateway("codex", "claude"+hostile)
	d.m.deps.ServeLanes = func(only bool) { served = append(served, only) }
	d.m.deps.Tick = func(context.Context) (*dispatch.Report, error) { return dispatch.NewReport(), nil }
	d.m.deps.Keep = func(s State) error { kept = s; return nil }
	d.poll()
	d.press("d")
	d.want("Serve lanes from this screen", "A Hermes gateway dispatches", "codex")
	checkHarmless(t, d.m.frame, "offer")
	d.confirm("a")
	d.want("dispatching lanes")
	d.poll()
	if !slices.Equal(served, []bool{true}) || !kept.Dispatch || !kept.OnlyLanes {
		t.Errorf("served %v, kept %+v", served, kept)
	}
}

func TestWithoutLanesNothingIsOfferedBesideAGateway(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.m.deps.Beside = besideGateway()
	d.m.deps.Tick = func(context.Context) (*dispatch.Report, error) { return dispatch.NewReport(), nil }
	d.poll()
	d.press("d")
	d.want("No lane is configured here", "keep watching")
	d.confirm("y")
	d.confirm("a")
	if d.m.disp.mode != watching || d.m.always {
		t.Error("a screen with nothing to dispatch dispatches")
	}
}
