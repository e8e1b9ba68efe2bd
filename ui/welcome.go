package ui

import (
	"context"
	"errors"
	"io/fs"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// missing reports whether the board's file is not there.
func (m *Model) missing() bool {
	return m.snap == nil && m.stale != nil && (errors.Is(m.stale.err, fs.ErrNotExist) || errors.Is(m.stale.err, board.ErrMissing))
}

func canInit(m *Model) string {
	switch {
	case !m.missing():
		return "the board is there"
	case m.deps.Create == nil:
		return "this board cannot be made from here"
	}
	return ""
}

// openInit asks before the board is made.
func (m *Model) openInit() tea.Cmd {
	f := &form{head: "Make this board", does: "make it",
		warn: []string{m.deps.BoardPath, "An empty board is made at this path, in the form in which Hermes makes it. Hermes uses it from then on."}}
	create, name := m.deps.Create, m.deps.BoardName
	f.send = func(m *Model, f *form, _ bool) tea.Cmd {
		m.dialog = nil
		m.say("making the board" + m.signs.Ellipsis)
		return m.ask(func(ctx context.Context) tea.Msg {
			deps, err := create(ctx)
			return boardOpened{name, deps, err}
		})
	}
	return m.openForm(f)
}

// way is something that can be done from a screen without cards.
func (m *Model) way(id, does string) row {
	a := m.action(id)
	if a.enabled != nil && a.enabled(m) != "" || len(a.keys) == 0 {
		return nil
	}
	ink := &m.styles.Board
	return row{{Text: text.Fit(keyNames(m.signs.Up, a.keys[:1]), 4), Style: ink.Accent}, {Text: does, Style: ink.Text}}
}

// noBoard is the screen without any board: still opening, missing or unusable.
func (m *Model) noBoard(l Layout) []string {
	ink := &m.styles.Board
	height := m.height - 1 - l.Banners.H - l.Message.H - l.Footer.H
	if m.stale == nil {
		return center([]row{{{Text: "opening the board" + m.signs.Ellipsis, Style: ink.Muted}}}, m.width, height)
	}
	title := "This board cannot be used"
	advice := "Nothing was written. It is tried again by itself; `hermes-tui doctor` tells more."
	if m.missing() {
		title = "There is no board here"
		advice = "Nothing was written. `hermes-tui demo` shows a board in a temporary folder."
		if canInit(m) != "" {
			advice = "Nothing was written. `hermes-tui init` creates a board; `hermes-tui demo` shows one in a temporary folder."
		}
	}
	width := min(76, m.width-4)
	rows := []row{{{Text: title, Style: ink.Danger}}, nil}
	rows = append(rows, paragraph(m.deps.BoardPath, width, ink.Strong)...)
	rows = append(rows, nil)
	rows = append(rows, paragraph(text.Clean(m.stale.cause), width, ink.Text)...)
	return center(m.ways(append(rows, nil), paragraph(advice, width, ink.Muted),
		m.way("init", "make this board"), m.way("boards", "open another board of this home"), m.way("quit", "leave")), m.width, height)
}

// emptyBoard says why no card is shown, and what can be done about that.
func (m *Model) emptyBoard(r Rect) []string {
	ink := &m.styles.Board
	if m.filter.value() != "" {
		return center(m.ways([]row{{{Text: "no card fits the filter", Style: ink.Muted}}, nil}, nil, m.way("clear-filter", "show all cards")), r.W, r.H)
	}
	rows := []row{{{Text: "No cards yet", Style: ink.Strong}}, nil}
	after := []row{{{Text: "hermes-tui task create \"what to do\"", Style: ink.Muted}}}
	if m.deps.Names != nil && len(m.names()) == 0 {
		after = append(after, paragraph("Nobody can work here yet: Hermes has no profile and no lane is configured. docs/lanes.md shows how any agent becomes one.", min(64, r.W-4), ink.Attention)...)
	}
	return center(m.ways(rows, after, m.way("create", "make the first card"), m.way("dispatch", "start cards from this screen"),
		m.way("boards", "open another board"), m.way("help", "all keys")), r.W, r.H)
}

// ways sets what can be done between what is so and what else there is to say.
func (m *Model) ways(rows, after []row, ways ...row) []row {
	shown := false
	for _, w := range ways {
		if w != nil {
			rows, shown = append(rows, w), true
		}
	}
	if shown && len(after) > 0 {
		rows = append(rows, nil)
	}
	return append(rows, after...)
}
