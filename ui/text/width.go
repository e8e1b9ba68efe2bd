package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that s takes; escape sequences take none.
func Width(s string) int {
	if plain(s, false) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Truncate cuts s to at most width cells, with an ellipsis where it was cut.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, "…")
}

// TruncateLeft cuts s from its beginning, for paths, whose end tells more.
func TruncateLeft(s string, width int) string {
	over := Width(s) - width
	switch {
	case width <= 0:
		return ""
	case over <= 0:
		return s
	}
	// A wide character at the cut may leave one cell more than asked for.
	for cut := over + 1; ; cut++ {
		if out := ansi.TruncateLeft(s, cut, "…"); Width(out) <= width {
			return out
		}
	}
}

// Fit makes s exactly width cells: cut or filled with spaces.
func Fit(s string, width int) string {
	s = Truncate(s, width)
	return s + Spaces(width-Width(s))
}

var blank = strings.Repeat(" ", 512)

// Spaces returns n spaces, none for a negative n.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blank):
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

// Wrap breaks clean text into lines of at most width cells, at words where it
// can. A blank line stays a blank line.
func Wrap(s string, width int) []string {
	if width < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(s, width, " "), "\n")
}
