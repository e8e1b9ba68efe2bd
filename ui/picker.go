package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/sahilm/fuzzy"

	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// picker is a dialog with a list to choose from, narrowed by what is typed.
type picker struct {
	head  string
	items []item
	query field
	shown []item
	at    int
	empty string

	// free makes an item of what was typed, where it is none of the list.
	free func(typed string) *item
	// preview shows an item while it is only looked at; undo takes it back.
	preview func(m *Model, it item)
	undo    func(m *Model)
}

// item is one of several things. Its texts are clean.
type item struct {
	name, about string
	key         string
	why         string // why it cannot be chosen now
	run         func(m *Model) tea.Cmd
}

func newPicker(head string) *picker {
	return &picker{head: head, query: newField(), empty: "nothing fits"}
}

func (m *Model) openPicker(p *picker) tea.Cmd {
	p.narrow()
	m.dialog = p
	return nil
}

// narrow lists what fits the query: names that begin with it, then names that
// fit, then what is said about them.
func (p *picker) narrow() {
	p.at = 0
	typed := p.query.value()
	if typed == "" {
		p.shown = p.items
		return
	}
	p.shown = nil
	taken := map[int]bool{}
	take := func(i int) {
		if !taken[i] {
			taken[i] = true
			p.shown = append(p.shown, p.items[i])
		}
	}
	for i, it := range p.items {
		if strings.HasPrefix(strings.ToLower(it.name), strings.ToLower(typed)) {
			take(i)
		}
	}
	for _, by := range []fuzzy.Source{names(p.items), abouts(p.items)} {
		for _, match := range fuzzy.FindFrom(typed, by) {
			take(match.Index)
		}
	}
	if p.free != nil && (len(p.shown) == 0 || p.shown[0].name != typed) {
		p.shown = append(p.shown, *p.free(typed))
	}
}

// names and abouts are what the fuzzy search looks at.
type (
	names  []item
	abouts []item
)

func (s names) Len() int             { return len(s) }
func (s names) String(i int) string  { return s[i].name }
func (s abouts) Len() int            { return len(s) }
func (s abouts) String(i int) string { return s[i].about }

func (p *picker) title() string { return p.head }
func (p *picker) field() *field { return &p.query }

func (p *picker) hints() []hint {
	return []hint{{"enter", "choose"}, {"up/down", "move"}, {"esc", "leave it"}}
}

// listHeight is how many items are seen at once.
const listHeight = 12

func (p *picker) body(m *Model, width int) []row {
	ink := &m.styles.Raised
	rows := []row{append(row{{Text: m.signs.Next + " ", Style: ink.Accent}}, p.query.window(width-2, ink, m.styles.Brand)...), nil}
	if len(p.shown) == 0 {
		return append(rows, row{{Text: p.empty, Style: ink.Muted}})
	}
	height := min(listHeight, max(3, m.height-10))
	top := max(0, min(p.at-height/2, len(p.shown)-height))
	for i := top; i < min(len(p.shown), top+height); i++ {
		rows = append(rows, p.row(m, i, width))
	}
	if below := len(p.shown) - top - height; below > 0 {
		rows = append(rows, row{{Text: m.signs.Down + fmt.Sprint(below), Style: ink.Muted}})
	}
	return rows
}

func (p *picker) row(m *Model, i, width int) row {
	it := p.shown[i]
	ink := &m.styles.Raised
	style, muted, mark := ink.Text, ink.Muted, "  "
	if it.why != "" {
		style = muted
	}
	if i == p.at {
		ink = &m.styles.Selected
		style, muted, mark = ink.Strong, ink.Muted, m.signs.Bar+" "
	}
	about := it.about
	if it.why != "" {
		about = it.why
	}
	room := width - 2 - text.Width(it.key) - 1
	name := min(max(text.Width(it.name), 16), room)
	r := row{{Text: mark, Style: ink.Accent}, {Text: text.Fit(it.name, name), Style: style}}
	if room-name > 2 {
		r = append(r, columns.Piece{Text: "  " + text.Fit(about, room-name-2), Style: muted})
	} else {
		r = append(r, columns.Piece{Text: text.Spaces(room - name), Style: muted})
	}
	return append(r, columns.Piece{Text: " " + it.key, Style: ink.Accent})
}

func (p *picker) foot(*Model, int) []row { return nil }

// take moves in the list; other keys are typed.
func (p *picker) take(m *Model, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	m.dirty = true
	switch key := msg.String(); key {
	case "esc", "enter", "ctrl+c":
		return nil, false
	case "up", "ctrl+p", "shift+tab":
		p.move(m, -1)
	case "down", "ctrl+n", "tab":
		p.move(m, 1)
	case "pgup":
		p.move(m, -listHeight)
	case "pgdown":
		p.move(m, listHeight)
	default:
		p.query.key(msg)
		p.narrow()
		p.look(m)
	}
	return nil, true
}

func (p *picker) move(m *Model, n int) {
	p.at = max(0, min(p.at+n, len(p.shown)-1))
	p.look(m)
}

func (p *picker) look(m *Model) {
	if p.preview != nil && p.at < len(p.shown) {
		p.preview(m, p.shown[p.at])
	}
}

func (p *picker) insert(s string) {
	p.query.insert(text.Clean(s))
	p.narrow()
}

func (p *picker) confirm(m *Model) tea.Cmd {
	if p.at >= len(p.shown) {
		return nil
	}
	it := p.shown[p.at]
	if it.why != "" {
		m.dialog = nil
		m.say(it.why)
		return nil
	}
	m.dialog = nil
	return it.run(m)
}

func (p *picker) cancel(m *Model) {
	if p.undo != nil {
		p.undo(m)
	}
}
