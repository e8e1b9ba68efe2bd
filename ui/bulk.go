package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// bulk does one thing to several cards, each guarded by what was seen of it, and
// reports each on its own.
type bulk struct {
	guard
	verb  string // "archive"
	cards []bulkCard
	do    func(ctx context.Context, c operator.Card) error
}

type bulkCard struct {
	name string
	seen operator.Card
}

// bulkDone is what became of each card.
type bulkDone struct {
	verb    string
	results []bulkResult
}

type bulkResult struct {
	id  string
	err error
}

// pickedCards are the cards that a person picked on the board.
func (m *Model) pickedCards() []bulkCard {
	if m.page != nil {
		return nil
	}
	var cards []bulkCard
	for _, id := range m.board.Picked() {
		c := m.snap.ByID[id]
		cards = append(cards, bulkCard{text.Clean(c.Title), m.asSeen(c)})
	}
	return cards
}

// forPicked is an action that is done to all picked cards where there are any,
// and to the selected one otherwise.
func forPicked(one func(*Model) tea.Cmd, many func(*Model, []bulkCard) tea.Cmd) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if cards := m.pickedCards(); len(cards) > 0 {
			return many(m, cards)
		}
		return one(m)
	}
}

// orPicked lets an action be done where cards are picked, whatever the selected
// one is: each is refused or done on its own.
func orPicked(enabled func(*Model) string) func(*Model) string {
	return func(m *Model) string {
		if m.page == nil && m.snap != nil && m.deps.Acts != nil && len(m.board.Picked()) > 0 {
			return ""
		}
		return enabled(m)
	}
}

func (m *Model) openBulk(b *bulk) tea.Cmd {
	b.arm(m.now())
	m.dialog = b
	return nil
}

func (m *Model) bulkArchive(cards []bulkCard) tea.Cmd {
	acts := m.deps.Acts
	return m.openBulk(&bulk{verb: "archive", cards: cards, do: func(ctx context.Context, c operator.Card) error { return acts.Archive(ctx, c, false) }})
}

func (m *Model) bulkUnblock(cards []bulkCard) tea.Cmd {
	acts := m.deps.Acts
	return m.openBulk(&bulk{verb: "unblock", cards: cards, do: func(ctx context.Context, c operator.Card) error {
		_, err := acts.Unblock(ctx, c)
		return err
	}})
}

func (m *Model) bulkAssign(cards []bulkCard) tea.Cmd {
	acts := m.deps.Acts
	return m.openPicker(m.ownerPicker("Who works on "+several(len(cards), "card"), "", func(m *Model, name string) tea.Cmd {
		return m.openBulk(&bulk{verb: "give to " + text.Clean(orNobody(name)), cards: cards, do: func(ctx context.Context, c operator.Card) error {
			return acts.Assign(ctx, c, name)
		}})
	}))
}

// bulkRequeue looks behind every card before it is requeued. A card that needs
// the person's word is left for a dialog of its own.
func (m *Model) bulkRequeue(cards []bulkCard) tea.Cmd {
	stand, requeue := m.deps.Stand, m.deps.Requeue
	return m.openBulk(&bulk{verb: "requeue", cards: cards, do: func(ctx context.Context, c operator.Card) error {
		now, err := stand(ctx, c.ID)
		if err != nil {
			return err
		}
		if now.NeedsDeadWord {
			return fmt.Errorf("%w: %s; requeue it alone", operator.ErrCannotTell, now.Unknown())
		}
		now.Task.Status, now.Task.CurrentRun, now.Task.ClaimLock, now.Task.Generation = c.Seen.Status, c.Seen.RunID, c.Seen.ClaimLock, c.Seen.Generation
		return requeue(ctx, now, false)
	}})
}

func (b *bulk) title() string          { return fmt.Sprintf("%s: %s", b.verb, several(len(b.cards), "card")) }
func (b *bulk) field() *field          { return nil }
func (b *bulk) foot(*Model, int) []row { return nil }
func (b *bulk) hints() []hint          { return []hint{{"y", b.verb}, {"esc", "leave them"}} }

func (b *bulk) body(m *Model, width int) []row {
	ink := &m.styles.Raised
	var rows []row
	for _, c := range b.cards {
		rows = append(rows, row{{Text: text.Fit(text.Clean(c.seen.ID), 12), Style: ink.Muted}, {Text: text.Fit(printable(c.seen.Seen.Status), 10), Style: ink.Muted}, {Text: c.name, Style: ink.Text}})
	}
	return rows
}

func (b *bulk) confirm(m *Model) tea.Cmd {
	if !b.ready(m.now()) {
		return nil
	}
	m.dialog = nil
	m.board.Unpick()
	m.say(b.verb + ": " + several(len(b.cards), "card") + m.signs.Ellipsis)
	read, writable, cards, do, verb := m.deps.Board, m.deps.Writable, b.cards, b.do, b.verb
	return m.ask(func(ctx context.Context) tea.Msg {
		if writable != nil {
			if err := writable(ctx); err != nil {
				return answered{err: err}
			}
		}
		done := bulkDone{verb: verb}
		for _, c := range cards {
			err := do(ctx, c.seen)
			if errors.Is(err, core.ErrChanged) {
				err = meanwhile(ctx, read, c.seen, err)
			}
			done.results = append(done.results, bulkResult{c.seen.ID, err})
		}
		return done
	})
}

// onBulkDone reports each card on a line.
func (m *Model) onBulkDone(d bulkDone) {
	failed := 0
	for _, r := range d.results {
		if r.err != nil {
			failed++
		}
	}
	m.dirty = true
	m.say(fmt.Sprintf("%s: %d done, %d refused", d.verb, len(d.results)-failed, failed))
	if m.page == nil {
		m.page = &bulkPage{done: d}
	}
}

// bulkPage is the report of a bulk.
type bulkPage struct {
	pane
	done bulkDone
}

func (p *bulkPage) title(m *Model) row {
	return row{{Text: p.done.verb + ": what became of each card", Style: m.styles.Board.Strong}}
}

func (p *bulkPage) rows(m *Model, width int) []row {
	ink := &m.styles.Board
	var rows []row
	for _, r := range p.done.results {
		sign, style, words := m.signs.Done, ink.Running, "done"
		if r.err != nil {
			sign, style, words = m.signs.Blocked, ink.Attention, text.Clean(r.err.Error())
		}
		for i, line := range text.Wrap(words, max(1, width-14)) {
			if i == 0 {
				rows = append(rows, row{{Text: sign + " ", Style: style}, {Text: text.Fit(text.Clean(r.id), 12), Style: ink.Strong}, {Text: line, Style: style}})
			} else {
				rows = append(rows, row{{Text: text.Spaces(14) + line, Style: style}})
			}
		}
	}
	return rows
}

func (m *Model) pick() tea.Cmd {
	m.board.Pick()
	m.sayPicked()
	return nil
}

func (m *Model) pickRange() tea.Cmd {
	if !m.board.PickRange() {
		m.say("a range begins with a card that was chosen with space, in this column")
		return nil
	}
	m.sayPicked()
	return nil
}

func (m *Model) sayPicked() {
	if n := len(m.board.Picked()); n > 0 {
		m.say(several(n, "card") + " chosen: r requeue, a archive, u unblock, o owner; esc lets go")
	} else {
		m.say("")
	}
}

// escape lets go of chosen cards first, then of the filter.
func (m *Model) escape() tea.Cmd {
	if len(m.board.Picked()) > 0 {
		m.board.Unpick()
		return nil
	}
	return m.clearFilter()
}
