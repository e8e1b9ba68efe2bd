package board_test

import (
	"errors"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestTheSameBlockAgainAndAgainGoesToTriage(t *testing.T) {
	for kind, want := range map[string][]core.Status{
		"":            {core.Blocked, core.Triage},
		"needs_input": {core.Blocked, core.Triage},
		"dependency":  {core.Blocked, core.Triage}, // without an open parent it asks a person
	} {
		d := newDesk(t)
		id := d.card()
		for i, status := range want {
			to, err := d.Block(ctx, board.BlockRequest{Target: at(id), Kind: kind, Reason: new("why")})
			if err != nil || to != status {
				t.Fatalf("%q, block %d: %s, want %s (%v)", kind, i+1, to, status, err)
			}
			if to == core.Blocked {
				_, err := d.Unblock(ctx, at(id))
				d.must(err)
			}
		}
	}
}

func TestABlockOfTheCircuitBreakerIsGivenAKindInPlace(t *testing.T) {
	d := newDesk(t)
	d.insert("t_parked", "blocked")
	_, err := d.Block(ctx, board.BlockRequest{Target: at("t_parked"), Kind: "capability", Reason: new("no access")})
	d.must(err)
	if got, want := d.said("t_parked"), `{"kind": "capability", "reason": "no access", "classified_in_place": true}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, kind := range []string{"", "transient"} {
		if _, err := d.Block(ctx, board.BlockRequest{Target: at("t_parked"), Kind: kind}); !errors.Is(err, core.ErrRefused) {
			t.Errorf("%q: %v, want it refused", kind, err)
		}
	}
}
