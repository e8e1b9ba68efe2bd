package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// key finds the action of a key press and runs it, or says why it cannot.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if d, ok := m.dialog.(typist); ok {
		if cmd, taken := d.take(m, msg); taken {
			return cmd
		}
	} else if f := m.field(); f != nil {
		if cmd, taken := m.typed(f, msg); taken {
			return cmd
		}
	}
	a := m.lookup(msg)
	if a == nil || a.acts && msg.IsRepeat {
		return nil
	}
	return m.run(a)
}

// run does an action, or says why it cannot be done.
func (m *Model) run(a *action) tea.Cmd {
	m.message, m.dirty = "", true
	if a.enabled != nil {
		if why := a.enabled(m); why != "" {
			m.say(text.Clean(why))
			return nil
		}
	}
	return a.run(m)
}

// lookup finds the action by the character first, then by the key it lies on,
// so that letters work on a keyboard with another alphabet.
func (m *Model) lookup(msg tea.KeyPressMsg) *action {
	for _, name := range []string{msg.String(), msg.Keystroke()} {
		for i := range m.actions {
			if a := &m.actions[i]; m.inScope(a.scope) && slices.Contains(a.keys, name) {
				return a
			}
		}
	}
	return nil
}

func (m *Model) inScope(s scope) bool {
	switch {
	case m.dialog != nil:
		return s == onDialog
	case m.page != nil:
		return s == onPage || s == anywhere
	}
	return s == onBoard || s == anywhere
}

// typed gives a key to the field with the cursor. Enter and escape end the
// filter; in a dialog they are its actions.
func (m *Model) typed(f *field, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	key := msg.String()
	if key == "ctrl+c" {
		return nil, false
	}
	m.dirty = true
	if m.dialog != nil {
		if key == "enter" || key == "esc" {
			return nil, false
		}
		f.key(msg)
		return nil, true
	}
	filter := m.openedFilter()
	switch key {
	case "enter":
		filter.open = false
	case "esc":
		filter.open = false
		filter.clear()
		m.fieldChanged()
	default:
		f.key(msg)
		m.fieldChanged()
	}
	return nil, true
}

// searched is a page whose lines can be narrowed.
type searched interface{ search() *filter }

// openedFilter is the filter that is being typed: that of the page, or the
// board's; nil if none is.
func (m *Model) openedFilter() *filter {
	if p, ok := m.page.(searched); ok && p.search().open {
		return p.search()
	}
	if m.page == nil && m.filter.open {
		return &m.filter
	}
	return nil
}

func (m *Model) openFilter() tea.Cmd {
	m.filter.open = true
	return nil
}

func (m *Model) openSearch() tea.Cmd {
	m.page.(searched).search().open = true
	return nil
}

func canSearch(m *Model) string {
	if _, ok := m.page.(searched); !ok {
		return "this page has nothing to search"
	}
	return ""
}

func (m *Model) clearFilter() tea.Cmd {
	m.filter.clear()
	m.board.SetFilter(nil)
	m.touched = true
	return nil
}

func (m *Model) cycleOrder() tea.Cmd {
	m.touched = true
	m.say("order: " + m.board.CycleOrder().String())
	return nil
}

func (m *Model) toggleLanes() tea.Cmd {
	m.touched = true
	m.board.SetLanes(!m.board.Lanes())
	return nil
}

func (m *Model) cycleDensity() tea.Cmd {
	m.touched = true
	m.say("cards are " + m.board.CycleDensity().String())
	return nil
}

func (m *Model) toggleArchived() tea.Cmd {
	m.touched = true
	m.board.ToggleArchived()
	if m.board.Archived() {
		m.say("archived cards are shown")
	} else {
		m.say("archived cards are hidden")
	}
	return nil
}

func (m *Model) seen() tea.Cmd {
	m.touched = true
	m.board.Seen(m.target().ID)
	return nil
}
