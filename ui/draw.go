package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// draw makes the whole frame: as many lines as the screen has, each exactly as
// wide.
func (m *Model) draw() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	heads := m.board.Heads()
	in := LayoutInput{Filled: make([]bool, len(heads)), Focus: m.board.Focus(), First: m.first, Page: m.page != nil, Banners: len(m.banners())}
	for i, h := range heads {
		in.Filled[i] = h.Count > 0
	}
	l := Arrange(m.width, m.height, in)
	if l.TooSmall {
		return text.Truncate(fmt.Sprintf("terminal too small (%dx%d), needs %dx%d", m.width, m.height, minWidth, minHeight), m.width)
	}
	m.first, m.shown = l.First, l
	lines := []string{m.header(l.Header.W)}
	lines = append(lines, m.drawBanners(l.Banners)...)
	lines = append(lines, m.middle(l)...)
	lines = append(lines, m.footer(l)...)
	if m.dialog != nil {
		overlay(lines, m.drawDialog(m.width, m.height), m.width)
	}
	return strings.Join(lines, "\n")
}

// middle is the part between header and footer.
func (m *Model) middle(l Layout) []string {
	switch {
	case m.snap == nil:
		return m.noBoard(l)
	case l.Page.H > 0 && l.Board.H == 0:
		return m.drawPage(l.Page)
	}
	var lines []string
	if l.Strip.H > 0 {
		lines = append(lines, m.strip(l))
	}
	if len(l.Slots) == 0 {
		lines = append(lines, m.emptyBoard(l.Board)...)
	} else {
		lines = append(lines, m.board.View(l.Slots, l.Board.H, m.now())...)
	}
	if l.Page.H == 0 {
		return lines
	}
	divider := m.styles.Board.Faint.Render(m.signs.Divider)
	for i, line := range m.drawPage(l.Page) {
		lines[l.Strip.H+i] += divider + line
	}
	return lines
}

// strip names every column with its count, the shown ones stronger, when not
// all of them can be shown.
func (m *Model) strip(l Layout) string {
	ink := &m.styles.Board
	shown := map[int]bool{}
	for _, s := range l.Slots {
		shown[s.Column] = true
	}
	heads := m.board.Heads()
	long := 1
	for _, h := range heads {
		long += len(h.Status) + len(fmt.Sprint(h.Count)) + 3
	}
	var r row
	for i, h := range heads {
		name := columns.Title(h.Status)
		if long > l.Strip.W {
			name = name[:min(3, len(name))]
		}
		style := ink.Muted
		if i == m.board.Focus() {
			style = ink.Accent
		} else if shown[i] {
			style = ink.Text
		}
		gap := "  "
		if i == 0 || long > l.Strip.W {
			gap = " "
		}
		r = append(r, columns.Piece{Text: gap + name, Style: style}, columns.Piece{Text: fmt.Sprintf(" %d", h.Count), Style: style})
	}
	return columns.Line(l.Strip.W, ink.Fill, r, nil)
}

// overlay sets a dialog in the middle of the frame.
func overlay(lines, box []string, width int) {
	if len(box) == 0 {
		return
	}
	w := ansi.StringWidth(box[0])
	x, y := max(0, (width-w)/2), max(0, (len(lines)-len(box))/2)
	for i, line := range box {
		if y+i >= len(lines) {
			return
		}
		under := lines[y+i]
		lines[y+i] = ansi.Truncate(under, x, "") + "\x1b[m" + line + ansi.TruncateLeft(under, x+w, "")
	}
}

// center sets rows as a block into the middle of a field.
func center(rows []row, width, height int) []string {
	block := 0
	for _, r := range rows {
		n := 0
		for _, p := range r {
			n += text.Width(p.Text)
		}
		block = max(block, n)
	}
	left := text.Spaces(max(0, (width-block)/2))
	top := max(0, (height-len(rows))/2)
	lines := make([]string, height)
	for i := range lines {
		var r row
		if at := i - top; at >= 0 && at < len(rows) {
			r = rows[at]
		}
		lines[i] = columns.Line(width, noStyle, append(row{{Text: left}}, r...), nil)
	}
	return lines
}

func repeat(s string, n int) string { return strings.Repeat(s, max(0, n)) }
