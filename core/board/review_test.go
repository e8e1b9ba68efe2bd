package board_test

import (
	"errors"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestAReviewGoesRoundBetweenImplementerAndReviewer(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	worker := board.Target{ID: id, Run: &claim.Run}
	d.must(d.RequestReview(ctx, board.ReviewRequest{Target: worker, Summary: new("look"), Reviewer: " Carol "}))
	if task := d.state(id); task.Status != core.Review || task.Assignee != "carol" {
		t.Fatalf("%s of %s", task.Status, task.Assignee)
	}
	review, err := d.ClaimReview(ctx, board.ClaimRequest{Target: at(id), Lock: "here:2"})
	d.must(err)
	d.sql("UPDATE tasks SET consecutive_failures = 1 WHERE id = ?", id)
	who, err := d.RequestChanges(ctx, board.Target{ID: id, Run: &review.Run}, " more tests ")
	d.must(err)
	task := d.state(id)
	if who != "alice" || task.Assignee != "alice" || task.Status != core.Ready || task.Failures != 1 {
		t.Errorf("back to %s: %s of %s, %d failures", who, task.Status, task.Assignee, task.Failures)
	}
	if got, want := d.said(id), `{"reason": "more tests", "implementer": "alice", "reviewer": "carol", "status": "ready"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := d.one("SELECT status || outcome FROM task_runs WHERE id = ?", review.Run); got != "readychanges_requested" {
		t.Errorf("the reviewer's run ended as %s", got)
	}
	d.must(d.RequestReview(ctx, board.ReviewRequest{Target: at(id)}))
	if task := d.state(id); task.Assignee != "carol" {
		t.Errorf("the second review is for %q, want the same reviewer", task.Assignee)
	}
	_, err = d.ReopenReview(ctx, at(id))
	d.must(err)
	if got, want := d.said(id), `{"status": "ready", "implementer": "alice"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAReviewRunThatIsTakenBackGoesBackToReview(t *testing.T) {
	d := newDesk(t)
	id, _ := d.claimed()
	d.must(d.RequestReview(ctx, board.ReviewRequest{Target: at(id), Reviewer: "carol"}))
	_, err := d.ClaimReview(ctx, board.ClaimRequest{Target: at(id), Lock: "here:2"})
	d.must(err)
	to, err := d.Reclaim(ctx, board.ReclaimRequest{Target: at(id)})
	d.must(err)
	if to != core.Review {
		t.Errorf("reclaimed to %s, want review", to)
	}
	_, err = d.ClaimReview(ctx, board.ClaimRequest{Target: at(id), Lock: "here:2"})
	d.must(err)
	_, err = d.Block(ctx, board.BlockRequest{Target: at(id), Reason: new("a question")})
	d.must(err)
	if to, err = d.Unblock(ctx, at(id)); err != nil || to != core.Review {
		t.Errorf("unblocked to %s, want review (%v)", to, err)
	}
}

func TestOnlyAReviewersRunMayAskForChanges(t *testing.T) {
	d := newDesk(t)
	id, _ := d.claimed()
	if _, err := d.RequestChanges(ctx, at(id), "more"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused", err)
	}
	d.insert("t_hand", "review")
	_, err := d.ClaimReview(ctx, board.ClaimRequest{Target: at("t_hand"), Lock: "here:2"})
	d.must(err)
	if _, err := d.RequestChanges(ctx, at("t_hand"), "more"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused: nobody handed it over", err)
	}
}
