package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
)

func TestActionTableIsSound(t *testing.T) {
	ids := map[string]bool{}
	owner := map[scope]map[string]string{onBoard: {}, onPage: {}, onDialog: {}}
	for _, a := range actionTable() {
		if ids[a.id] {
			t.Errorf("two actions are called %q", a.id)
		}
		ids[a.id] = true
		if a.help == "" || a.group == "" || len(a.keys) == 0 || a.run == nil {
			t.Errorf("%q lacks help, group, keys or a function", a.id)
		}
		scopes := []scope{a.scope}
		if a.scope == anywhere {
			scopes = []scope{onBoard, onPage}
		}
		for _, s := range scopes {
			for _, key := range a.keys {
				if other := owner[s][key]; other != "" {
					t.Errorf("%q and %q share the key %q", other, a.id, key)
				}
				owner[s][key] = a.id
			}
		}
	}
}

func TestEveryActionIsInTheHelp(t *testing.T) {
	m := still(t, 120, 100, Options{})
	m.press("?")
	for _, a := range m.actions {
		if !strings.Contains(m.frame, a.help) {
			t.Errorf("the help lacks %q", a.id)
		}
	}
}

func TestDisabledActionSaysWhy(t *testing.T) {
	m := still(t, 120, 40, Options{})
	m.deps.NoTick = "a Hermes gateway dispatches here"
	for key, want := range map[string]string{
		"p": "nothing to pause", "d": "a Hermes gateway dispatches here", "s": "no badge", "]": "no card has a badge",
	} {
		m.press(key)
		if !strings.Contains(m.frame, want) {
			t.Errorf("%s does not say %q", key, want)
		}
	}
	m.board.Select("t_50d1bb20")
	m.press("r")
	if !strings.Contains(m.frame, "the card is review and nothing holds it") || m.dialog != nil {
		t.Error("requeue of a card that nothing holds does not say why not")
	}
}

func TestKeysOfAnotherAlphabetWork(t *testing.T) {
	m := still(t, 120, 40, Options{})
	before := m.board.Selected().ID
	m.Update(tea.KeyPressMsg{Code: 'о', Text: "о", BaseCode: 'j'}) // the key of j on a Cyrillic keyboard
	if m.board.Selected().ID == before {
		t.Error("the selection did not move")
	}
}

func TestHeldKeyActsOnce(t *testing.T) {
	m := still(t, 120, 40, Options{})
	m.Update(tea.KeyPressMsg{Code: 'x', Text: "x", IsRepeat: true})
	if m.dialog != nil {
		t.Error("a repeated key opened a dialog")
	}
	m.Update(tea.KeyPressMsg{Code: 'j', Text: "j", IsRepeat: true})
	if m.board.Selected().ID != "t_31ab41ca" {
		t.Error("a repeated key does not move")
	}
}

func TestPasteOutsideAFieldDoesNothing(t *testing.T) {
	m := still(t, 120, 40, Options{})
	m.Update(tea.PasteMsg{Content: "xryq"})
	if m.dialog != nil || m.panic != nil {
		t.Error("pasted text was taken for keys")
	}
	m.press("/")
	m.Update(tea.PasteMsg{Content: "parser\x1b[2J\r"})
	if got := m.filter.value(); !strings.HasPrefix(got, "parser") || strings.Contains(got, "\x1b") {
		t.Errorf("the field holds %q", got)
	}
}

func TestFilterNarrowsTheBoard(t *testing.T) {
	m := still(t, 120, 40, Options{})
	for filter, want := range map[string]int{"login": 1, "@docs": 12, "@docs #todo": 2, "#run": 4, "t_30AB": 1, "!attention": 6, "tenant:web": 0, "nothing like this": 0} {
		m.press("/")
		for _, r := range filter {
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		if shown, _ := m.filterCounts(); shown != want {
			t.Errorf("%q shows %d cards, want %d", filter, shown, want)
		}
		m.press("enter")
		if want > 0 && !strings.Contains(m.frame, "filter "+filter) {
			t.Errorf("nothing tells that %q is on", filter)
		}
		m.press("esc")
		if shown, all := m.filterCounts(); shown != all {
			t.Error("escape does not show all cards")
		}
	}
}

func TestActionIsAboutTheOpenCard(t *testing.T) {
	m := still(t, 200, 50, Options{})
	m.press("enter")
	open := m.page.(*cardPage).id
	m.board.MoveRow(1)
	if got := m.target(); got == nil || got.ID != open {
		t.Error("an action on the open card is about another one")
	}
	m.snap = core.NewSnapshot(nil)
	if m.target() != nil {
		t.Error("a card that is gone can be acted upon")
	}
}
