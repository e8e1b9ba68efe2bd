package ui

import (
	"context"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

func TestWhatIsOnlyShownIsNotOfferedForRepair(t *testing.T) {
	play(t, 120, 40, func(r *rig) {
		r.deps.Findings = func(context.Context) ([]reconcile.Finding, error) {
			return []reconcile.Finding{{Task: "t_30ab41c9", Kind: "log_missing", Reason: "its worker's log is missing", Action: reconcile.Show}}, nil
		}
		r.deps.Reconcile = func(context.Context, []string) ([]string, error) {
			t.Error("something was repaired")
			return nil, nil
		}
	}, func(r *rig) {
		r.press("x")
		r.want("1 finding", "to look at", "log is missing", "esc close")
		r.wantNot("repair", "requeue t_")
		time.Sleep(time.Second)
		r.press("y")
	})
}

func TestWherePickedCardsAreReconciledTheOthersAreLeft(t *testing.T) {
	var repaired [][]string
	play(t, 120, 40, func(r *rig) {
		r.deps.Findings = func(context.Context) ([]reconcile.Finding, error) {
			var all []reconcile.Finding
			for _, c := range r.board.cards {
				all = append(all, reconcile.Finding{Task: c.ID, Kind: "claim_missing", Reason: "nobody claimed " + c.ID, Action: reconcile.Requeue})
			}
			return all, nil
		}
		r.deps.Reconcile = func(_ context.Context, ids []string) ([]string, error) {
			repaired = append(repaired, ids)
			return ids, nil
		}
	}, func(r *rig) {
		r.press("space", "x")
		r.want("Reconcile 1 picked card: 1 finding", "y repair 1 card")
		time.Sleep(time.Second)
		r.press("y")
	})
	if len(repaired) != 1 || len(repaired[0]) != 1 {
		t.Errorf("repaired %v", repaired)
	}
}
