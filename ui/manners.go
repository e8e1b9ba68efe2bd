package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// raw writes a sequence for the terminal itself, through tmux where that stands
// between.
func (m *Model) raw(sequence string) tea.Cmd {
	if m.opts.Tmux {
		sequence = ansi.TmuxPassthrough(sequence)
	}
	return tea.Raw(sequence)
}

// watchBackground asks the terminal to tell when it turns light or dark.
func (m *Model) watchBackground() tea.Cmd { return tea.Raw(ansi.SetModeLightDark) }

// background follows the terminal.
func (m *Model) background(dark bool) {
	if dark != m.dark {
		m.dark = dark
		m.restyle()
	}
}

// copyID and copyTitle hand the harmless form of a text to the terminal's
// clipboard, and say so: whether the terminal takes it nobody can tell.
func (m *Model) copyID() tea.Cmd { return m.copy("id", m.target().ID) }

func (m *Model) copyTitle() tea.Cmd { return m.copy("title", m.target().Title) }

func (m *Model) copy(what, s string) tea.Cmd {
	s = text.Clean(s)
	m.say(fmt.Sprintf("the %s was sent to the clipboard: %s", what, s))
	return m.raw(ansi.SetSystemClipboard(s))
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.say("the mouse works here; hold shift to select text")
	} else {
		m.say("the mouse is the terminal's again")
	}
	return nil
}

// click selects the card under the mouse; a click on the selected one opens it.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.dialog != nil || m.page != nil || m.snap == nil {
		return nil
	}
	id := m.board.CardAt(m.shown.Slots, at.X-m.shown.Board.X, at.Y-m.shown.Board.Y, m.shown.Board.H)
	if id == "" {
		return nil
	}
	m.dirty = true
	if c := m.board.Selected(); c != nil && c.ID == id {
		return m.openCard()
	}
	m.board.Select(id)
	return nil
}

func (m *Model) wheel(at tea.Mouse) tea.Cmd {
	step := 1
	if at.Button == tea.MouseWheelUp {
		step = -1
	}
	if m.dialog != nil {
		return nil
	}
	m.dirty = true
	if m.page != nil {
		m.page.scroll(3 * step)
	} else {
		m.board.MoveRow(step)
	}
	return nil
}

// windowTitle tells the window manager how the board is.
func (m *Model) windowTitle() string {
	title := "hermes-tui · " + m.deps.BoardName
	if m.counts.need > 0 {
		title += fmt.Sprintf(" (%d)", m.counts.need)
	}
	return title
}

// paste gives text to what is being typed. Anywhere else it does nothing: it was
// not meant as keys.
func (m *Model) paste(s string) {
	if d, ok := m.dialog.(typist); ok {
		m.dirty = true
		d.insert(s)
		return
	}
	field := m.field()
	if field == nil {
		return
	}
	m.dirty = true
	field.insert(text.Clean(s))
	m.fieldChanged()
}

// field is the text field that has the cursor, nil if none has.
func (m *Model) field() *field {
	if m.dialog != nil {
		return m.dialog.field()
	}
	if f := m.openedFilter(); f != nil {
		return &f.field
	}
	return nil
}

// fieldChanged lets the board's filter take effect while it is typed. Pages look
// at theirs when they are drawn.
func (m *Model) fieldChanged() {
	if m.dialog == nil && m.page == nil {
		m.board.SetFilter(m.filter.keep())
		m.touched = true
	}
}
