package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

type (
	boardsListed struct {
		boards []BoardInfo
		err    error
	}
	boardOpened struct {
		name string
		deps Deps
		err  error
	}
)

func canSwitch(m *Model) string {
	if m.deps.Boards == nil || m.deps.Open == nil {
		return "there is only this board"
	}
	return ""
}

func (m *Model) openBoards() tea.Cmd {
	list := m.deps.Boards
	m.say("looking for boards" + m.signs.Ellipsis)
	return m.ask(func(ctx context.Context) tea.Msg {
		boards, err := list(ctx)
		return boardsListed{boards, err}
	})
}

func (m *Model) onBoardsListed(l boardsListed) tea.Cmd {
	m.dirty, m.message = true, ""
	switch {
	case l.err != nil:
		m.complain(text.Clean(l.err.Error()))
		return nil
	case m.dialog != nil:
		return nil // the person has moved on
	}
	p := newPicker("Boards")
	for _, b := range l.boards {
		it := item{name: text.Clean(b.Name), about: boardWords(b), run: func(m *Model) tea.Cmd { return m.switchTo(b.Name) }}
		if b.Err != nil {
			it.why = text.Clean(b.Err.Error())
		}
		p.items = append(p.items, it)
	}
	return m.openPicker(p)
}

// boardWords says what is on a board, in few words.
func boardWords(b BoardInfo) string {
	var parts []string
	if title := text.Clean(b.Title); title != "" && title != b.Name {
		parts = append(parts, title)
	}
	for _, status := range []core.Status{core.Running, core.Ready, core.Blocked, core.Review, core.Done} {
		if n := b.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, ", ")
}

// switchTo shows another board. Dispatching is decided anew for each board.
func (m *Model) switchTo(name string) tea.Cmd {
	if m.disp.busy {
		m.say("a tick is under way on this board: try again when it is over")
		return nil
	}
	open := m.deps.Open
	m.disp.mode = watching
	m.disp.turn++
	save := m.save()
	m.say("opening " + text.Clean(name) + m.signs.Ellipsis)
	return tea.Batch(save, m.ask(func(ctx context.Context) tea.Msg {
		deps, err := open(ctx, name)
		return boardOpened{name, deps, err}
	}))
}

func (m *Model) onBoardOpened(o boardOpened) tea.Cmd {
	if o.err != nil {
		m.complain(text.Clean(o.err.Error()))
		return nil
	}
	m.epoch++ // answers about the last board are of no interest any more
	m.deps = o.deps
	m.deps.BoardName, m.deps.BoardPath = text.Clean(o.deps.BoardName), text.Clean(o.deps.BoardPath)
	m.snap, m.stale, m.notices, m.first = nil, nil, nil, 0
	m.page, m.dialog = nil, nil
	m.disp = dispatcher{turn: m.disp.turn}
	m.undos = undos{}
	m.filter.clear()
	m.newBoard()
	m.say("")
	return m.poll()
}
