package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// graphPage is what a card waits for and what waits for it, as two trees.
type graphPage struct {
	list
	id    string
	links *links
	err   error
	ids   []string
}

// links are the edges around a card.
type links struct {
	parents, children map[string][]core.Link
	cut               bool // there are more cards than were read
}

// maxGraph bounds how many cards of a graph are read.
const maxGraph = 150

type graphed struct {
	id    string
	links *links
	err   error
}

func (m *Model) openGraph() tea.Cmd {
	id, board := m.target().ID, m.deps.Board
	m.page = &graphPage{id: id}
	return m.ask(func(ctx context.Context) tea.Msg {
		l, err := readLinks(ctx, board, id)
		return graphed{id, l, err}
	})
}

// readLinks follows the links of a card both ways.
func readLinks(ctx context.Context, b Board, id string) (*links, error) {
	l := &links{parents: map[string][]core.Link{}, children: map[string][]core.Link{}}
	read := map[string]*core.Detail{}
	detail := func(id string) (*core.Detail, error) {
		if d := read[id]; d != nil {
			return d, nil
		}
		if len(read) >= maxGraph {
			l.cut = true
			return nil, nil
		}
		d, err := b.Detail(ctx, id)
		if err == nil {
			read[id] = d
		}
		return d, err
	}
	follow := func(into map[string][]core.Link, next func(*core.Detail) []core.Link) error {
		for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			if _, known := into[at]; known {
				continue
			}
			d, err := detail(at)
			if errors.Is(err, core.ErrNotFound) && at != id {
				continue // deleted while we looked
			}
			if err != nil {
				return err
			}
			if d == nil {
				continue
			}
			into[at] = next(d)
			for _, link := range into[at] {
				queue = append(queue, link.ID)
			}
		}
		return nil
	}
	err := follow(l.parents, func(d *core.Detail) []core.Link { return d.Parents })
	if err == nil {
		err = follow(l.children, func(d *core.Detail) []core.Link { return d.Children })
	}
	return l, err
}

func (m *Model) onGraphed(g graphed) {
	if p, ok := m.page.(*graphPage); ok && p.id == g.id {
		p.links, p.err = g.links, g.err
		m.dirty = true
	}
}

func (p *graphPage) card() string { return p.id }

func (p *graphPage) title(m *Model) row {
	return row{{Text: "What " + text.Clean(p.id) + " waits for, and what waits for it", Style: m.styles.Board.Strong}}
}

func (p *graphPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	switch {
	case p.err != nil:
		return paragraph("Cannot read the links: "+text.Clean(p.err.Error()), width, ink.Danger)
	case p.links == nil:
		return []row{{{Text: "reading" + m.signs.Ellipsis, Style: ink.Muted}}}
	}
	t := tree{m: m}
	t.line("", row{{Text: "Waits for", Style: ink.Accent}})
	t.grow(p.id, "", p.links.parents, []string{p.id}, map[string]bool{})
	t.line("", nil)
	t.line("", row{{Text: "Waited for by", Style: ink.Accent}})
	t.grow(p.id, "", p.links.children, []string{p.id}, map[string]bool{})
	if p.links.cut {
		t.line("", row{{Text: "and more, which was not read", Style: ink.Muted}})
	}
	p.ids = t.ids
	p.hold(len(t.rows))
	return t.rows
}

func (p *graphPage) choose(m *Model) tea.Cmd {
	if p.at < len(p.ids) && p.ids[p.at] != "" && m.snap.ByID[p.ids[p.at]] != nil {
		return m.openCardOf(p.ids[p.at])
	}
	return nil
}

// tree draws links as branches. ids names the card of each line.
type tree struct {
	m    *Model
	rows []row
	ids  []string
}

func (t *tree) line(id string, r row) { t.rows, t.ids = append(t.rows, r), append(t.ids, id) }

// grow draws the links of a card under it. A card that was drawn before is named
// and not followed again; one that leads back to itself is a cycle.
func (t *tree) grow(id, indent string, edges map[string][]core.Link, path []string, drawn map[string]bool) {
	ink := &t.m.styles.Board
	if len(edges[id]) == 0 && len(path) == 1 {
		t.line("", row{{Text: "  nothing", Style: ink.Muted}})
	}
	drawn[id] = true
	for i, l := range edges[id] {
		branch, under := t.m.signs.Branch, t.m.signs.Trunk+"  "
		if i == len(edges[id])-1 {
			branch, under = t.m.signs.LastBranch, "   "
		}
		sign, style := t.m.signs.Waits, ink.Waiting
		if l.Status.Satisfies() {
			sign, style = t.m.signs.Done, ink.Done
		}
		r := row{{Text: indent + branch + " ", Style: ink.Faint}, {Text: sign + " ", Style: style}, {Text: text.Fit(text.Clean(l.ID), 11), Style: ink.Muted},
			{Text: text.Fit(printable(l.Status), 10), Style: style}}
		title := columns.Piece{Text: text.Clean(l.Title), Style: ink.Text}
		at := slices.Index(path, l.ID)
		switch {
		case at >= 0:
			cycle := append(append([]string{}, path[at:]...), l.ID)
			t.line(l.ID, append(r, columns.Piece{Text: "cycle: " + text.Clean(strings.Join(cycle, " > ")) + "  ", Style: ink.Danger}, title))
			continue
		case drawn[l.ID]:
			t.line(l.ID, append(r, columns.Piece{Text: "(see above)  ", Style: ink.Muted}, title))
			continue
		}
		t.line(l.ID, append(r, title))
		t.grow(l.ID, indent+under, edges, append(path[:len(path):len(path)], l.ID), drawn)
	}
}
