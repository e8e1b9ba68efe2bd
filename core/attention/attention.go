// Package attention finds cards that newly need somebody, and tells a command of
// the person's choice about them. It is for dispatchers without a screen: where
// somebody looks, the screen tells.
package attention

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Board is what is read of a board.
type Board interface {
	Snapshot(ctx context.Context) (*core.Snapshot, error)
	Events(ctx context.Context, after int64, limit int) ([]core.Event, error)
	Task(ctx context.Context, id string) (core.Task, error)
	// Generation counts how often another file took the board's place.
	Generation() int
}

// Call is a card that needs somebody, and why in one line.
type Call struct{ Task, Title, Reason string }

// Watch finds such cards by the events that were written since it began to look.
// A card is told of once for each reason, until somebody has acted on it.
type Watch struct {
	Board Board
	// Served reports whether somebody will be started for a card in review, so
	// that it needs no person.
	Served func(core.Task) bool
	// Tell tells of one card; it is bound in time by itself.
	Tell func(context.Context, Call) error
	Now  func() int64 // epoch seconds

	begun      bool
	generation int
	newest     int64 // event that was looked at last
	told       map[string][]string
	waiting    []Call
	failing    bool
}

// rush is how many seconds after the first call of a round no further one is
// begun: a slow command must not keep the dispatcher from its work.
const rush = 10

// page is how many events are read at a time.
const page = 500

// Look reads what happened since the last look; the first one only remembers
// where the board stands. more are cards that no event tells of.
func (w *Watch) Look(ctx context.Context, more []Call) error {
	if generation := w.Board.Generation(); !w.begun || generation != w.generation {
		s, err := w.Board.Snapshot(ctx)
		if err != nil {
			return fmt.Errorf("see who needs somebody: %w", err)
		}
		w.begun, w.generation, w.newest, w.told, w.waiting = true, generation, s.NewestEvent, map[string][]string{}, nil
	}
	for {
		events, err := w.Board.Events(ctx, w.newest, page)
		if err != nil {
			return fmt.Errorf("see who needs somebody: %w", err)
		}
		for _, e := range events {
			w.newest = e.ID
			w.heard(e)
		}
		if len(events) < page {
			break
		}
	}
	for _, call := range more {
		w.call(call)
	}
	return nil
}

// acted are the events after which an old reason is a new one.
var acted = []string{"unblocked", "promoted_manual", "changes_requested", "completed", "archived"}

func (w *Watch) heard(e core.Event) {
	switch {
	case slices.Contains(acted, e.Kind):
		delete(w.told, e.TaskID)
	case e.Kind == "blocked":
		w.call(Call{Task: e.TaskID, Reason: because("blocked", e.Payload, "reason")})
	case e.Kind == "block_loop_detected":
		w.call(Call{Task: e.TaskID, Reason: because("blocked again and again", e.Payload, "reason")})
	case e.Kind == "gave_up":
		w.call(Call{Task: e.TaskID, Reason: because("gave up", e.Payload, "error")})
	case e.Kind == "review_requested" || e.Kind == "review_reopened":
		w.call(Call{Task: e.TaskID, Reason: reviewReason})
	}
}

const reviewReason = "waits for review"

// because adds what a payload says to a reason: the first line of one of its
// texts. A payload may be anything.
func because(what, payload, key string) string {
	var said map[string]any
	if json.Unmarshal([]byte(payload), &said) != nil {
		return what
	}
	why, _ := said[key].(string)
	why, _, _ = strings.Cut(strings.TrimSpace(why), "\n")
	if why == "" {
		return what
	}
	return what + ": " + why
}

func (w *Watch) call(c Call) {
	if !slices.Contains(w.told[c.Task], c.Reason) {
		w.told[c.Task] = append(w.told[c.Task], c.Reason)
		w.waiting = append(w.waiting, c)
	}
}

// Call tells of the cards found so far, one after the other. What there is no
// time for waits for the next call. The error is of the first that failed since
// one succeeded.
func (w *Watch) Call(ctx context.Context) error {
	began := w.Now()
	var failed error
	for len(w.waiting) > 0 && w.Now()-began < rush && ctx.Err() == nil {
		call := w.waiting[0]
		w.waiting = w.waiting[1:]
		task, err := w.Board.Task(ctx, call.Task)
		if err == nil && !w.needs(task, call) {
			continue
		}
		call.Title = task.Title // of a card that is gone there is none
		if err := w.Tell(ctx, call); err == nil {
			w.failing = false
		} else if !w.failing {
			w.failing, failed = true, fmt.Errorf("tell that task %q needs somebody: %w", call.Task, err)
		}
	}
	return failed
}

// needs reports whether the card still is where it needs somebody.
func (w *Watch) needs(t core.Task, c Call) bool {
	switch {
	case c.Reason == reviewReason:
		return t.Status == core.Review && !w.Served(t)
	case strings.HasPrefix(c.Reason, "blocked"), strings.HasPrefix(c.Reason, "gave up"):
		return t.Status == core.Blocked || t.Status == core.Triage
	}
	return true
}
