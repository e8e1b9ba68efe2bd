package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// step is something a person did to a card that can be taken back, and done
// again. Both are acts of their own with their own events, guarded by what the
// card was left as: somebody else's change is never undone.
type step struct {
	words string // "the priority of t_1"
	card  operator.Card
	back  func(ctx context.Context, a Acts, c operator.Card) error
	again func(ctx context.Context, a Acts, c operator.Card) error
}

// undos are the steps of this screen, newest last.
type undos struct {
	done, undone []*step
	under        *step // is being undone or redone
}

// mostUndos bounds how far back one can go.
const mostUndos = 50

// took remembers a step; nil is one that cannot be undone, and leaves the others
// as they are: each is about what its own card looks like.
func (u *undos) took(s *step) {
	if s == nil || s == u.under {
		u.under = nil
		return
	}
	u.done = append(u.done, s)
	if len(u.done) > mostUndos {
		u.done = u.done[1:]
	}
	u.undone = nil
}

func canUndo(m *Model) string {
	if len(m.undos.done) == 0 {
		return "nothing was done here that can be undone"
	}
	return ""
}

func canRedo(m *Model) string {
	if len(m.undos.undone) == 0 {
		return "nothing was undone"
	}
	return ""
}

func (m *Model) undo() tea.Cmd {
	u := &m.undos
	s := u.done[len(u.done)-1]
	u.done, u.undone, u.under = u.done[:len(u.done)-1], append(u.undone, s), s
	return m.retrace(s, "undid ", s.back)
}

func (m *Model) redo() tea.Cmd {
	u := &m.undos
	s := u.undone[len(u.undone)-1]
	u.undone, u.done, u.under = u.undone[:len(u.undone)-1], append(u.done, s), s
	return m.retrace(s, "did again ", s.again)
}

// retrace carries a step out in one of its two directions.
func (m *Model) retrace(s *step, said string, do func(context.Context, Acts, operator.Card) error) tea.Cmd {
	acts := m.deps.Acts
	m.say(s.words + m.signs.Ellipsis)
	return m.actStep(nil, s.card, s, func(ctx context.Context) (string, error) {
		return said + s.words, do(ctx, acts, s.card)
	})
}

// priorityStep is a change of a priority.
func priorityStep(c operator.Card, change operator.Change[int64]) *step {
	to := func(change operator.Change[int64]) func(context.Context, Acts, operator.Card) error {
		return func(ctx context.Context, a Acts, c operator.Card) error {
			return a.Edit(ctx, c, operator.Edit{Priority: &change})
		}
	}
	return &step{words: "the priority of " + text.Clean(c.ID), card: c, back: to(operator.Change[int64]{From: change.To, To: change.From}), again: to(change)}
}

// editStep is a change of what a card says.
func editStep(c operator.Card, e operator.Edit) *step {
	undo := operator.Edit{Title: reversed(e.Title), Body: reversed(e.Body), Priority: reversed(e.Priority)}
	return &step{words: "the edit of " + text.Clean(c.ID), card: c,
		back:  func(ctx context.Context, a Acts, c operator.Card) error { return a.Edit(ctx, c, undo) },
		again: func(ctx context.Context, a Acts, c operator.Card) error { return a.Edit(ctx, c, e) }}
}

func reversed[T comparable](c *operator.Change[T]) *operator.Change[T] {
	if c == nil {
		return nil
	}
	return &operator.Change[T]{From: c.To, To: c.From}
}

// ownerStep is a card that was given to somebody.
func ownerStep(c operator.Card, from, to string) *step {
	return &step{words: "the owner of " + text.Clean(c.ID), card: c,
		back:  func(ctx context.Context, a Acts, c operator.Card) error { return a.Assign(ctx, c, from) },
		again: func(ctx context.Context, a Acts, c operator.Card) error { return a.Assign(ctx, c, to) }}
}

// parkStep is a card that was parked or blocked, and that goes on when that is
// undone.
func parkStep(c operator.Card, words string, again func(context.Context, Acts, operator.Card) error) *step {
	return &step{words: words + " " + text.Clean(c.ID), card: c, again: again,
		back: func(ctx context.Context, a Acts, c operator.Card) error { _, err := a.Unblock(ctx, c); return err }}
}
