package operator

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// Unblock lets a blocked or scheduled card go on and returns its status then.
func (o *Operator) Unblock(ctx context.Context, c Card) (core.Status, error) {
	return o.Board.Unblock(ctx, o.target(c))
}

// Answer tells a blocked card what its worker has to know, as a comment, and
// lets it go on. A card that cannot be unblocked any more keeps the comment.
func (o *Operator) Answer(ctx context.Context, c Card, words string) (core.Status, error) {
	if c.Seen.Status != core.Blocked {
		return "", fmt.Errorf("answer task %q: %w: it is %q and waits for no answer", c.ID, core.ErrRefused, c.Seen.Status)
	}
	if _, err := o.Board.Comment(ctx, o.target(c), o.Actor, words); err != nil {
		return "", err
	}
	status, err := o.Board.Unblock(ctx, o.target(c))
	if err != nil {
		return "", fmt.Errorf("the answer stands as a comment, but the card waits on: %w", err)
	}
	return status, nil
}

// SendBack takes a card back from review to whoever did the work, with what has
// to change as a comment. A card that cannot be taken back any more keeps the
// comment.
func (o *Operator) SendBack(ctx context.Context, c Card, words string) (core.Status, error) {
	if c.Seen.Status != core.Review {
		return "", fmt.Errorf("send task %q back: %w: it is %q and waits for no review", c.ID, core.ErrRefused, c.Seen.Status)
	}
	if _, err := o.Board.Comment(ctx, o.target(c), o.Actor, words); err != nil {
		return "", err
	}
	status, err := o.Board.ReopenReview(ctx, o.target(c))
	if err != nil {
		return "", fmt.Errorf("the words stand as a comment, but the card is where it was: %w", err)
	}
	return status, nil
}

// Promote makes a todo or blocked card ready.
func (o *Operator) Promote(ctx context.Context, c Card) error {
	return o.Board.Promote(ctx, o.target(c), nil)
}

// Assign gives a card to a profile, or to nobody for an empty name.
func (o *Operator) Assign(ctx context.Context, c Card, profile string) error {
	return o.Board.Assign(ctx, o.target(c), profile)
}

// Comment adds words to a card, whatever became of it meanwhile.
func (o *Operator) Comment(ctx context.Context, c Card, words string) error {
	_, err := o.Board.Comment(ctx, board.Target{ID: c.ID, Actor: o.Actor}, o.Actor, words)
	return err
}

// Create makes a card in the name of the person.
func (o *Operator) Create(ctx context.Context, n board.NewTask) (board.Created, error) {
	n.CreatedBy = o.Actor
	return o.Board.CreateTask(ctx, n)
}

// Change is a new value of something on a card together with the old one, as it
// was seen.
type Change[T comparable] struct{ From, To T }

// Edit says what is to change on a card; nil stays as it is.
type Edit struct {
	Title, Body *Change[string]
	Priority    *Change[int64]
}

// Edit changes what a card says, wherever it stands by now. It is refused with
// core.ErrChanged where somebody else changed the same thing meanwhile; what is
// not named is left as others wrote it.
func (o *Operator) Edit(ctx context.Context, c Card, e Edit) error {
	r := board.EditRequest{Target: board.Target{ID: c.ID, Actor: o.Actor}}
	if e.Title != nil {
		r.Title = &e.Title.To
	}
	if e.Body != nil {
		r.Body = &e.Body.To
	}
	if e.Priority != nil {
		r.Priority = &e.Priority.To
	}
	r.Check = func(now *core.Task) error {
		if now.Generation != c.Seen.Generation {
			return fmt.Errorf("%w: the board file was replaced since it was looked at", core.ErrChanged)
		}
		return e.stillFits(now)
	}
	return o.Board.Edit(ctx, r)
}

// stillFits compares the old values, as they were seen, with the card.
func (e Edit) stillFits(now *core.Task) error {
	switch {
	case e.Title != nil && e.Title.From != now.Title:
		return fmt.Errorf("%w: somebody else wrote its title", core.ErrChanged)
	case e.Body != nil && e.Body.From != now.Body:
		return fmt.Errorf("%w: somebody else wrote its text", core.ErrChanged)
	case e.Priority != nil && e.Priority.From != now.Priority:
		return fmt.Errorf("%w: its priority was %d and is now %d", core.ErrChanged, e.Priority.From, now.Priority)
	}
	return nil
}
