package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// field is a line of text being typed. Editing is the library's; it is drawn
// here, in our styles and from clean text.
type field struct{ in textinput.Model }

// longestField is how many characters a line may have.
const longestField = 1000

func newField() field {
	in := textinput.New()
	in.CharLimit = longestField
	in.KeyMap.Paste.SetEnabled(false) // it would start a clipboard program; the terminal's paste works
	in.Focus()
	return field{in}
}

func (f *field) value() string { return f.in.Value() }

func (f *field) set(s string) { f.in.SetValue(s); f.in.CursorEnd() }

func (f *field) clear() { f.in.SetValue("") }

func (f *field) key(msg tea.KeyPressMsg) { f.in, _ = f.in.Update(msg) }

func (f *field) insert(s string) { f.in, _ = f.in.Update(tea.PasteMsg{Content: s}) }

// pieces is the text with the cursor in it.
func (f *field) pieces(ink *themes.Ink, cursor themes.Style) []columns.Piece {
	return withCursor([]rune(f.in.Value()), f.in.Position(), ink, cursor)
}

// window is the part of the text around the cursor that fits.
func (f *field) window(width int, ink *themes.Ink, cursor themes.Style) []columns.Piece {
	runes, at := []rune(f.in.Value()), f.in.Position()
	for len(runes) > 0 && at > 0 && text.Width(text.Clean(string(runes[:min(at, len(runes))]))) > width-2 {
		runes, at = runes[1:], at-1
	}
	return withCursor(runes, at, ink, cursor)
}

// splitLines cuts a text at its line breaks.
func splitLines(s string) []string { return strings.Split(s, "\n") }
