package operator_test

import (
	"errors"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func TestAClaimOfAnotherMachineNeedsThePersonsWordUntilItRunsOut(t *testing.T) {
	d := newDesk(t)
	made, err := d.CreateTask(t.Context(), board.NewTask{Title: "x", Assignee: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Claim(t.Context(), board.ClaimRequest{Target: board.Target{ID: made.ID}, Lock: "elsewhere:1", TTL: 900}); err != nil {
		t.Fatal(err)
	}
	seen, err := d.Look(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Requeue(t.Context(), seen, false, ""); !errors.Is(err, operator.ErrCannotTell) {
		t.Errorf("requeued without a word: %v", err)
	}
	d.now += 901
	if seen, err = d.Look(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Requeue(t.Context(), seen, false, ""); err != nil {
		t.Errorf("a claim that ran out: %v", err)
	}
}
