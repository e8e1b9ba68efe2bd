package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Log is what the workers of a card wrote, read piece by piece.
type Log interface {
	// Read returns the lines that were written since the last call, as they are
	// in the file, at most some hundred kilobytes of them.
	Read(ctx context.Context) (lines []string, err error)
	Close() error
}

// maxLogLines is how many lines of a log are kept.
const maxLogLines = 2000

// logPace is the time between two looks at a log.
const logPace = 400 * time.Millisecond

// logPage is the log of a card's workers, followed at its end.
type logPage struct {
	pane
	id     string
	log    Log
	filter filter
	lines  []string // made harmless
	err    error
	known  bool
	closed bool
	follow bool
}

type (
	logOpened struct {
		page *logPage
		log  Log
		err  error
	}
	logRead struct {
		page  *logPage
		lines []string
		err   error
	}
	logDue struct{ page *logPage }
)

func (m *Model) openLog() tea.Cmd {
	p := &logPage{id: m.target().ID, follow: true, filter: newFilter()}
	m.page = p
	open := m.deps.Log
	return m.ask(func(context.Context) tea.Msg {
		log, err := open(p.id)
		return logOpened{p, log, err}
	})
}

func canReadLog(m *Model) string {
	if m.deps.Log == nil {
		return "there are no logs here"
	}
	return needsCard(m)
}

// onLogOpened starts reading; a page that was left meanwhile lets go of the file.
func (m *Model) onLogOpened(o logOpened) tea.Cmd {
	p := o.page
	p.log, p.err = o.log, o.err
	if m.page != p {
		return m.leaveLog(p)
	}
	m.dirty = true
	if o.err != nil {
		p.known = true
		return nil
	}
	return m.readLog(p)
}

func (m *Model) readLog(p *logPage) tea.Cmd {
	log := p.log
	return m.ask(func(ctx context.Context) tea.Msg {
		raw, err := log.Read(ctx)
		lines := make([]string, len(raw))
		for i, line := range raw {
			lines[i] = text.LogLine(line)
		}
		return logRead{p, lines, err}
	})
}

// onLogRead adds what was read, drops the oldest lines and comes again. A window
// that somebody moved stays on its lines.
func (m *Model) onLogRead(r logRead) tea.Cmd {
	p := r.page
	if m.page != p {
		return m.leaveLog(p)
	}
	if len(r.lines) > 0 || r.err != nil || !p.known {
		m.dirty = true
	}
	p.known, p.err = true, r.err
	p.lines = append(p.lines, r.lines...)
	if over := len(p.lines) - maxLogLines; over > 0 {
		p.lines = append([]string(nil), p.lines[over:]...)
		p.top = max(0, p.top-over)
	}
	return tea.Tick(logPace, func(time.Time) tea.Msg { return logDue{p} })
}

// onLogDue reads on, unless the page was left.
func (m *Model) onLogDue(d logDue) tea.Cmd {
	if m.page != d.page {
		return m.leaveLog(d.page)
	}
	return m.readLog(d.page)
}

// leaveLog closes the file of a page that nobody looks at any more.
func (m *Model) leaveLog(p *logPage) tea.Cmd {
	if p.log == nil || p.closed {
		return nil
	}
	p.closed = true
	return m.ask(func(context.Context) tea.Msg {
		_ = p.log.Close() // it was only read
		return nil
	})
}

func (p *logPage) card() string    { return p.id }
func (p *logPage) search() *filter { return &p.filter }

func (p *logPage) title(m *Model) row {
	ink := &m.styles.Board
	state := "following"
	if !p.follow {
		state = "held: F follows"
	}
	return row{{Text: "Log of " + text.Clean(p.id), Style: ink.Strong}, {Text: "  " + state, Style: ink.Muted}}
}

// rows wraps the lines that fit the search.
func (p *logPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	var rows []row
	if p.err != nil {
		rows = paragraph("Cannot read the log: "+text.Clean(p.err.Error()), width, ink.Danger)
	}
	switch {
	case !p.known:
		return append(rows, row{{Text: "reading" + m.signs.Ellipsis, Style: ink.Muted}})
	case len(p.lines) == 0 && p.err == nil:
		return append(rows, row{{Text: "nothing was written yet", Style: ink.Muted}})
	}
	wanted := strings.ToLower(p.filter.value())
	for _, line := range p.lines {
		if wanted != "" && !strings.Contains(strings.ToLower(ansi.Strip(line)), wanted) {
			continue
		}
		if m.colourless {
			line = ansi.Strip(line)
		}
		rows = append(rows, row{columns.Piece{Text: line}})
	}
	return rows
}

// fit follows the end of the log, unless somebody scrolled away from it.
func (p *logPage) fit(total, height int) {
	p.pane.fit(total, height)
	if p.follow {
		p.top = p.last()
	}
}

func (p *logPage) scroll(lines int) {
	p.pane.scroll(lines)
	p.follow = p.atEnd()
}

func (m *Model) followLog() tea.Cmd {
	p := m.page.(*logPage)
	p.follow = !p.follow
	return nil
}

func canFollow(m *Model) string {
	if _, ok := m.page.(*logPage); !ok {
		return "only a log can be followed"
	}
	return ""
}
