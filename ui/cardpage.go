package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// cardPage is one card with everything that belongs to it.
type cardPage struct {
	pane
	id     string
	detail *core.Detail
	err    error

	// What was drawn, and for what.
	drawn    []row
	drawnFor cardDrawing
}

type cardDrawing struct {
	detail *core.Detail
	styles *themes.Styles
	width  int
}

// maxEvents bounds how much of a card's history is drawn.
const maxEvents = 300

// openCard opens the selected card. Its badge has been seen then.
func (m *Model) openCard() tea.Cmd { return m.openCardOf(m.target().ID) }

func (p *cardPage) card() string { return p.id }

func (m *Model) readCard(id string) tea.Cmd {
	board := m.deps.Board
	return m.ask(func(ctx context.Context) tea.Msg {
		detail, err := board.Detail(ctx, id)
		return detailed{id, detail, err}
	})
}

// onDetailed shows the card; one that is gone closes its page.
func (m *Model) onDetailed(d detailed) {
	p, ok := m.page.(*cardPage)
	if !ok || p.id != d.id {
		return
	}
	m.dirty = true
	if gone(d.err) {
		m.page = nil
		m.complain("card " + text.Clean(d.id) + " is gone from the board")
		return
	}
	if d.err != nil && p.detail != nil {
		m.complain(text.Clean(d.err.Error()))
		return // what was read before stays
	}
	p.detail, p.err = d.detail, d.err
}

func (p *cardPage) title(m *Model) row {
	ink := &m.styles.Board
	r := row{{Text: text.Clean(p.id), Style: ink.Strong}}
	if c := m.snap.ByID[p.id]; c != nil {
		r = append(r, columns.Piece{Text: "  " + printable(c.Status), Style: ink.Muted})
	}
	return r
}

func (p *cardPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	if p.err != nil {
		return paragraph("Cannot read this card: "+text.Clean(p.err.Error()), width, ink.Danger)
	}
	if p.detail == nil {
		return []row{{{Text: "reading" + m.signs.Ellipsis, Style: ink.Muted}}}
	}
	want := cardDrawing{p.detail, m.styles, width}
	if p.drawnFor != want {
		d := cardDrawer{ink: ink, signs: m.signs, width: width, now: m.now()}
		p.drawn, p.drawnFor = d.draw(p.detail), want
	}
	return p.drawn
}

// cardDrawer turns a card into rows.
type cardDrawer struct {
	ink   *themes.Ink
	signs themes.Signs
	width int
	now   time.Time
	out   []row
}

func (d *cardDrawer) draw(c *core.Detail) []row {
	t := &c.Task
	d.words(text.Clean(t.Title), d.ink.Strong)
	d.line(d.about(t), d.ink.Muted)
	if t.Status == core.Running && t.ClaimLock != nil {
		d.line("claimed by "+text.Clean(*t.ClaimLock), d.ink.Muted)
	}
	if t.LastError != "" {
		d.words("last error: "+text.Clean(t.LastError), d.ink.Attention)
	}
	for _, column := range t.Odd {
		d.words("the stored value of "+text.Clean(column)+" cannot be used", d.ink.Attention)
	}
	d.section("Text", t.Body == "")
	d.words(text.CleanLines(strings.TrimRight(t.Body, "\n ")), d.ink.Text)
	if t.Result != nil {
		d.section("Result", *t.Result == "")
		d.words(text.CleanLines(*t.Result), d.ink.Text)
	}
	d.links("Waits for", c.Parents)
	d.links("Waited for by", c.Children)
	d.runs(c.Runs)
	d.comments(c.Comments)
	d.events(c.Events)
	return d.out
}

// about is the line of small facts.
func (d *cardDrawer) about(t *core.Task) string {
	owner := "no owner"
	if t.Assignee != "" {
		owner = text.Clean(t.Assignee)
	}
	facts := []string{owner}
	if t.Priority != 0 {
		facts = append(facts, fmt.Sprintf("priority %d", t.Priority))
	}
	if t.CreatedAt > 0 {
		facts = append(facts, "created "+d.when(t.CreatedAt))
	}
	if t.CompletedAt != nil {
		facts = append(facts, "completed "+d.when(*t.CompletedAt))
	}
	if t.Tenant != "" {
		facts = append(facts, "tenant "+text.Clean(t.Tenant))
	}
	if t.Failures > 0 {
		facts = append(facts, several(int(t.Failures), "failure"))
	}
	if t.WorkspacePath != "" {
		facts = append(facts, text.Clean(t.WorkspacePath))
	}
	return strings.Join(facts, " "+d.signs.Dot+" ")
}

func (d *cardDrawer) when(at int64) string { return moment(at, d.now) }

func (d *cardDrawer) add(r row)                             { d.out = append(d.out, r) }
func (d *cardDrawer) line(words string, style themes.Style) { d.add(row{{Text: words, Style: style}}) }

func (d *cardDrawer) words(words string, style themes.Style) {
	d.out = append(d.out, paragraph(words, d.width, style)...)
}

// section starts a part of the page; an empty one is left out by its caller or
// says so.
func (d *cardDrawer) section(name string, empty bool) {
	d.add(nil)
	d.line(name, d.ink.Accent)
	if empty {
		d.line("none", d.ink.Muted)
	}
}

func (d *cardDrawer) links(name string, links []core.Link) {
	if len(links) == 0 {
		return
	}
	d.section(name, false)
	for _, l := range links {
		sign, style := d.signs.Waits, d.ink.Waiting
		if l.Status.Satisfies() {
			sign, style = d.signs.Done, d.ink.Done
		}
		d.add(row{{Text: sign + " ", Style: style}, {Text: text.Fit(text.Clean(l.ID), 11), Style: d.ink.Muted},
			{Text: text.Fit(printable(l.Status), 10), Style: style}, {Text: text.Clean(l.Title), Style: d.ink.Text}})
	}
}

func (d *cardDrawer) runs(runs []core.Run) {
	if len(runs) == 0 {
		return
	}
	d.section("Runs", false)
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		outcome, style, length := text.Clean(string(r.Outcome)), d.ink.Text, ""
		switch {
		case r.EndedAt != nil:
			length = columns.Span(*r.EndedAt - r.StartedAt)
		case r.Outcome == core.Open:
			outcome, style = "running", d.ink.Running
		}
		if r.Outcome == core.Completed {
			style = d.ink.Running
		} else if r.Error != nil {
			style = d.ink.Attention
		}
		d.add(row{{Text: text.Fit(fmt.Sprint(r.ID), 6), Style: d.ink.Muted}, {Text: text.Fit(outcome, 17), Style: style},
			{Text: text.Fit(d.when(r.StartedAt), 14), Style: d.ink.Muted}, {Text: text.Fit(length, 6), Style: d.ink.Muted},
			{Text: text.Clean(r.Profile), Style: d.ink.Text}})
		for _, more := range []*string{r.Error, r.Summary} {
			if more != nil && *more != "" {
				d.indented(*more, 6, d.ink.Muted)
			}
		}
	}
}

// indented sets foreign text of several lines under its heading.
func (d *cardDrawer) indented(s string, by int, style themes.Style) {
	for _, line := range text.Wrap(text.CleanLines(strings.TrimRight(s, "\n ")), max(1, d.width-by)) {
		d.add(row{{Text: text.Spaces(by) + line, Style: style}})
	}
}

func (d *cardDrawer) comments(comments []core.Comment) {
	if len(comments) == 0 {
		return
	}
	d.section("Comments", false)
	for i, c := range comments {
		if i > 0 {
			d.add(nil)
		}
		d.add(row{{Text: text.Clean(c.Author), Style: d.ink.Strong}, {Text: "  " + d.when(c.CreatedAt), Style: d.ink.Muted}})
		d.indented(c.Body, 0, d.ink.Text)
	}
}

func (d *cardDrawer) events(events []core.Event) {
	if len(events) == 0 {
		return
	}
	d.section("Events, newest first", false)
	for i := len(events) - 1; i >= 0 && i >= len(events)-maxEvents; i-- {
		e := &events[i]
		d.add(row{{Text: text.Fit(d.when(e.CreatedAt), 14), Style: d.ink.Muted},
			{Text: text.Fit(text.Clean(e.Kind), 19), Style: d.ink.Text}, {Text: told(e.Payload), Style: d.ink.Muted}})
	}
}
