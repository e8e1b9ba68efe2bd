package ui

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// footer is the message line, where the screen is tall enough for one of its
// own, and the keys that work here and now.
func (m *Model) footer(l Layout) []string {
	keys := m.keyLine(l.Footer.W)
	if m.openedFilter() != nil {
		keys = m.filterLine(l.Footer.W)
	}
	if l.Message.H == 0 {
		if m.message != "" && m.openedFilter() == nil {
			return []string{m.messageLine(l.Footer.W)}
		}
		return []string{keys}
	}
	return []string{m.messageLine(l.Message.W), keys}
}

func (m *Model) messageLine(width int) string {
	ink := &m.styles.Board
	words, style := m.message, ink.Text
	if m.alarming {
		style = ink.Danger
		words = m.signs.Attention + " " + words
	}
	if words == "" && m.filter.value() != "" && !m.filter.open {
		words, style = m.filterWords(), ink.Attention
	}
	if words == "" && !m.pathShown {
		// The path of the board is always somewhere on the screen.
		return columns.Line(width, ink.Fill, row{{Text: " " + text.TruncateLeft(m.deps.BoardPath, width-2), Style: ink.Muted}}, nil)
	}
	return columns.Line(width, ink.Fill, row{{Text: " ", Style: ink.Fill}, {Text: words, Style: style}}, nil)
}

// keyLine lists the actions that can be done now; those that do not fit are
// found in the help, which always has its place.
func (m *Model) keyLine(width int) string {
	ink := &m.styles.Board
	var left, right row
	room := width - 2
	add := func(target *row, a *action) {
		key := keyNames(m.signs.Up, a.keys[:1])
		label := a.label
		if a.id == "pause" && m.disp.mode == paused {
			label = "resume"
		}
		need := text.Width(key) + 1 + text.Width(label) + 3
		if need > room {
			return
		}
		room -= need
		*target = append(*target, columns.Piece{Text: " " + key, Style: ink.Accent}, columns.Piece{Text: " " + label + " ", Style: ink.Muted})
	}
	for _, id := range []string{"help", "quit"} {
		add(&right, m.action(id))
	}
	for _, s := range []scope{onPage, onBoard, anywhere} {
		for i := range m.actions {
			a := &m.actions[i]
			if a.scope == s && a.label != "" && a.id != "help" && a.id != "quit" && m.inFooter(a) {
				add(&left, a)
			}
		}
	}
	return columns.Line(width, ink.Fill, left, right)
}

// inFooter reports whether an action can be done here and now.
func (m *Model) inFooter(a *action) bool {
	own := onBoard
	if m.page != nil {
		own = onPage
	}
	return (a.scope == own || a.scope == anywhere) && (a.enabled == nil || a.enabled(m) == "")
}

func (m *Model) action(id string) *action {
	for i := range m.actions {
		if m.actions[i].id == id {
			return &m.actions[i]
		}
	}
	panic("no action " + id)
}

// filterLine is the footer while the filter is typed.
func (m *Model) filterLine(width int) string {
	ink := &m.styles.Board
	f := m.openedFilter()
	left := append(row{{Text: " / ", Style: ink.Accent}}, f.window(width-20, ink, m.styles.Brand)...)
	if f != &m.filter {
		return columns.Line(width, ink.Fill, left, nil)
	}
	shown, all := m.filterCounts()
	return columns.Line(width, ink.Fill, left, row{{Text: fmt.Sprintf("%d of %d ", shown, all), Style: ink.Muted}})
}

func (m *Model) filterWords() string {
	shown, all := m.filterCounts()
	return fmt.Sprintf("filter %s: %d of %d cards, esc shows all", text.Clean(m.filter.value()), shown, all)
}

func (m *Model) filterCounts() (shown, all int) {
	for _, h := range m.board.Heads() {
		if h.Status != core.Archived {
			shown, all = shown+h.Count, all+h.All
		}
	}
	return shown, all
}
