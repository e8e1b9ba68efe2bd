package ui

import (
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

var noStyle themes.Style

// part is a piece of the header that may be left out where there is no room:
// the one with the highest rank goes first.
type part struct {
	words string
	style themes.Style
	rank  int
	right bool
}

// header is the first line: which board, how many cards, who dispatches.
func (m *Model) header(width int) string {
	parts := m.headerParts()
	for {
		total, worst := 0, -1
		for i, p := range parts {
			total += text.Width(p.words) + 2
			if p.rank > 0 && (worst < 0 || p.rank > parts[worst].rank) {
				worst = i
			}
		}
		if total <= width || worst < 0 {
			return m.setHeader(parts, width-total, width)
		}
		parts = append(parts[:worst:worst], parts[worst+1:]...)
	}
}

// setHeader puts the parts into the line; the path gets what room is left.
func (m *Model) setHeader(parts []part, spare, width int) string {
	ink := &m.styles.Raised
	left := row{{Text: " hermes ", Style: m.styles.Brand}}
	m.pathShown = spare-2 >= min(minPath, text.Width(m.deps.BoardPath))
	var right row
	for i, p := range parts {
		if i == 0 {
			continue // the brand
		}
		target := &left
		if p.right {
			target = &right
		}
		*target = append(*target, columns.Piece{Text: "  ", Style: ink.Fill}, columns.Piece{Text: p.words, Style: p.style})
		if i == 1 && m.pathShown && m.deps.BoardPath != "" {
			path := " " + text.TruncateLeft(m.deps.BoardPath, spare-2)
			left = append(left, columns.Piece{Text: path, Style: ink.Muted})
		}
	}
	right = append(right, columns.Piece{Text: " ", Style: ink.Fill})
	return headerLine(width, ink, left, right)
}

// headerLine sets both sides, the left one cut if it must be.
func headerLine(width int, ink *themes.Ink, left, right row) string {
	n := 0
	for _, p := range right {
		n += text.Width(p.Text)
	}
	if n >= width {
		return columns.Line(width, ink.Fill, left, nil)
	}
	var b strings.Builder
	b.WriteString(columns.Line(width-n, ink.Fill, left, nil))
	for _, p := range right {
		b.WriteString(p.Style.Render(p.Text))
	}
	return b.String()
}

// minPath is the least room in which a path still tells something.
const minPath = 12

func (m *Model) headerParts() []part {
	ink := &m.styles.Raised
	parts := []part{{words: " hermes", rank: 0}, {words: m.deps.BoardName, style: ink.Strong}}
	if m.snap != nil {
		parts = append(parts,
			part{words: fmt.Sprintf("%d running", m.counts.running), style: ink.Running, rank: 4},
			part{words: fmt.Sprintf("%d ready", m.counts.ready), style: ink.Ready, rank: 5})
		if m.counts.need > 0 {
			words := "need you"
			if m.counts.need == 1 {
				words = "needs you"
			}
			parts = append(parts, part{words: fmt.Sprintf("%d %s", m.counts.need, words), style: ink.Blocked, rank: 2})
		}
	}
	if r := m.disp.last; r != nil && len(r.Skipped) > 0 {
		parts = append(parts, part{words: text.Clean(dispatch.Waiting(r)), style: ink.Muted, rank: 8})
	}
	state, alarming := m.dispatcherState()
	style := ink.Text
	if alarming {
		style = ink.Attention
	}
	parts = append(parts, part{words: state, style: style, rank: 1, right: true})
	if words := m.countdown(); words != "" {
		parts = append(parts, part{words: words, style: ink.Muted, rank: 6, right: true})
	}
	if words := m.lastTick(); words != "" {
		parts = append(parts, part{words: words, style: ink.Muted, rank: 7, right: true})
	}
	return append(parts, part{words: m.now().Format("15:04"), style: ink.Muted, rank: 3, right: true})
}

// lastTick is what the last tick did, in signs.
func (m *Model) lastTick() string {
	r := m.disp.last
	if r == nil {
		return ""
	}
	var words []string
	add := func(sign string, n int) {
		if n > 0 {
			words = append(words, fmt.Sprintf("%s%d", sign, n))
		}
	}
	add(m.signs.Next, len(r.Spawned))
	add(m.signs.Reconciled, len(r.Reconciled))
	add(m.signs.Quarantined, len(r.Quarantined))
	add(m.signs.Held, len(r.Held))
	return strings.Join(words, " ")
}

// banners are the lines that need an eye as long as they are true.
func (m *Model) banners() []string {
	var out []string
	if m.stale != nil && m.snap != nil {
		out = append(out, fmt.Sprintf("stale since %s: %s", m.stale.since.Format("15:04:05"), text.Clean(m.stale.cause)))
	}
	for _, notice := range m.notices {
		out = append(out, text.Clean(notice))
	}
	return out
}

// drawBanners shows them; what does not fit is counted in the last one.
func (m *Model) drawBanners(r Rect) []string {
	all := m.banners()
	var lines []string
	for i := range r.H {
		words := all[i]
		if i == r.H-1 && len(all) > r.H {
			words += fmt.Sprintf(" (and %d more)", len(all)-r.H)
		}
		style := m.styles.Banner
		if i == 0 && m.stale != nil {
			style = m.styles.Alarm
		}
		lines = append(lines, columns.Line(r.W, style, row{{Text: " " + m.signs.Attention + " " + words, Style: style}}, nil))
	}
	return lines
}
