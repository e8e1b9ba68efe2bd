package board_test

import (
	"context"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// A context may end at any moment of a request, also while its transaction is
// being begun: the next request must find no transaction left open.
func TestARequestThatIsCutOffLeavesNoTransactionBehind(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	target := board.Target{ID: id, Run: &claim.Run}
	for n := range 500 {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(2*n)*time.Microsecond, cancel)
		if n%2 == 0 {
			_ = d.Heartbeat(ctx, target, "")
		} else {
			_, _ = d.Task(ctx, id)
		}
		timer.Stop()
		cancel()
		if n%2 == 0 {
			d.must(d.Heartbeat(t.Context(), target, ""))
		} else if _, err := d.Task(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}
