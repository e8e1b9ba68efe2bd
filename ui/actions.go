package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
)

// scope is where a key counts.
type scope uint8

const (
	onBoard  scope = iota
	onPage         // an open page; the board's keys do not count
	anywhere       // board and pages
	onDialog       // an open dialog; nothing else counts
)

// action is something a person can do. Keys, footer, help and the reason why
// it cannot be done right now all come from here.
type action struct {
	id    string
	scope scope
	keys  []string
	label string // in the footer; empty for what everybody knows
	help  string // one line
	acts  bool   // changes something: ignores a key that is held down
	many  bool   // can be done to several cards, each on its own
	group string // heading in the help

	// enabled returns why it cannot be done now, empty when it can.
	enabled func(m *Model) string
	run     func(m *Model) tea.Cmd
}

// actionTable lists every action, in the order of footer and help.
func actionTable() []action {
	table := slices.Concat(boardActions(), cardActions(), viewActions(), moveActions(), pageActions(), dialogActions())
	slices.SortStableFunc(table, func(a, b action) int { return slices.Index(groups, a.group) - slices.Index(groups, b.group) })
	return table
}

const (
	groupCards = "Cards"
	groupBoard = "Board"
	groupViews = "Views"
	groupMove  = "Moving about"
	groupPage  = "An open page"
	groupAsk   = "A dialog"
)

// groups is their order in the help.
var groups = []string{groupCards, groupBoard, groupViews, groupMove, groupPage, groupAsk}

func boardActions() []action {
	return []action{
		{id: "open", scope: onBoard, keys: []string{"enter"}, label: "open", group: groupCards,
			help: "open the card: text, links, runs, comments, events", enabled: needsCard, run: (*Model).openCard},
		{id: "requeue", scope: anywhere, keys: []string{"r"}, label: "requeue", group: groupCards, acts: true, many: true,
			help: "put a card back in the queue, after looking what stands behind it", enabled: orPicked(canRequeue), run: forPicked((*Model).openRequeue, (*Model).bulkRequeue)},
		{id: "replay", scope: anywhere, keys: []string{"J"}, label: "replay", group: groupCards, acts: true,
			help: "bring the finished results of this card to the board, or of all", enabled: canReplay, run: (*Model).replay},
		{id: "seen", scope: onBoard, keys: []string{"s"}, group: groupCards,
			help: "take the badge off the card", enabled: hasBadge, run: (*Model).seen},
		{id: "reconcile", scope: anywhere, keys: []string{"x"}, label: "reconcile", group: groupBoard, acts: true, many: true,
			help: "show what the board says against what is true, of picked cards or all, then repair it", enabled: canReconcile, run: (*Model).openReconcile},
		{id: "dispatch", scope: anywhere, keys: []string{"d"}, label: "dispatch", group: groupBoard, acts: true,
			help: "claim cards and start workers while this screen is open", enabled: canDispatch, run: (*Model).offerDispatch},
		{id: "pause", scope: anywhere, keys: []string{"p"}, label: "pause", group: groupBoard, acts: true,
			help: "pause or resume dispatching", enabled: canPause, run: (*Model).pauseOrResume},
		{id: "watch", scope: anywhere, keys: []string{"W"}, group: groupBoard, acts: true,
			help: "dispatch no more from here, nor when this board is opened again", enabled: canPause, run: (*Model).watch},
		{id: "emergency-stop", scope: anywhere, keys: []string{"E"}, group: groupBoard, acts: true,
			help: "stop all dispatchers of this home, or let them go on", enabled: canStopAll, run: (*Model).openStopAll},
		{id: "filter", scope: onBoard, keys: []string{"/"}, label: "filter", group: groupBoard,
			help: "show only some cards: words, @owner, #status, tenant:, !attention", enabled: needsBoard, run: (*Model).openFilter},
		{id: "density", scope: onBoard, keys: []string{"z"}, group: groupBoard,
			help: "more or less room for each card", run: (*Model).cycleDensity},
		{id: "archived", scope: onBoard, keys: []string{"A"}, group: groupBoard,
			help: "show or hide archived cards", run: (*Model).toggleArchived},
		{id: "palette", scope: anywhere, keys: []string{":", "ctrl+p"}, label: "commands", group: groupBoard,
			help: "everything that can be done, by name", run: (*Model).openPalette},
		{id: "help", scope: anywhere, keys: []string{"?"}, label: "help", group: groupBoard,
			help: "all keys", run: (*Model).openHelp},
		{id: "quit", scope: anywhere, keys: []string{"q", "ctrl+c"}, label: "quit", group: groupBoard,
			help: "leave; running workers go on", run: func(*Model) tea.Cmd { return tea.Quit }},
	}
}

func moveActions() []action {
	return []action{
		move("left", []string{"left", "h"}, "column to the left", func(m *Model) { m.board.MoveColumn(-1) }),
		move("right", []string{"right", "l"}, "column to the right", func(m *Model) { m.board.MoveColumn(1) }),
		move("up", []string{"up", "k"}, "card above", func(m *Model) { m.board.MoveRow(-1) }),
		move("down", []string{"down", "j"}, "card below", func(m *Model) { m.board.MoveRow(1) }),
		move("first", []string{"g", "home"}, "first card of the column", func(m *Model) { m.board.MoveRow(-farAway) }),
		move("last", []string{"G", "end"}, "last card of the column", func(m *Model) { m.board.MoveRow(farAway) }),
		move("page-up", []string{"pgup", "ctrl+u"}, "several cards up", func(m *Model) { m.board.MoveRow(-5) }),
		move("page-down", []string{"pgdown", "ctrl+d"}, "several cards down", func(m *Model) { m.board.MoveRow(5) }),
		move("next-column", []string{"tab"}, "next column, around the end", func(m *Model) { m.board.CycleColumn(1) }),
		move("previous-column", []string{"shift+tab"}, "column before, around the end", func(m *Model) { m.board.CycleColumn(-1) }),
		badgeMove("next-badge", "]", "next card with a badge", 1),
		badgeMove("previous-badge", "[", "card with a badge before", -1),
		{id: "clear-filter", scope: onBoard, keys: []string{"esc"}, group: groupMove,
			help: "let go of chosen cards, then show all cards again", run: (*Model).escape},
	}
}

const farAway = 1 << 30

func move(id string, keys []string, help string, step func(*Model)) action {
	return action{id: id, scope: onBoard, keys: keys, help: help, group: groupMove,
		run: func(m *Model) tea.Cmd { step(m); return nil }}
}

func badgeMove(id, key, help string, direction int) action {
	return action{id: id, scope: onBoard, keys: []string{key}, help: help, group: groupMove,
		enabled: func(m *Model) string {
			if m.board.Badges() == 0 {
				return "no card has a badge"
			}
			return ""
		},
		run: func(m *Model) tea.Cmd { m.board.NextBadge(direction); return nil }}
}

func pageActions() []action {
	scroll := func(id string, keys []string, help string, lines int) action {
		return action{id: id, scope: onPage, keys: keys, help: help, group: groupPage,
			run: func(m *Model) tea.Cmd { m.page.scroll(lines); return nil }}
	}
	return []action{
		{id: "close", scope: onPage, keys: []string{"esc", "backspace"}, label: "back", group: groupPage,
			help: "back to the board", run: func(m *Model) tea.Cmd { m.page = nil; return nil }},
		{id: "choose", scope: onPage, keys: []string{"enter"}, label: "open", group: groupPage,
			help: "open the card of the line", enabled: canChoose, run: (*Model).chooseLine},
		{id: "search", scope: onPage, keys: []string{"/"}, label: "search", group: groupPage,
			help: "show only the lines with these words", enabled: canSearch, run: (*Model).openSearch},
		{id: "follow", scope: onPage, keys: []string{"F"}, group: groupPage,
			help: "follow the end of a log, or hold still", enabled: canFollow, run: (*Model).followLog},
		scroll("line-up", []string{"up", "k"}, "up", -1),
		scroll("line-down", []string{"down", "j"}, "down", 1),
		scroll("screen-up", []string{"pgup", "ctrl+u"}, "a screen up", -10),
		scroll("screen-down", []string{"pgdown", "ctrl+d", "space"}, "a screen down", 10),
		scroll("page-first", []string{"g", "home"}, "to the beginning", -farAway),
		scroll("page-last", []string{"G", "end"}, "to the end", farAway),
	}
}

func dialogActions() []action {
	return []action{
		{id: "confirm", scope: onDialog, keys: []string{"y", "enter"}, acts: true, group: groupAsk,
			help: "do it", run: func(m *Model) tea.Cmd { return m.dialog.confirm(m) }},
		{id: "cancel", scope: onDialog, keys: []string{"esc", "n", "q", "ctrl+c"}, group: groupAsk,
			help: "do nothing", run: (*Model).cancelDialog},
	}
}

func needsCard(m *Model) string {
	if m.target() == nil {
		return "no card is selected"
	}
	return ""
}

// target is the card that an action is about: that of the open page, or the
// selected one on the board.
func (m *Model) target() *core.Card {
	if m.snap == nil {
		return nil
	}
	switch p := m.page.(type) {
	case nil:
		return m.board.Selected()
	case about:
		return m.snap.ByID[p.card()]
	}
	return nil // another page hides the board
}

func canRequeue(m *Model) string {
	c := m.target()
	switch {
	case c == nil:
		return "no card is selected"
	case m.deps.Stand == nil || m.deps.Requeue == nil:
		return "cards cannot be requeued here"
	case c.Status != core.Running && c.ClaimLock == "" && c.WorkerPID == 0:
		return fmt.Sprintf("the card is %s and nothing holds it: there is nothing to requeue", printable(c.Status))
	}
	return ""
}

// printable is a status that may come from anywhere, in quotes if it is not
// one of ours.
func printable(s core.Status) string {
	if s.Known() {
		return string(s)
	}
	return fmt.Sprintf("%q", string(s))
}

func canReplay(m *Model) string {
	if m.deps.Replay == nil {
		return "journals cannot be replayed here"
	}
	return needsBoard(m)
}

func hasBadge(m *Model) string {
	if c := m.target(); c == nil || m.board.Badge(c.ID) == 0 {
		return "the card has no badge"
	}
	return ""
}

// needsBoard is for what makes no sense before a board was read.
func needsBoard(m *Model) string {
	if m.snap == nil {
		return "there is no board to do this on"
	}
	return ""
}

func canReconcile(m *Model) string {
	if m.deps.Findings == nil || m.deps.Reconcile == nil {
		return "this board cannot be reconciled from here"
	}
	return needsBoard(m)
}

func canDispatch(m *Model) string {
	switch {
	case m.deps.Tick == nil && m.deps.NoTick != "":
		return "cannot dispatch: " + m.deps.NoTick
	case m.deps.Tick == nil:
		return "this screen cannot dispatch"
	case m.disp.mode == paused:
		return "dispatching is paused: press p to resume"
	case m.disp.mode == dispatching:
		return "dispatching already"
	}
	return needsBoard(m)
}

func canPause(m *Model) string {
	if m.disp.mode == watching {
		return "not dispatching: there is nothing to pause"
	}
	return ""
}
