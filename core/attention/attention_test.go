package attention_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/attention"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// post is a real board with somebody who watches it.
type post struct {
	t *testing.T
	*board.Board
	*attention.Watch
	clock int64
	calls []attention.Call
	fails error
}

func newPost(t *testing.T) *post {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kanban.db")
	p := &post{t: t, clock: 1000}
	p.must(board.Create(t.Context(), path, time.Second))
	ids := 0
	b, err := board.Open(t.Context(), path, board.Options{Now: func() int64 { return p.clock }, Busy: time.Second, NewID: func() string {
		ids++
		return fmt.Sprintf("t_%08x", ids)
	}})
	p.must(err)
	t.Cleanup(func() { p.must(b.Close()) })
	p.Board = b
	p.Watch = &attention.Watch{
		Board: b, Now: func() int64 { return p.clock },
		Served: func(task core.Task) bool { return task.Assignee == "reviewer" },
		Tell: func(_ context.Context, c attention.Call) error {
			p.calls = append(p.calls, c)
			return p.fails
		},
	}
	return p
}

func (p *post) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) card(assignee string) string {
	p.t.Helper()
	made, err := p.CreateTask(p.t.Context(), board.NewTask{Title: "the card of " + assignee, Assignee: assignee})
	p.must(err)
	return made.ID
}

func (p *post) block(id, reason string) { p.blockAs(id, "", reason) }

func (p *post) blockAs(id, kind, reason string) {
	p.t.Helper()
	r := board.BlockRequest{Target: board.Target{ID: id}, Kind: kind}
	if reason != "" {
		r.Reason = &reason
	}
	_, err := p.Block(p.t.Context(), r)
	p.must(err)
}

func (p *post) unblock(id string) {
	p.t.Helper()
	_, err := p.Unblock(p.t.Context(), board.Target{ID: id})
	p.must(err)
}

// round is one look with its calls.
func (p *post) round(more ...attention.Call) []attention.Call {
	p.t.Helper()
	p.calls = nil
	p.must(p.Look(p.t.Context(), more))
	if err := p.Watch.Call(p.t.Context()); !errors.Is(err, p.fails) {
		p.t.Error(err)
	}
	return p.calls
}

func (p *post) expect(got []attention.Call, want ...attention.Call) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Error(diff)
	}
}

func TestWhatWasThereBeforeIsNoNews(t *testing.T) {
	p := newPost(t)
	p.block(p.card("dev"), "old")
	p.expect(p.round())
	p.expect(p.round())
}

func TestACardIsToldOfOnceForEachReasonUntilSomebodyActs(t *testing.T) {
	p := newPost(t)
	id := p.card("dev")
	p.expect(p.round())
	p.block(id, "which colour?\nred or blue")
	asked := attention.Call{Task: id, Title: "the card of dev", Reason: "blocked: which colour?"}
	p.expect(p.round(), asked)
	p.expect(p.round())
	p.unblock(id)
	p.blockAs(id, "transient", "which colour?")
	p.expect(p.round(), asked)
	p.unblock(id)
	p.blockAs(id, "needs_input", "")
	p.expect(p.round(), attention.Call{Task: id, Title: "the card of dev", Reason: "blocked"})
}

func TestACardThatComesBackBlockedAgainAndAgainIsToldOfInTriage(t *testing.T) {
	p := newPost(t)
	id := p.card("dev")
	p.expect(p.round())
	p.block(id, "no token")
	p.round()
	p.unblock(id)
	p.block(id, "no token")
	p.expect(p.round(), attention.Call{Task: id, Title: "the card of dev", Reason: "blocked again and again: no token"})
}

func TestAReviewIsToldOfOnlyWhereNobodyIsStartedForIt(t *testing.T) {
	p := newPost(t)
	nobody, served := p.card("ann"), p.card("dev")
	p.expect(p.round())
	p.must(p.RequestReview(t.Context(), board.ReviewRequest{Target: board.Target{ID: nobody}}))
	p.must(p.RequestReview(t.Context(), board.ReviewRequest{Target: board.Target{ID: served}, Reviewer: "reviewer"}))
	p.expect(p.round(), attention.Call{Task: nobody, Title: "the card of ann", Reason: "waits for review"})
}

func TestACardThatSomebodyWasQuickerWithIsNotToldOf(t *testing.T) {
	p := newPost(t)
	id := p.card("dev")
	p.expect(p.round())
	p.block(id, "help")
	p.unblock(id)
	p.expect(p.round())
}

func TestAQuarantinedJournalIsToldOfAlsoOfACardThatIsGone(t *testing.T) {
	p := newPost(t)
	call := attention.Call{Task: "t_gone", Reason: "quarantined: foreign journal"}
	p.expect(p.round(call), call)
	p.expect(p.round(call))
}

func TestASlowCommandLeavesTheRestToTheNextRound(t *testing.T) {
	p := newPost(t)
	var ids []string
	for range 3 {
		ids = append(ids, p.card("dev"))
	}
	p.expect(p.round())
	tell := p.Tell
	p.Tell = func(ctx context.Context, c attention.Call) error {
		p.clock += 6
		return tell(ctx, c)
	}
	for _, id := range ids {
		p.block(id, "")
	}
	if got := p.round(); len(got) != 2 {
		t.Errorf("%d calls in one round", len(got))
	}
	if got := p.round(); len(got) != 1 || got[0].Task != ids[2] {
		t.Errorf("then %+v", got)
	}
}

func TestFailuresAreReportedOnceUntilACallSucceeds(t *testing.T) {
	p := newPost(t)
	p.must(p.Look(t.Context(), nil))
	broken := errors.New("no such program")
	for i, c := range []struct {
		fails  error
		report bool
	}{{broken, true}, {broken, false}, {nil, false}, {broken, true}} {
		p.fails = c.fails
		p.must(p.Look(t.Context(), []attention.Call{{Task: "t_x", Reason: fmt.Sprint("quarantined: ", i)}}))
		if err := p.Watch.Call(t.Context()); (err != nil) != c.report {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestEventsOfAnotherFileInTheBoardsPlaceAreNoNews(t *testing.T) {
	p := newPost(t)
	p.expect(p.round())
	other := newPost(t)
	other.block(other.card("dev"), "old")
	other.block(other.card("dev"), "old")
	p.must(other.Close())
	p.must(os.Rename(other.Path(), p.Path()))
	if _, err := p.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.expect(p.round())
}

// script writes a program.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func shout(s string) string { return strings.ToUpper(s) }

func TestTheCommandGetsTheCardInItsEnvironmentAndNothingElse(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := attention.Command{
		Argv: []string{script(t, `{ echo "$#:$1"; cat; echo "$HERMES_TUI_CARD|$HERMES_TUI_CARD_TITLE|$HERMES_TUI_REASON|$HERMES_TUI_BOARD|$KEPT"; } > "$OUT"`), "$(touch x); `id`"},
		Env:  []string{"OUT=" + out, "KEPT=kept", "HERMES_TUI_CARD=old"}, Board: "swe", Clean: shout,
	}
	call := attention.Call{Task: "t_1", Title: "$(rm -rf /) " + strings.Repeat("é", 500), Reason: "blocked: `why`"}
	if err := c.Tell(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := "1:$(touch x); `id`\nT_1|$(RM -RF /) " + strings.Repeat("É", 388) + "|BLOCKED: `WHY`|SWE|kept\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestACommandThatFailsIsNamed(t *testing.T) {
	for _, argv := range [][]string{{script(t, "exit 3")}, {filepath.Join(t.TempDir(), "missing")}} {
		c := attention.Command{Argv: argv, Clean: shout}
		if err := c.Tell(t.Context(), attention.Call{}); err == nil || !strings.Contains(err.Error(), argv[0]) {
			t.Errorf("%v", err)
		}
	}
}

func TestACommandThatHangsIsKilledWithWhatItStarted(t *testing.T) {
	alive := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(alive, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// The one that it starts holds the writing end as long as it lives.
	c := attention.Command{Argv: []string{script(t, `exec 7> `+alive+`; sleep 600 & wait`)}, Clean: shout, Time: 300 * time.Millisecond}
	if err := c.Tell(t.Context(), attention.Call{}); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("%v", err)
	}
	if _, err := io.ReadAll(r); err != nil { // comes back when nobody holds the other end any more
		t.Error(err)
	}
}
