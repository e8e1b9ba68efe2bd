package board

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The helpers below follow Python where its idea of blanks, lines and lengths
// decides what Hermes stores: lengths count code points.

// strip removes blanks at both ends as Python's str.strip does.
func strip(s string) string { return strings.TrimFunc(s, isSpace) }

// isSpace also knows the four separators that Python counts as blanks.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// firstLine is the first line of a text without blanks at its ends, cut to a
// number of code points. It is nil where nothing is left. Lines end where
// Python's splitlines ends them.
func firstLine(s *string, limit int) *string {
	if s == nil {
		return nil
	}
	line := strip(*s)
	if i := strings.IndexFunc(line, endsLine); i >= 0 {
		line = line[:i]
	}
	if line = cut(line, limit); line == "" {
		return nil
	}
	return &line
}

func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// cut shortens a text to a number of code points.
func cut(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}

// length counts the code points of a text; none in nil.
func length(s *string) int {
	if s == nil {
		return 0
	}
	return utf8.RuneCountInString(*s)
}

// says reports whether a text holds more than blanks.
func says(s *string) bool { return s != nil && strip(*s) != "" }

// given reports whether a text is there and not empty.
func given(s *string) bool { return s != nil && *s != "" }
