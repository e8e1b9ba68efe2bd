package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// result is what became of one card, as scripts get it.
type result struct {
	Task    string       `json:"task"`
	OK      bool         `json:"ok"`
	Status  *core.Status `json:"status"` // now; null for a card that is gone
	Run     *int64       `json:"run"`    // that it was about
	Lock    string       `json:"lock,omitempty"`
	Expires int64        `json:"expires,omitempty"`
	Error   *failure     `json:"error,omitempty"`
}

// done is what an action has to say beyond that it succeeded.
type done struct {
	said    string // "completed"
	run     *int64 // nil stands for the run that the card had before
	lock    string
	expires int64 // epoch seconds
}

// action is one transition. It gets the card as it stands, with what was seen of
// its worker.
type action func(ctx context.Context, b *board.Board, s operator.Standing) (done, error)

// act does one thing to each card and reports each on its own. Once the board
// itself cannot be used the rest is not tried.
func (a *app) act(ctx context.Context, ids []string, do action) error {
	b, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	results, code := []result{}, exitDone
	var stopped error
	for _, id := range distinct(ids) {
		r, said, err := result{Task: id}, "", stopped
		if stopped == nil {
			r, said, err = a.actOn(ctx, b, id, do)
		}
		if err != nil {
			r.Error = failureOf(err)
			code = worse(code, exitCode(err))
			a.say(err.Error())
			if c := exitCode(err); c == exitUnusable || c == exitLater {
				stopped = fmt.Errorf("task not tried: %w", err)
			}
		} else if r.OK = true; !a.flags.json {
			a.print("%s", text.Clean(line(r, said)))
		}
		results = append(results, r)
	}
	if a.flags.json {
		a.printJSON(map[string]any{"results": results})
	}
	if code != exitDone {
		return coded{errQuiet, code}
	}
	return nil
}

// line reports a success to a person.
func line(r result, said string) string {
	if r.Status == nil {
		return r.Task + " " + said
	}
	return fmt.Sprintf("%s %s (%s)", r.Task, said, *r.Status)
}

// actOn looks at the card, acts and looks again.
func (a *app) actOn(ctx context.Context, b *board.Board, id string, do action) (result, string, error) {
	r := result{Task: id}
	before, err := a.operator(b).Look(ctx, id)
	if err != nil {
		return r, "", a.elsewhere(ctx, id, err)
	}
	r.Run = before.Task.CurrentRun
	d, err := do(ctx, b, before)
	if d.run != nil {
		r.Run = d.run
	}
	r.Lock, r.Expires = d.lock, d.expires
	if after, lerr := b.Task(ctx, id); lerr == nil {
		r.Status = &after.Status
	}
	return r, d.said, err
}

// worse chooses the exit code of several: that of the board, that of a lock,
// then any refusal.
func worse(a, b int) int {
	for _, code := range []int{exitUnusable, exitLater, exitFailed, exitUsage} {
		if a == code || b == code {
			return code
		}
	}
	return exitDone
}

// distinct drops repeated ids, so that no card is acted upon twice.
func distinct(ids []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// elsewhere says where a card is that is not on this board. Other boards are
// only looked at.
func (a *app) elsewhere(ctx context.Context, id string, err error) error {
	if !errors.Is(err, core.ErrNotFound) {
		return err
	}
	boards, berr := a.home.Boards()
	if berr != nil {
		return err
	}
	for _, place := range boards {
		if place.DB != a.place.DB && a.has(ctx, place.DB, id) {
			return fmt.Errorf("task %q: %w %s; found on %s: use --board %s", id, errElsewhere, a.place.Slug, place.Slug, place.Slug)
		}
	}
	return fmt.Errorf("task %q on board %s: %w; see: hermes-tui task list", id, a.place.Slug, core.ErrNotFound)
}

// has reports whether the board in that file has the card. One that cannot be
// looked at counts as not having it.
func (a *app) has(ctx context.Context, db, id string) bool {
	b, err := board.Open(ctx, db, board.Options{Now: now, NewID: newID, Busy: a.busy(busyOnScreen)})
	if err != nil {
		return false
	}
	defer b.Close()
	_, err = b.Task(ctx, id)
	return err == nil
}
