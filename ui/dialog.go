package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// dialog stands over the board until it is answered. While one is open no key
// reaches anything else.
type dialog interface {
	title() string
	// body draws the content in lines of at most width cells.
	body(m *Model, width int) []row
	// foot draws what must be seen even where the body is cut.
	foot(m *Model, width int) []row
	hints() []hint
	field() *field // nil without a text field
	confirm(m *Model) tea.Cmd
}

// typist is a dialog that takes keys before the table of actions sees them.
type typist interface {
	take(m *Model, msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool)
	insert(pasted string)
}

// canceller is a dialog that has something to do when it is given up.
type canceller interface{ cancel(m *Model) }

func (m *Model) cancelDialog() tea.Cmd {
	d := m.dialog
	m.dialog = nil
	if c, ok := d.(canceller); ok {
		c.cancel(m)
	}
	return nil
}

// row is one line of a dialog or page, as pieces.
type row []columns.Piece

// hint is a key with what it does.
type hint struct{ key, does string }

// settling is how long a dialog whose content just appeared ignores a
// confirmation: a key pressed before it could be read was not meant for it.
const settling = 400 * time.Millisecond

// guard is embedded in dialogs that ask before something is done.
type guard struct{ readable time.Time }

// arm starts the moment in which the dialog cannot be confirmed.
func (g *guard) arm(now time.Time) { g.readable = now.Add(settling) }

// wasRead lets the dialog be confirmed at once: its reader has answered it.
func (g *guard) wasRead() { g.readable = time.Unix(0, 0) }

func (g *guard) ready(now time.Time) bool { return !g.readable.IsZero() && !now.Before(g.readable) }

// dialogWidth is how wide dialogs like to be.
const dialogWidth = 66

// drawDialog returns the lines of the open dialog, all equally wide, framed.
func (m *Model) drawDialog(maxWidth, maxHeight int) []string {
	ink, signs := &m.styles.Raised, m.signs
	width := min(dialogWidth, maxWidth-2)
	inner := width - 4
	rows, foot := m.dialog.body(m, inner), m.dialog.foot(m, inner)
	if over := len(rows) + len(foot) - (maxHeight - 5); over > 0 {
		rows = append(rows[:max(0, len(rows)-over-1)], row{{Text: signs.Ellipsis + " " + several(over+1, "more line"), Style: ink.Muted}})
	}
	rows = append(append(rows, foot...), nil, hintRow(m.dialog.hints(), ink))
	title := " " + text.Truncate(m.dialog.title(), inner-2) + " "
	fill := repeat(signs.Rule, max(0, width-3-text.Width(title)))
	out := []string{ink.Faint.Render(signs.TopLeft+signs.Rule) + ink.Accent.Render(title) + ink.Faint.Render(fill+signs.TopRight)}
	wall := ink.Faint.Render(signs.Wall)
	for _, r := range append([]row{nil}, rows...) {
		out = append(out, wall+ink.Fill.Render(" ")+columns.Line(inner, ink.Fill, r, nil)+ink.Fill.Render(" ")+wall)
	}
	return append(out, ink.Faint.Render(signs.BottomLeft+repeat(signs.Rule, width-2)+signs.BottomRight))
}

func hintRow(hints []hint, ink *themes.Ink) row {
	var r row
	for i, h := range hints {
		if i > 0 {
			r = append(r, columns.Piece{Text: "   ", Style: ink.Fill})
		}
		r = append(r, columns.Piece{Text: h.key, Style: ink.Accent}, columns.Piece{Text: " " + h.does, Style: ink.Muted})
	}
	return r
}

// paragraph wraps clean words into rows of one style.
func paragraph(words string, width int, style themes.Style) []row {
	var rows []row
	for _, line := range text.Wrap(words, width) {
		rows = append(rows, row{{Text: line, Style: style}})
	}
	return rows
}
