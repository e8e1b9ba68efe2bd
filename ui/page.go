package ui

import (
	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/viewport"

	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// page is what stands over the board, or beside it on a wide screen.
type page interface {
	title(m *Model) row
	// rows draws the whole content for a width.
	rows(m *Model, width int) []row
	scroll(lines int)
	window() *viewport.Model
}

// pane is embedded in pages: the part of the content that is seen.
type pane struct{ view viewport.Model }

func newPane() pane { return pane{viewport.New()} }

func (p *pane) window() *viewport.Model { return &p.view }

func (p *pane) scroll(lines int) {
	switch {
	case lines <= -farAway:
		p.view.GotoTop()
	case lines >= farAway:
		p.view.GotoBottom()
	case lines < 0:
		p.view.ScrollUp(-lines)
	default:
		p.view.ScrollDown(lines)
	}
}

// drawPage returns the lines of the open page, exactly as large as r.
func (m *Model) drawPage(r Rect) []string {
	ink := &m.styles.Board
	inner := max(1, r.W-2)
	rows := m.page.rows(m, inner)
	lines := make([]string, len(rows))
	for i, content := range rows {
		lines[i] = " " + columns.Line(inner, ink.Fill, content, nil) + " "
	}
	view := m.page.window()
	view.SetWidth(r.W)
	view.SetHeight(max(0, r.H-columns.HeadHeight))
	view.SetContentLines(lines)
	var right []columns.Piece
	if below := view.TotalLineCount() - view.YOffset() - view.Height(); below > 0 {
		right = []columns.Piece{{Text: m.signs.Down + several(below, "line") + " ", Style: ink.Muted}}
	}
	out := []string{
		columns.Line(r.W, ink.Fill, append(row{{Text: " ", Style: ink.Fill}}, m.page.title(m)...), right),
		ink.Accent.Render(repeat(m.signs.RuleFocus, r.W)),
	}
	top := view.YOffset()
	for y := range view.Height() {
		line := text.Spaces(r.W)
		if top+y < len(lines) {
			line = lines[top+y]
		}
		out = append(out, line)
	}
	return out[:min(len(out), r.H)]
}

// refreshPage reads an open card again after the board moved.
func (m *Model) refreshPage() tea.Cmd {
	if p, ok := m.page.(*cardPage); ok {
		return m.readCard(p.id)
	}
	return nil
}
