package operator

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// Block takes a running or ready card out of work until somebody decides. stop
// is the person's wish that a worker which lives is stopped first; without it,
// and where the worker cannot be stopped, the card stays as it is. It returns
// the status that the card has then.
func (o *Operator) Block(ctx context.Context, c Card, stop bool, reason, kind string) (core.Status, error) {
	if _, _, err := o.vacate(ctx, c, stop); err != nil {
		return "", fmt.Errorf("block task %q: %w", c.ID, err)
	}
	return o.Board.Block(ctx, board.BlockRequest{Target: o.target(c), Reason: given(reason), Kind: kind})
}

// Schedule parks a card until it is unblocked. stop is as for Block.
func (o *Operator) Schedule(ctx context.Context, c Card, stop bool, reason string) error {
	if _, _, err := o.vacate(ctx, c, stop); err != nil {
		return fmt.Errorf("schedule task %q: %w", c.ID, err)
	}
	return o.Board.Schedule(ctx, o.target(c), given(reason))
}

// Archive puts a card away and lets its children go on. stop is as for Block.
func (o *Operator) Archive(ctx context.Context, c Card, stop bool) error {
	now, report, err := o.vacate(ctx, c, stop)
	if err != nil {
		return fmt.Errorf("archive task %q: %w", c.ID, err)
	}
	gone, err := o.Board.Archive(ctx, o.target(c), &now.Sighting)
	if err != nil || !gone.WasRunning {
		return err
	}
	// The children wait for this; it is told although the person has lost patience.
	return o.Board.RecordArchiveTermination(context.WithoutCancel(ctx), gone, report)
}

// Complete finishes a card, with what was done. stop is as for Block.
func (o *Operator) Complete(ctx context.Context, c Card, stop bool, summary string) error {
	now, _, err := o.vacate(ctx, c, stop)
	if err != nil {
		return fmt.Errorf("complete task %q: %w", c.ID, err)
	}
	return o.Board.Complete(ctx, board.Completion{Target: o.target(c), Summary: given(summary), Force: stop, Saw: &now.Sighting})
}

// RequestReview hands a running or ready card to a reviewer; an empty name
// leaves the choice to the board. stop is as for Block.
func (o *Operator) RequestReview(ctx context.Context, c Card, stop bool, reviewer, summary string) error {
	now, _, err := o.vacate(ctx, c, stop)
	if err != nil {
		return fmt.Errorf("request a review of task %q: %w", c.ID, err)
	}
	return o.Board.RequestReview(ctx, board.ReviewRequest{Target: o.target(c), Reviewer: reviewer, Summary: given(summary), Force: stop, Saw: &now.Sighting})
}

// RequestChanges ends the review of a running card and hands it back to whoever
// did the work, with what has to change; it returns who that is. stop is as for
// Block: nobody is stopped for a card that could not be handed back.
func (o *Operator) RequestChanges(ctx context.Context, c Card, stop bool, reason string) (implementer string, err error) {
	if err := o.reviewed(ctx, c.ID); err != nil {
		return "", fmt.Errorf("request changes on task %q: %w", c.ID, err)
	}
	if _, _, err := o.vacate(ctx, c, stop); err != nil {
		return "", fmt.Errorf("request changes on task %q: %w", c.ID, err)
	}
	return o.Board.RequestChanges(ctx, o.target(c), reason)
}

// reviewed returns an error unless the card was handed over to a reviewer, who
// runs now.
func (o *Operator) reviewed(ctx context.Context, id string) error {
	d, err := o.Board.Detail(ctx, id)
	if err != nil {
		return err
	}
	handed, claimed := false, false
	for _, e := range d.Events {
		var said struct {
			Source      string `json:"source_status"`
			Implementer string `json:"implementer"`
		}
		if json.Unmarshal([]byte(e.Payload), &said) != nil {
			continue
		}
		switch {
		case e.Kind == "review_requested":
			handed = said.Implementer != ""
		case e.Kind == "claimed" && e.RunID != nil && d.Task.CurrentRun != nil && *e.RunID == *d.Task.CurrentRun:
			claimed = said.Source == string(core.Review)
		}
	}
	switch {
	case !claimed:
		return fmt.Errorf("%w: its worker does the work and no review; block it instead, with a reason", core.ErrRefused)
	case !handed:
		return fmt.Errorf("%w: who handed the card over is not recorded", core.ErrRefused)
	}
	return nil
}
