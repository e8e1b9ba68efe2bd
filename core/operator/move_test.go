package operator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func TestCardThatChangedMeanwhileIsLeftAlone(t *testing.T) {
	for name, act := range map[string]func(d *desk, c operator.Card) error{
		"block": func(d *desk, c operator.Card) error {
			_, err := d.Operator.Block(t.Context(), c, false, "", "")
			return err
		},
		"schedule": func(d *desk, c operator.Card) error { return d.Operator.Schedule(t.Context(), c, false, "") },
		"archive":  func(d *desk, c operator.Card) error { return d.Operator.Archive(t.Context(), c, false) },
		"assign":   func(d *desk, c operator.Card) error { return d.Operator.Assign(t.Context(), c, "ops") },
		"complete": func(d *desk, c operator.Card) error { return d.Operator.Complete(t.Context(), c, false, "x") },
		"review":   func(d *desk, c operator.Card) error { return d.Operator.RequestReview(t.Context(), c, false, "", "x") },
	} {
		d := newDesk(t)
		c := d.card("a card")
		d.sql("UPDATE tasks SET status = 'done', result = 'by somebody else' WHERE id = ?", c.ID)
		events := d.count("SELECT count(*) FROM task_events")
		if err := act(d, c); !errors.Is(err, core.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
		if now := d.task(c.ID); now.Status != core.Done || now.Assignee != "dev" || d.count("SELECT count(*) FROM task_events") != events {
			t.Errorf("%s wrote something", name)
		}
	}
}

func TestAnswerCommentsAndUnblocks(t *testing.T) {
	d := newDesk(t)
	c := d.card("a card")
	if _, err := d.Operator.Answer(t.Context(), c, "no"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("a card that is not blocked: %v", err)
	}
	if _, err := d.Operator.Block(t.Context(), c, false, "which?", "needs_input"); err != nil {
		t.Fatal(err)
	}
	status, err := d.Operator.Answer(t.Context(), d.seen(c.ID), "the blue one")
	if err != nil || status != core.Ready {
		t.Fatalf("%s, %v", status, err)
	}
	if n := d.count("SELECT count(*) FROM task_comments WHERE author = 'tester' AND body = 'the blue one'"); n != 1 {
		t.Error("there is no comment")
	}
	if _, err := d.Operator.Answer(t.Context(), operator.Card{ID: c.ID, Seen: core.Seen{Status: core.Blocked, Generation: c.Seen.Generation}}, "again"); !errors.Is(err, core.ErrChanged) {
		t.Errorf("an answer that comes too late: %v", err)
	}
	if n := d.count("SELECT count(*) FROM task_comments"); n != 1 {
		t.Error("an answer that came too late was written")
	}
}

func TestReviewedCardIsSentBackWithWords(t *testing.T) {
	d := newDesk(t)
	c := d.card("a card")
	if _, err := d.Operator.SendBack(t.Context(), c, "no"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("a card that nobody reviews: %v", err)
	}
	if err := d.Operator.RequestReview(t.Context(), c, false, "lead", "please look"); err != nil {
		t.Fatal(err)
	}
	status, err := d.Operator.SendBack(t.Context(), d.seen(c.ID), "the tests are missing")
	if err != nil || status != core.Ready {
		t.Fatalf("%s, %v", status, err)
	}
	if n := d.count("SELECT count(*) FROM task_comments WHERE body = 'the tests are missing'"); n != 1 || d.task(c.ID).Assignee != "dev" {
		t.Error("whoever did the work is not told what to change")
	}
}

func TestEditKeepsWhatOthersWrote(t *testing.T) {
	d := newDesk(t)
	c := d.card("old title")
	d.sql("UPDATE tasks SET priority = 7 WHERE id = ?", c.ID)
	title := &operator.Change[string]{From: "old title", To: "new title"}
	if err := d.Operator.Edit(t.Context(), c, operator.Edit{Title: title}); err != nil {
		t.Fatal(err)
	}
	if now := d.task(c.ID); now.Title != "new title" || now.Priority != 7 {
		t.Errorf("%q, priority %d", now.Title, now.Priority)
	}
	for name, e := range map[string]operator.Edit{
		"title":    {Title: title},
		"body":     {Body: &operator.Change[string]{From: "x", To: "y"}},
		"priority": {Priority: &operator.Change[int64]{From: 0, To: 1}},
	} {
		if err := d.Operator.Edit(t.Context(), c, e); !errors.Is(err, core.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := d.task(c.ID); now.Title != "new title" || now.Priority != 7 || now.Body != "" {
		t.Error("an edit of something that had changed was written")
	}
}

func TestPersonIsNamed(t *testing.T) {
	d := newDesk(t)
	made, err := d.Operator.Create(t.Context(), board.NewTask{Title: "new"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Operator.Comment(t.Context(), d.seen(made.ID), "hello"); err != nil {
		t.Fatal(err)
	}
	if now := d.task(made.ID); now.CreatedBy != "tester" || d.count("SELECT count(*) FROM task_comments WHERE author = 'tester'") != 1 {
		t.Error("nobody knows who did it")
	}
}

func TestReviewThatRunsEndsWithRequestedChanges(t *testing.T) {
	d := newDesk(t)
	c := d.card("a card")
	if err := d.Operator.RequestReview(t.Context(), c, false, "carol", "look"); err != nil {
		t.Fatal(err)
	}
	claim, err := d.Board.ClaimReview(t.Context(), board.ClaimRequest{Target: board.Target{ID: c.ID}, Lock: "here:2"})
	if err != nil {
		t.Fatal(err)
	}
	who, err := d.Operator.RequestChanges(t.Context(), d.seen(c.ID), false, "more tests")
	if err != nil || who != "dev" {
		t.Fatalf("back to %q: %v", who, err)
	}
	if now := d.task(c.ID); now.Status != core.Ready || now.Assignee != "dev" {
		t.Errorf("%s of %s", now.Status, now.Assignee)
	}
	if n := d.count("SELECT count(*) FROM task_runs WHERE id = ? AND outcome = 'changes_requested'", claim.Run); n != 1 {
		t.Error("the review did not end with the changes")
	}
}

// TestNobodyIsStoppedForChangesThatCannotBeRequested: a worker that does the work
// itself goes on.
func TestNobodyIsStoppedForChangesThatCannotBeRequested(t *testing.T) {
	d := newDesk(t)
	c := d.card("a card")
	if _, err := d.Board.Claim(t.Context(), board.ClaimRequest{Target: board.Target{ID: c.ID}, Lock: "here:2"}); err != nil {
		t.Fatal(err)
	}
	_, err := d.Operator.RequestChanges(t.Context(), d.seen(c.ID), true, "more tests")
	if !errors.Is(err, core.ErrRefused) || !strings.Contains(err.Error(), "no review") {
		t.Errorf("%v", err)
	}
	if now := d.task(c.ID); now.Status != core.Running {
		t.Errorf("%s", now.Status)
	}
}
