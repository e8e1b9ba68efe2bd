package columns

import (
	"strings"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Piece is a run of text in one style.
type Piece struct {
	Text  string
	Style themes.Style
}

// Line sets left and right into exactly width cells. The right side keeps its
// place and gives up its first pieces when it would leave the left side less
// than half of the line; the left side is cut.
func Line(width int, fill themes.Style, left, right []Piece) string {
	if width <= 0 {
		return ""
	}
	rightWidth := piecesWidth(right)
	for len(right) > 0 && rightWidth > width/2 {
		rightWidth -= text.Width(right[0].Text)
		right = right[1:]
	}
	room := width - rightWidth
	if rightWidth > 0 {
		room-- // one blank between the two
	}
	var b strings.Builder
	for _, p := range left {
		s := text.Truncate(p.Text, room)
		b.WriteString(p.Style.Render(s))
		if room -= text.Width(s); room <= 0 || len(s) < len(p.Text) {
			break
		}
	}
	if rightWidth > 0 {
		room++
	}
	b.WriteString(fill.Render(text.Spaces(room)))
	for _, p := range right {
		b.WriteString(p.Style.Render(p.Text))
	}
	return b.String()
}

func piecesWidth(pieces []Piece) int {
	n := 0
	for _, p := range pieces {
		n += text.Width(p.Text)
	}
	return n
}
