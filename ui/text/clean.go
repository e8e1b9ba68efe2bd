package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Visible stand-ins. All of them are one cell wide.
const (
	escapeMark  = '␛' // an escape sequence stood here, payload and all
	newlineMark = '↵' // a line break inside a text that must stay one line
	unknownMark = '�' // invalid bytes, or a character nobody can measure
)

// Clean returns s as one harmless line. Line breaks become a visible mark,
// except at the end, where they vanish; tabs become a space; escape sequences
// become one mark each; other control characters become their pictures;
// characters that reorder, hide or join text are dropped. Clean(Clean(s)) is
// Clean(s).
func Clean(s string) string {
	if plain(s, false) {
		return s
	}
	return settle(scrub(strings.TrimRight(s, "\r\n"), false))
}

// CleanLines is Clean for text of several lines: it keeps line breaks, as "\n"
// whatever they were, and turns a tab into four spaces.
func CleanLines(s string) string {
	if plain(s, true) {
		return s
	}
	lines := strings.Split(scrub(s, true), "\n")
	for i, line := range lines {
		lines[i] = settle(line)
	}
	return strings.Join(lines, "\n")
}

// plain reports whether s is printable ASCII, which is nearly every text and
// needs no work.
func plain(s string, lines bool) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 0x20 || c > 0x7e) && (c != '\n' || !lines) {
			return false
		}
	}
	return true
}

// scrub replaces or drops every character that is not simply visible.
func scrub(s string, lines bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(unknownMark)
		case r == 0x1b || introducesC1(r):
			b.WriteRune(escapeMark)
			size = sequenceLen(s[i:])
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// The line feed that follows ends the line.
		case r == '\n' || r == 0x85 || r == 0x2028 || r == 0x2029:
			if lines {
				b.WriteByte('\n')
			} else {
				b.WriteRune(newlineMark)
			}
		case r == '\t' && lines:
			b.WriteString("    ")
		case r == '\t':
			b.WriteByte(' ')
		default:
			writeVisible(&b, r)
		}
		i += size
	}
	return b.String()
}

// writeVisible writes the form of one character that every terminal shows in
// the same number of cells, or nothing.
func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r >= 0x20 && r < 0x7f:
		b.WriteByte(byte(r))
	case r < 0x20:
		b.WriteRune(0x2400 + r) // the control pictures
	case r == 0x7f:
		b.WriteRune('␡')
	case r == 0x3000: // the wide space
		b.WriteString("  ")
	case unicode.Is(unicode.Zs, r):
		b.WriteByte(' ')
	case invisible(r):
	case r >= 0x1f1e6 && r <= 0x1f1ff: // a pair of these is a flag; its letters say the same
		b.WriteRune('A' + r - 0x1f1e6)
	case unicode.IsGraphic(r) || unicode.Is(unicode.Co, r):
		b.WriteRune(r)
	default:
		b.WriteRune(unknownMark)
	}
}

// invisible reports characters without a shape of their own: format controls
// (bidi, zero width, joiners, tags), variation selectors, skin tones, enclosing
// keycaps and blank fillers. Without them each part of a joined emoji is an
// ordinary wide character that no terminal measures differently.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) ||
		r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f ||
		r >= 0x1f3fb && r <= 0x1f3ff ||
		r == 0x20e3 || r == 0x034f ||
		r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 ||
		r >= 0xe0000 && r <= 0xe0fff
}

// maxMarks bounds how many marks may be stacked on one character.
const maxMarks = 4

// settle makes every grapheme cluster one that terminals agree upon: measured
// as a whole and by the sum of its characters it takes the same cells. Others
// are cut to their first character, or replaced where even that is unclear.
// Cutting can bring two characters together, so it is repeated until nothing
// changes; each round leaves fewer characters.
func settle(s string) string {
	for {
		next, changed := settleOnce(s)
		if !changed {
			return s
		}
		s = next
	}
}

func settleOnce(s string) (string, bool) {
	if plain(s, false) {
		return s, false
	}
	var b strings.Builder
	b.Grow(len(s))
	changed := false
	for rest := s; rest != ""; {
		cluster, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(cluster):]
		if agreed(cluster, width) {
			b.WriteString(cluster)
			continue
		}
		changed = true
		_, size := utf8.DecodeRuneInString(cluster)
		first := cluster[:size]
		if size == len(cluster) || !agreed(first, ansi.StringWidth(first)) {
			first = string(unknownMark)
		}
		b.WriteString(first)
	}
	return b.String(), changed
}

func agreed(cluster string, width int) bool {
	if width < 1 || utf8.RuneCountInString(cluster) > 1+maxMarks {
		return false
	}
	return width == ansi.StringWidthWc(cluster)
}
