package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// news counts what the header tells, and marks the cards to which something
// happened since the last snapshot: a flash for what happens now, a badge alone
// for what happened while no screen was open.
func (m *Model) news(next *core.Snapshot) {
	m.counts = counts{
		running: next.Count(core.Running), ready: next.Count(core.Ready),
		need: next.Count(core.Blocked) + next.Count(core.Review),
	}
	for i := range next.Events {
		e := &next.Events[i]
		badge := badgeOf(e.Kind)
		switch {
		case badge == columns.NoBadge || m.newest == 0 && m.snap == nil:
		case m.snap == nil && e.ID > m.newest:
			m.board.Mark(e.TaskID, badge)
		case m.snap != nil && e.ID > m.snap.NewestEvent:
			m.board.Flash(e.TaskID, badge, m.now())
		}
	}
	if next.NewestEvent != m.newest {
		m.newest, m.touched = next.NewestEvent, true
	}
}

func badgeOf(kind string) columns.Badge {
	switch kind {
	case "reconciled":
		return columns.Reconciled
	case quarantinedEvent:
		return columns.Quarantined
	}
	return columns.NoBadge
}

// notify tells the terminal of a card that came to need a person while nobody
// looks at the screen, once.
func (m *Model) notify() tea.Cmd {
	if !m.opts.Notify || m.focused {
		m.told = m.needing()
		return nil
	}
	before := m.told
	m.told = m.needing()
	for id := range m.told {
		if !before[id] {
			return m.raw(ansi.Notify(text.Clean("hermes: " + id + " needs you: " + m.snap.ByID[id].Title)))
		}
	}
	return nil
}

// needing are the cards that wait for a person.
func (m *Model) needing() map[string]bool {
	ids := map[string]bool{}
	for _, column := range m.snap.Columns {
		if column.Status == core.Blocked || column.Status == core.Review {
			for _, c := range column.Cards {
				ids[c.ID] = true
			}
		}
	}
	return ids
}
