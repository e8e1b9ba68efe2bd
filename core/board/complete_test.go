package board_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestACompletionMayOnlyClaimCardsThatItsWorkerMade(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	byOwner := d.card(func(n *board.NewTask) { n.CreatedBy = "alice" })
	byCard := d.card(func(n *board.NewTask) { n.CreatedBy = id })
	linked := d.card(under(id), func(n *board.NewTask) { n.CreatedBy = "somebody" })
	foreign := d.card(func(n *board.NewTask) { n.CreatedBy = "somebody" })
	nameless := d.card(under(id))
	err := d.Complete(ctx, board.Completion{
		Target: at(id), Result: new("made\nthem"), CreatedCards: []string{byOwner, foreign, nameless, " ", "t_none", byOwner},
	})
	if !errors.Is(err, board.ErrUnknownCards) {
		t.Fatalf("%v, want the cards refused", err)
	}
	want := fmt.Sprintf(`{"phantom_cards": ["%s", "%s", "t_none"], "verified_cards": ["%s"], "summary_preview": "made"}`, foreign, nameless, byOwner)
	if got := d.said(id); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if got := d.state(id).Status; got != core.Ready {
		t.Errorf("the card is %s", got)
	}
	d.must(d.Complete(ctx, board.Completion{
		Target: at(id), Summary: new("see t_deadbeef12, xt_deadbeef13, ét_deadbeef14, t_deadbeef15é, t_deadbeef16g, t_dead and " + byCard), CreatedCards: []string{byOwner, byCard, linked},
	}))
	want = fmt.Sprintf(`"verified_cards": ["%s", "%s", "%s"]}`, byOwner, byCard, linked)
	if got := d.one("SELECT payload FROM task_events WHERE kind = 'completed'"); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want it to end with\n%s", got, want)
	}
	if got, want := d.one("SELECT payload FROM task_events WHERE kind = 'suspected_hallucinated_references'"),
		`{"phantom_refs": ["t_deadbeef12"], "source": "completion_summary"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestACompletionNeedsSomethingToShow(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	for _, r := range []board.Completion{{}, {Result: new(" \u2029")}, {Summary: new("")}} {
		r.Target = at(id)
		if err := d.Complete(ctx, r); !errors.Is(err, board.ErrNoEvidence) {
			t.Errorf("%v, want it refused", err)
		}
	}
	if got := d.kinds(id); got != "created completion_blocked_empty_result completion_blocked_empty_result completion_blocked_empty_result" {
		t.Errorf("events %q", got)
	}
	d.sql("UPDATE tasks SET result = 'stored before' WHERE id = ?", id)
	d.must(d.Complete(ctx, board.Completion{Target: at(id)}))
	if got := d.one("SELECT result FROM tasks WHERE id = ?", id); got != "NULL" {
		t.Errorf("result %s, want none", got)
	}
}

func TestACompletionContractIsLeftToHermes(t *testing.T) {
	d := newDesk(t)
	id := d.card(func(n *board.NewTask) { n.Contract = "evidence-required" })
	if err := d.Complete(ctx, board.Completion{Target: at(id), Result: new("done")}); !errors.Is(err, board.ErrContract) {
		t.Errorf("%v, want it refused", err)
	}
}

func TestMetadataMustBeAnObject(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	for _, raw := range []string{`[1]`, `"x"`, `{`, `7`} {
		err := d.Complete(ctx, board.Completion{Target: at(id), Result: new("done"), Metadata: json.RawMessage(raw)})
		if !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%s: %v, want it invalid", raw, err)
		}
	}
	d.must(d.Complete(ctx, board.Completion{Target: at(id), Result: new("done"), Metadata: json.RawMessage("null")}))
}

func TestARunThatHasEndedKeepsHowItEnded(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	d.sql("UPDATE task_runs SET status = 'crashed', outcome = 'crashed', ended_at = 5, summary = 'what was' WHERE id = ?", claim.Run)
	d.must(d.Complete(ctx, board.Completion{Target: at(id), Result: new("done by hand")}))
	if got := d.one("SELECT outcome || ended_at || summary FROM task_runs WHERE id = ?", claim.Run); got != "crashed5what was" {
		t.Errorf("the ended run says %q", got)
	}
	if got := d.one("SELECT summary FROM task_runs WHERE outcome = 'completed' AND started_at = ended_at"); got != "done by hand" {
		t.Errorf("the completion is told as %q", got)
	}
	if task := d.state(id); task.CurrentRun != nil {
		t.Errorf("the card points to run %d", *task.CurrentRun)
	}
}

func TestACorrectedResultReachesTheCompletedRun(t *testing.T) {
	d := newDesk(t)
	id, _ := d.claimed()
	if err := d.Edit(ctx, board.EditRequest{Target: at(id), Result: new("x")}); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused before the card is done", err)
	}
	d.must(d.Complete(ctx, board.Completion{Target: at(id), Result: new("old"), Metadata: json.RawMessage(`{"a": 1}`)}))
	d.must(d.Edit(ctx, board.EditRequest{Target: at(id), Result: new("new\nresult"), Title: new("other"), Priority: new(int64(2))}))
	if got := d.one("SELECT summary || metadata FROM task_runs"); got != "new\nresult"+`{"a": 1}` {
		t.Errorf("run %q", got)
	}
	if got, want := d.said(id), `{"fields": ["result", "summary"], "result_len": 10, "summary": "new"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := d.Edit(ctx, board.EditRequest{Target: at(id)}); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want an empty edit refused", err)
	}
}

func TestACorrectionReachesTheNewestCompletedRun(t *testing.T) {
	d := newDesk(t)
	d.insert("t_twice", "done")
	d.sql("INSERT INTO task_runs(id, task_id, status, outcome, started_at, ended_at, summary) VALUES" +
		"(1, 't_twice', 'done', 'completed', 1, 20, 'old'), (2, 't_twice', 'done', 'completed', 1, 90, 'newest'), " +
		"(3, 't_twice', 'done', 'completed', 1, 50, 'older'), (4, 't_twice', 'x', 'crashed', 1, 99, 'x')")
	d.must(d.Edit(ctx, board.EditRequest{Target: at("t_twice"), Result: new("right")}))
	if got := d.one("SELECT group_concat(summary, ' ') FROM (SELECT summary FROM task_runs ORDER BY id)"); got != "old right older x" {
		t.Errorf("summaries %q", got)
	}
}
