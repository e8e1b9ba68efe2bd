package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// feedPage is what happened on the board, newest last. It follows the newest
// event as long as that is the chosen one.
type feedPage struct {
	list
	filter filter
	ids    []string // of the card of each line
	drawn  bool
}

func (m *Model) openFeed() tea.Cmd {
	m.page = &feedPage{filter: newFilter()}
	return nil
}

func (p *feedPage) search() *filter { return &p.filter }

func (p *feedPage) title(m *Model) row {
	return row{{Text: "Feed", Style: m.styles.Board.Strong}, {Text: "  the newest events of the board", Style: m.styles.Board.Muted}}
}

func (p *feedPage) rows(m *Model, width int) []row {
	following := !p.drawn || p.at >= p.count-1
	p.drawn = true
	p.ids = p.ids[:0]
	var rows []row
	for i := range m.snap.Events {
		e := &m.snap.Events[i]
		if r := m.feedRow(e, width); p.filter.fitsText(r) {
			rows, p.ids = append(rows, r), append(p.ids, e.TaskID)
		}
	}
	if p.hold(len(rows)); following {
		p.at = max(0, p.count-1)
	}
	if len(rows) == 0 {
		return []row{{{Text: "nothing fits", Style: m.styles.Board.Muted}}}
	}
	return rows
}

// feedRow is one event: when, of which card, what, and what was said.
func (m *Model) feedRow(e *core.Event, width int) row {
	ink := &m.styles.Board
	title := ""
	if c := m.snap.ByID[e.TaskID]; c != nil {
		title = text.Clean(c.Title)
	}
	words := told(e.Payload)
	if width >= 100 || words == "" {
		words = text.Fit(title, 28) + "  " + words
	}
	return row{
		{Text: text.Fit(m.when(e.CreatedAt), 14), Style: ink.Muted},
		{Text: text.Fit(text.Clean(e.TaskID), 11), Style: ink.Muted},
		{Text: text.Fit(text.Clean(e.Kind), 20), Style: m.eventStyle(e.Kind)},
		{Text: words, Style: ink.Text},
	}
}

// choose opens the card of the chosen event.
func (p *feedPage) choose(m *Model) tea.Cmd {
	if p.at >= len(p.ids) {
		return nil
	}
	id := p.ids[p.at]
	if m.snap.ByID[id] == nil {
		m.say("card " + text.Clean(id) + " is gone from the board")
		return nil
	}
	return m.openCardOf(id)
}

// fitsText reports whether every word of the filter is in a line.
func (f *filter) fitsText(r row) bool {
	words := strings.Fields(strings.ToLower(f.value()))
	if len(words) == 0 {
		return true
	}
	var b strings.Builder
	for _, p := range r {
		b.WriteString(strings.ToLower(p.Text))
		b.WriteByte(' ')
	}
	all := b.String()
	for _, word := range words {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// openCardOf opens a card wherever it stands.
func (m *Model) openCardOf(id string) tea.Cmd {
	m.board.Select(id)
	m.board.Seen(id)
	m.page = &cardPage{pane: newPane(), id: id}
	m.touched = true
	return m.readCard(id)
}
