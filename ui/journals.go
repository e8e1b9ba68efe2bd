package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Journals are the results of workers that lie beside the board.
type Journals interface {
	List(ctx context.Context, task string) (journal.Listing, error)
	Show(ctx context.Context, file string) (journal.Content, error)
	Accept(ctx context.Context, file string) (journal.Result, error)
	Restore(ctx context.Context, file string) (string, error)
}

// journalsPage lists the journals, those that need somebody first.
type journalsPage struct {
	list
	filter  filter
	entries []shelved
	shown   []shelved
	known   bool
	err     error
}

// shelved is a journal and where it lies.
type shelved struct {
	journal.Entry
	state string
}

// The places of a journal. A late one is pending and may be accepted.
const (
	pendingJournal     = "pending"
	lateJournal        = "late"
	quarantinedJournal = "quarantined"
	committedJournal   = "committed"
)

type (
	journalsListed struct {
		listing journal.Listing
		err     error
	}
	journalShown struct {
		content journal.Content
		err     error
	}
)

func canListJournals(m *Model) string {
	if m.deps.Journals == nil {
		return "there are no journals here"
	}
	return needsBoard(m)
}

func (m *Model) openJournals() tea.Cmd {
	m.page = &journalsPage{filter: newFilter()}
	return m.readJournals()
}

func (m *Model) readJournals() tea.Cmd {
	journals := m.deps.Journals
	return m.ask(func(ctx context.Context) tea.Msg {
		listing, err := journals.List(ctx, "")
		return journalsListed{listing, err}
	})
}

func (m *Model) onJournalsListed(l journalsListed) {
	p, ok := m.page.(*journalsPage)
	if !ok {
		return
	}
	m.dirty = true
	p.known, p.err, p.entries = true, l.err, nil
	add := func(entries []journal.Entry, state string) {
		for _, e := range entries {
			s := shelved{e, state}
			if e.Late {
				s.state = lateJournal
			}
			p.entries = append(p.entries, s)
		}
	}
	add(l.listing.Quarantined, quarantinedJournal)
	add(l.listing.Pending, pendingJournal)
	add(l.listing.Committed, committedJournal)
}

func (p *journalsPage) search() *filter { return &p.filter }

func (p *journalsPage) title(m *Model) row {
	ink := &m.styles.Board
	return row{{Text: "Journals", Style: ink.Strong}, {Text: "  J replays all that wait", Style: ink.Muted}}
}

func (p *journalsPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	switch {
	case p.err != nil:
		return paragraph("Cannot list the journals: "+text.Clean(p.err.Error()), width, ink.Danger)
	case !p.known:
		return []row{{{Text: "looking" + m.signs.Ellipsis, Style: ink.Muted}}}
	}
	p.shown = p.shown[:0]
	var rows []row
	for _, e := range p.entries {
		if r := m.journalRow(e); p.filter.fitsText(r) {
			rows, p.shown = append(rows, r), append(p.shown, e)
		}
	}
	if p.hold(len(rows)); len(rows) == 0 {
		return []row{{{Text: "There are no journals: every result is on the board.", Style: ink.Muted}}}
	}
	return rows
}

func (m *Model) journalRow(e shelved) row {
	ink := &m.styles.Board
	sign, style := m.signs.Done, ink.Done
	switch e.state {
	case quarantinedJournal:
		sign, style = m.signs.Quarantined, ink.Quarantined
	case pendingJournal:
		sign, style = m.signs.Waits, ink.Ready
	case lateJournal:
		sign, style = m.signs.Attention, ink.Attention
	}
	return row{
		{Text: sign + " ", Style: style}, {Text: text.Fit(e.state, 12), Style: style},
		{Text: text.Fit(text.Clean(e.Task), 11), Style: ink.Strong}, {Text: text.Fit(fmt.Sprintf("run %d", e.Run), 9), Style: ink.Muted},
		{Text: text.Fit(bytesWords(e.Size), 8), Style: ink.Muted}, {Text: text.Fit(columns.Age(m.now().Unix(), e.Modified), 5), Style: ink.Muted},
		{Text: text.Clean(e.Reason) + "  ", Style: ink.Text}, {Text: text.Clean(e.File), Style: ink.Muted},
	}
}

func bytesWords(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d B", n)
	case n < 10<<20:
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// chosen is the journal of the chosen line, nil for none.
func (m *Model) chosenJournal() *shelved {
	p, ok := m.page.(*journalsPage)
	if !ok || p.at >= len(p.shown) {
		return nil
	}
	return &p.shown[p.at]
}

// choose looks inside a journal.
func (p *journalsPage) choose(m *Model) tea.Cmd {
	e := m.chosenJournal()
	if e == nil {
		return nil
	}
	journals, file := m.deps.Journals, e.File
	return m.ask(func(ctx context.Context) tea.Msg {
		content, err := journals.Show(ctx, file)
		return journalShown{content, err}
	})
}

func (m *Model) onJournalShown(s journalShown) {
	if s.err != nil {
		m.complain(text.Clean(s.err.Error()))
		return
	}
	m.dirty = true
	m.page = &contentPage{content: s.content}
}

// contentPage is one journal, made harmless.
type contentPage struct {
	pane
	content journal.Content
}

func (p *contentPage) title(m *Model) row {
	return row{{Text: text.Clean(p.content.File), Style: m.styles.Board.Strong}}
}

func (p *contentPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	var rows []row
	if p.content.Reason != "" {
		rows = append(paragraph(text.Clean(p.content.Reason), width, ink.Attention), nil)
	}
	return append(rows, paragraph(text.CleanLines(p.content.Text), width, ink.Text)...)
}

func onJournal(state, words string) func(*Model) string {
	return func(m *Model) string {
		if e := m.chosenJournal(); e == nil || e.state != state {
			return words
		}
		return ""
	}
}

func (m *Model) restoreJournal() tea.Cmd {
	e, journals := m.chosenJournal(), m.deps.Journals
	return m.journalAct("Take out of the quarantine", "restore", e, "It waits for the next replay again, under its own name.", func(ctx context.Context, file string) (string, error) {
		name, err := journals.Restore(ctx, file)
		return name + " waits for its replay", err
	})
}

func (m *Model) acceptJournal() tea.Cmd {
	e, journals := m.chosenJournal(), m.deps.Journals
	return m.journalAct("Accept a late result", "accept", e, "The result becomes that of its run although somebody decided otherwise meanwhile.", func(ctx context.Context, file string) (string, error) {
		answer, err := journals.Accept(ctx, file)
		return fmt.Sprintf("the result of %s run %d is %s", answer.Task, answer.Run, answer.Outcome), err
	})
}

// journalAct asks before something is done to a journal.
func (m *Model) journalAct(head, does string, e *shelved, warn string, do func(ctx context.Context, file string) (string, error)) tea.Cmd {
	file := e.File
	f := &form{head: head, name: text.Clean(file), does: does, warn: []string{warn}}
	f.send = send(func(ctx context.Context, _ sent) (string, error) { return do(ctx, file) })
	return m.openForm(f)
}
