package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// page is what stands over the board, or beside it on a wide screen.
type page interface {
	title(m *Model) row
	// rows returns the whole content for a width.
	rows(m *Model, width int) []row
	scroll(lines int)
	window() *pane
}

// pane is embedded in pages: the part of the content that is seen.
type pane struct{ top, height, total int }

func newPane() pane { return pane{} }

func (p *pane) window() *pane { return p }

// scroll moves the window by lines; farAway leads to an end.
func (p *pane) scroll(lines int) { p.top = min(max(0, p.top+lines), p.last()) }

// last is the lowest place of the window.
func (p *pane) last() int { return max(0, p.total-p.height) }

func (p *pane) atEnd() bool { return p.top >= p.last() }

// fit tells the window how much there is to see and how much of it at once.
func (p *pane) fit(total, height int) {
	p.total, p.height = total, max(0, height)
	p.top = min(p.top, p.last())
}

// list is embedded in pages of lines that can be chosen.
type list struct {
	pane
	at    int // the chosen line
	count int
}

// cursored is a page that has a chosen line.
type cursored interface{ cursor() (at, count int) }

func (l *list) cursor() (at, count int) { return l.at, l.count }

func (l *list) scroll(lines int) { l.at = max(0, min(l.at+lines, l.count-1)) }

// hold keeps the chosen line among those that there are, and in sight.
func (l *list) hold(count int) {
	l.count = count
	l.at = max(0, min(l.at, count-1))
}

func (l *list) fit(total, height int) {
	l.pane.fit(total, height)
	l.top = max(min(l.top, l.at), l.at-l.height+1)
}

// chooser is a page that does something with the chosen line.
type chooser interface{ choose(m *Model) tea.Cmd }

// fitted is a page that is told how much of it is seen.
type fitted interface{ fit(total, height int) }

// about is a page that is about one card.
type about interface{ card() string }

func (m *Model) chooseLine() tea.Cmd { return m.page.(chooser).choose(m) }

func canChoose(m *Model) string {
	if _, ok := m.page.(chooser); !ok {
		return "there is nothing to choose here"
	}
	return ""
}

// drawPage returns the lines of the open page, exactly as large as r.
func (m *Model) drawPage(r Rect) []string {
	ink := &m.styles.Board
	inner := max(1, r.W-2)
	rows := m.page.rows(m, inner)
	m.page.(fitted).fit(len(rows), r.H-columns.HeadHeight)
	at := -1
	if c, ok := m.page.(cursored); ok {
		at, _ = c.cursor()
	}
	view := m.page.window()
	var right []columns.Piece
	if below := view.total - view.top - view.height; below > 0 {
		right = []columns.Piece{{Text: m.signs.Down + several(below, "line") + " ", Style: ink.Muted}}
	}
	out := []string{
		columns.Line(r.W, ink.Fill, append(row{{Text: " ", Style: ink.Fill}}, m.page.title(m)...), right),
		ink.Accent.Render(repeat(m.signs.RuleFocus, r.W)),
	}
	for y := view.top; y < view.top+view.height; y++ {
		line := text.Spaces(r.W)
		if y < len(rows) {
			line = m.pageLine(rows[y], inner, y == at)
		}
		out = append(out, line)
	}
	return out[:min(len(out), r.H)]
}

// pageLine is one line of a page; the chosen one is marked without colour, too.
func (m *Model) pageLine(r row, inner int, chosen bool) string {
	if !chosen {
		return " " + columns.Line(inner, m.styles.Board.Fill, r, nil) + " "
	}
	ink := &m.styles.Selected
	r = slices.Clone(r)
	for i := range r {
		r[i].Style = ink.Strong
	}
	return ink.Accent.Render(m.signs.Bar) + columns.Line(inner, ink.Fill, r, nil) + ink.Fill.Render(" ")
}

// refreshPage reads an open page again after the board moved.
func (m *Model) refreshPage() tea.Cmd {
	switch p := m.page.(type) {
	case *cardPage:
		return m.readCard(p.id)
	case *whyPage:
		return m.readWhy(p.id)
	case *journalsPage:
		return m.readJournals()
	}
	return nil
}
