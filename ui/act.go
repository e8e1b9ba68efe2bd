package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Acts are what a person can do to a card. Each is refused with core.ErrChanged,
// and has done nothing, where the card is no longer as it was seen.
type Acts interface {
	StopWorker(ctx context.Context, id string) (core.Termination, error)
	Block(ctx context.Context, c operator.Card, stop bool, reason, kind string) (core.Status, error)
	Schedule(ctx context.Context, c operator.Card, stop bool, reason string) error
	Archive(ctx context.Context, c operator.Card, stop bool) error
	Complete(ctx context.Context, c operator.Card, stop bool, summary string) error
	RequestReview(ctx context.Context, c operator.Card, stop bool, reviewer, summary string) error
	Unblock(ctx context.Context, c operator.Card) (core.Status, error)
	Answer(ctx context.Context, c operator.Card, words string) (core.Status, error)
	SendBack(ctx context.Context, c operator.Card, words string) (core.Status, error)
	RequestChanges(ctx context.Context, c operator.Card, stop bool, reason string) (implementer string, err error)
	Promote(ctx context.Context, c operator.Card) error
	Assign(ctx context.Context, c operator.Card, profile string) error
	Edit(ctx context.Context, c operator.Card, e operator.Edit) error
	Comment(ctx context.Context, c operator.Card, words string) error
	Create(ctx context.Context, n board.NewTask) (board.Created, error)
}

// asSeen is a card as it is on the screen.
func (m *Model) asSeen(c *core.Card) operator.Card {
	seen := core.Seen{Status: c.Status, Generation: m.generation}
	if c.RunID != 0 {
		seen.RunID = &c.RunID
	}
	if c.ClaimLock != "" {
		seen.ClaimLock = &c.ClaimLock
	}
	return operator.Card{ID: c.ID, Seen: seen}
}

// lookBehind asks what stands behind the card of a form, and which cards wait
// for it.
func (m *Model) lookBehind(f *form) tea.Cmd {
	stand, id := m.deps.Stand, f.card.ID
	return m.ask(func(ctx context.Context) tea.Msg {
		seen, err := stand(ctx, id)
		return looked{f, seen, err}
	})
}

// looked is what stands behind the card of a form.
type looked struct {
	form *form
	seen operator.Standing
	err  error
}

func (m *Model) onLooked(l looked) {
	if m.dialog != l.form {
		return // the person has moved on
	}
	m.dirty = true
	if l.form.lookErr = l.err; l.err == nil {
		l.form.seen, l.form.card = &l.seen, l.seen.Card()
		l.form.arm(m.now())
	}
}

// act carries out what a person decided, off the screen's goroutine. form is the
// one that asked for it and closes when it is done, nil for none.
func (m *Model) act(f *form, c operator.Card, do func(ctx context.Context) (string, error)) tea.Cmd {
	return m.actStep(f, c, nil, do)
}

// actStep is act for what can be undone.
func (m *Model) actStep(f *form, c operator.Card, s *step, do func(ctx context.Context) (string, error)) tea.Cmd {
	read, writable := m.deps.Board, m.deps.Writable
	return m.ask(func(ctx context.Context) tea.Msg {
		if writable != nil {
			if err := writable(ctx); err != nil {
				return answered{form: f, err: err}
			}
		}
		said, err := do(ctx)
		switch {
		case errors.Is(err, core.ErrChanged) && c.ID != "":
			err = meanwhile(ctx, read, c, err)
		case err == nil && s != nil:
			s.card = left(ctx, read, s.card)
		}
		return answered{form: f, step: s, text: said, err: err}
	})
}

// left is how an act has left its card, so that undoing it can be guarded by
// that.
func left(ctx context.Context, b Board, c operator.Card) operator.Card {
	d, err := b.Detail(ctx, c.ID)
	if err != nil {
		return c
	}
	return operator.Standing{Task: d.Task}.Card()
}

// meanwhile says what a card was changed to while a person decided about it.
func meanwhile(ctx context.Context, b Board, c operator.Card, err error) error {
	now, gone := b.Detail(ctx, c.ID)
	switch {
	case errors.Is(gone, core.ErrNotFound):
		return fmt.Errorf("%s was deleted meanwhile; nothing was written: %w", c.ID, err)
	case gone == nil && now.Task.Status != c.Seen.Status:
		return changedTo{c.ID, now.Task.Status, err}
	}
	return fmt.Errorf("nothing was written: %w", err)
}

// changedTo is a card that somebody else moved.
type changedTo struct {
	id  string
	now core.Status
	err error
}

func (e changedTo) Error() string {
	return fmt.Sprintf("%s changed to %s meanwhile; nothing was written", e.id, printable(e.now))
}

func (e changedTo) Unwrap() error { return e.err }

// sent is what a form asked for when it was confirmed: the card as it was seen,
// what was typed, and whether its worker may be stopped.
type sent struct {
	acts   Acts
	card   operator.Card
	values []string
	stop   bool
}

// send is the end of a form.
func send(do func(ctx context.Context, s sent) (string, error)) func(*Model, *form, bool) tea.Cmd {
	return sendStep(func(sent) *step { return nil }, do)
}

// sendStep is send for what can be undone.
func sendStep(undo func(s sent) *step, do func(ctx context.Context, s sent) (string, error)) func(*Model, *form, bool) tea.Cmd {
	return func(m *Model, f *form, stop bool) tea.Cmd {
		s := sent{m.deps.Acts, f.card, f.values(), stop}
		return m.actStep(f, f.card, undo(s), func(ctx context.Context) (string, error) { return do(ctx, s) })
	}
}

// onSent ends a form, or lets the person correct it.
func (m *Model) onSent(f *form, err error) {
	f.busy = false
	if err != nil {
		f.complain = text.Clean(err.Error())
		if m.dialog != f {
			m.complain(f.complain)
		}
		return
	}
	delete(m.drafts, f.draft)
	if m.dialog == f {
		m.dialog = nil
	}
}
