package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// helpPage lists the table of actions.
type helpPage struct {
	pane
	filter filter
}

func (m *Model) openHelp() tea.Cmd {
	m.page = &helpPage{filter: newFilter()}
	return nil
}

func (p *helpPage) search() *filter { return &p.filter }

func (*helpPage) title(m *Model) row {
	return row{{Text: "Keys", Style: m.styles.Board.Strong}}
}

func (p *helpPage) rows(m *Model, _ int) []row {
	ink := &m.styles.Board
	var rows []row
	group := ""
	for i := range m.actions {
		a := &m.actions[i]
		r := row{{Text: "  " + text.Fit(keyNames(m.signs.Up, a.keys), 14), Style: ink.Strong}, {Text: a.help, Style: ink.Text}}
		if !p.filter.fitsText(append(row{{Text: a.group + " " + a.id}}, r...)) {
			continue
		}
		if a.group != group {
			if group = a.group; len(rows) > 0 {
				rows = append(rows, nil)
			}
			rows = append(rows, row{{Text: group, Style: ink.Accent}})
		}
		rows = append(rows, r)
	}
	return append(rows, nil, row{{Text: m.deps.BoardPath, Style: ink.Muted}})
}

// keyNames is how the keys of an action are written.
func keyNames(up string, keys []string) string {
	if up != "↑" {
		return strings.Join(keys, " ")
	}
	short := strings.NewReplacer("enter", "⏎", "left", "←", "right", "→", "pgup", "PgUp", "pgdown", "PgDn",
		"shift+tab", "⇧tab", "up", "↑", "down", "↓", "ctrl+", "^")
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = short.Replace(k)
	}
	return strings.Join(names, " ")
}
