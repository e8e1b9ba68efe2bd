package ui

import (
	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// field is a line of text being typed. Editing is the library's; it is drawn
// here, in our styles and from clean text.
type field struct{ in textinput.Model }

func newField() field {
	in := textinput.New()
	in.CharLimit = 200
	in.KeyMap.Paste.SetEnabled(false) // it would start a clipboard program; the terminal's paste works
	in.Focus()
	return field{in}
}

func (f *field) value() string { return f.in.Value() }

func (f *field) clear() { f.in.SetValue("") }

func (f *field) key(msg tea.KeyPressMsg) { f.in, _ = f.in.Update(msg) }

func (f *field) insert(s string) { f.in, _ = f.in.Update(tea.PasteMsg{Content: s}) }

// pieces is the text with the cursor in it.
func (f *field) pieces(ink *themes.Ink, cursor themes.Style) []columns.Piece {
	runes := []rune(f.in.Value())
	at := min(f.in.Position(), len(runes))
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
