package ui

import (
	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textarea"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// area is a text of several lines being typed. Editing is the library's; it is
// drawn here, in our styles and from clean text.
type area struct{ in textarea.Model }

func newArea(value string) area {
	in := textarea.New()
	in.MaxHeight = 0 // as many lines as somebody writes
	in.KeyMap.Paste.SetEnabled(false)
	in.SetWidth(10_000) // lines are wrapped here
	in.SetValue(value)
	in.MoveToEnd()
	in.Focus()
	return area{in}
}

func (a *area) value() string { return a.in.Value() }

func (a *area) set(value string) { a.in.SetValue(value) }

func (a *area) key(msg tea.KeyPressMsg) { a.in, _ = a.in.Update(msg) }

func (a *area) insert(s string) { a.in.InsertString(s) }

// rows draws the lines around the cursor, at most height of them.
func (a *area) rows(width, height int, ink *themes.Ink, cursor themes.Style, focused bool) []row {
	var rows []row
	at := 0
	for i, line := range splitLines(a.in.Value()) {
		column := -1
		if focused && i == a.in.Line() {
			column = a.in.Column()
		}
		for _, chunk := range chunks([]rune(line), width-1) {
			n := len(chunk.runes)
			on := column >= chunk.from && (column < chunk.from+n || column == chunk.from+n && chunk.last)
			if on {
				at = len(rows)
				rows = append(rows, withCursor(chunk.runes, column-chunk.from, ink, cursor))
				continue
			}
			rows = append(rows, row{{Text: text.Clean(string(chunk.runes)), Style: ink.Text}})
		}
	}
	top := max(0, min(at-height/2, len(rows)-height))
	return rows[top:min(len(rows), top+height)]
}

// chunk is what of a line fits on a line of the screen.
type chunk struct {
	runes []rune
	from  int
	last  bool
}

// chunks cuts a line at words where it can.
func chunks(line []rune, width int) []chunk {
	var out []chunk
	from, used, word := 0, 0, 0 // word is where the current one begins
	for i := 0; i < len(line); i++ {
		used += text.Width(text.Clean(string(line[i])))
		if used > width && i > from {
			cut := i
			if word > from {
				cut = word
			}
			out = append(out, chunk{runes: line[from:cut], from: from})
			from, used, word = cut, 0, cut
			i = cut - 1
			continue
		}
		if line[i] == ' ' {
			word = i + 1
		}
	}
	return append(out, chunk{runes: line[from:], from: from, last: true})
}

// withCursor is a line of typed text with the cursor at a place in it.
func withCursor(runes []rune, at int, ink *themes.Ink, cursor themes.Style) []columns.Piece {
	at = min(max(0, at), len(runes))
	under, rest := " ", ""
	if at < len(runes) {
		under, rest = string(runes[at]), string(runes[at+1:])
	}
	return []columns.Piece{
		{Text: text.Clean(string(runes[:at])), Style: ink.Text},
		{Text: text.Clean(under), Style: cursor},
		{Text: text.Clean(rest), Style: ink.Text},
	}
}
