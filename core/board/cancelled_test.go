package board_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"modernc.org/sqlite"

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

// committing holds, by the path of a board, what is called when a connection to
// it begins to save a transaction.
var committing sync.Map

func init() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, dsn string) error {
		path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
		if fn, wanted := committing.Load(path); wanted {
			conn.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 { fn.(func())(); return 0 })
		}
		return nil
	})
}

// What is answered about a request must be what became of it, also where its
// context ends while it is being saved.
func TestACommitThatHasBegunIsSeenToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, end := fresh(t), func() {}
		committing.Store(path, func() { end() })
		defer committing.Delete(path)
		d := deskAt(t, path)
		id := d.card()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		end = func() {
			cancel()
			synctest.Wait() // until whoever watches the context has seen its end
		}
		err := d.Schedule(ctx, at(id), nil)
		if ctx.Err() == nil {
			t.Fatal("the context did not end while the request was saved")
		}
		if got := d.one("SELECT status FROM tasks"); err != nil || got != "scheduled" {
			t.Errorf("the card is %s, and the answer: %v", got, err)
		}
	})
}

// The context ends when all is written and nothing is saved.
func TestARequestThatIsCutOffBeforeItsCommitSavesNothing(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	before := d.everything()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:1", Before: func(int64) error { cancel(); return nil }})
	if !errors.Is(err, context.Canceled) || d.everything() != before {
		t.Errorf("%v", err)
	}
	if _, err := d.Claim(t.Context(), board.ClaimRequest{Target: at(id), Lock: "here:1"}); err != nil {
		t.Error(err)
	}
}
