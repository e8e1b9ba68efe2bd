package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// whyPage lists what stands between a card and a running worker.
type whyPage struct {
	pane
	id    string
	gates []dispatch.Gate
	known bool
	err   error
}

// explained is the answer to why a card does not run.
type explained struct {
	id    string
	gates []dispatch.Gate
	err   error
}

func (m *Model) openWhy() tea.Cmd {
	id := m.target().ID
	m.page = &whyPage{id: id}
	return m.readWhy(id)
}

func (m *Model) readWhy(id string) tea.Cmd {
	why := m.deps.Why
	return m.ask(func(ctx context.Context) tea.Msg {
		gates, err := why(ctx, id)
		return explained{id, gates, err}
	})
}

func (m *Model) onExplained(e explained) {
	if p, ok := m.page.(*whyPage); ok && p.id == e.id {
		p.gates, p.err, p.known = e.gates, e.err, true
		m.dirty = true
	}
}

func canExplain(m *Model) string {
	if m.deps.Why == nil {
		return "nothing can tell here why a card does not run"
	}
	return needsCard(m)
}

func (p *whyPage) card() string { return p.id }

func (p *whyPage) title(m *Model) row {
	return row{{Text: "Between " + text.Clean(p.id) + " and a running worker", Style: m.styles.Board.Strong}}
}

func (p *whyPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	switch {
	case p.err != nil:
		return paragraph("Cannot tell: "+text.Clean(p.err.Error()), width, ink.Danger)
	case !p.known:
		return []row{{{Text: "looking" + m.signs.Ellipsis, Style: ink.Muted}}}
	}
	rows := []row{}
	first := true
	for _, g := range p.gates {
		sign, style, words := m.signs.Done, ink.Running, "open"
		if !g.Open {
			sign, style, words = m.signs.Blocked, ink.Attention, text.Clean(g.Reason)
		}
		mark := "  "
		if !g.Open && first {
			mark, style = m.signs.Next+" ", ink.Blocked
		}
		rows = append(rows, row{{Text: mark, Style: ink.Accent}, {Text: sign + " ", Style: style}, {Text: text.Fit(text.Clean(g.Name), 18), Style: ink.Strong}, {Text: words, Style: style}})
		if !g.Open && g.Opens != "" {
			rows = append(rows, row{{Text: text.Spaces(22) + text.Clean(g.Opens) + m.keyFor(g.Name), Style: ink.Muted}})
		}
		first = first && g.Open
	}
	if first {
		rows = append(rows, nil, row{{Text: "Nothing holds it: the next tick may start it.", Style: ink.Text}})
	}
	return rows
}

// keyFor names the key that opens a gate, where one does and can be pressed now.
func (m *Model) keyFor(gate string) string {
	action := map[string]string{"owner": "assign", "profile": "assign", "status": "promote", "dispatcher": "dispatch", "earlier worker": "stop"}[gate]
	if action == "" {
		return ""
	}
	a := m.action(action)
	if len(a.keys) == 0 || a.enabled(m) != "" {
		return ""
	}
	return " (" + a.keys[0] + ")"
}
