package board_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

var ctx = context.Background()

func TestPayloadsAreWrittenByteForByteAsHermesWritesThem(t *testing.T) {
	d := newDesk(t)
	first := d.card()
	id := d.card(under(first), func(n *board.NewTask) { n.Skills, n.GoalMode = []string{"größe", " git "}, true })
	for _, c := range []struct{ kind, want string }{
		{"created", `{"assignee": "alice", "status": "todo", "parents": ["` + first + `"], "creator_task_id": null, "tenant": null, ` +
			`"workspace_kind": "scratch", "workspace_path": null, "branch_name": null, "project_id": null, "skills": ["größe", "git"], ` +
			`"goal_mode": true, "model_override": null, "provider_override": null}`},
		{"dependency_wait", `{"reason": "parent_not_done", "parent": "` + first + `"}`},
	} {
		if got := d.one("SELECT payload FROM task_events WHERE task_id = ? AND kind = ?", id, c.kind); got != c.want {
			t.Errorf("%s\n%s, want\n%s", c.kind, got, c.want)
		}
	}
	if got, want := d.one("SELECT skills FROM tasks WHERE id = ?", id), `["gr\u00f6\u00dfe", "git"]`; got != want {
		t.Errorf("skills %s, want %s", got, want)
	}
	claim, err := d.Claim(ctx, board.ClaimRequest{Target: at(first), Lock: "here:1", TTL: 60})
	d.must(err)
	if got, want := d.said(first), fmt.Sprintf(`{"lock": "here:1", "expires": %d, "run_id": %d}`, d.now+60, claim.Run); got != want {
		t.Errorf("claimed %s, want %s", got, want)
	}
	_, err = d.Reclaim(ctx, board.ReclaimRequest{Target: at(first), Stop: core.Termination{HostLocal: true, SignalRefused: true}})
	d.must(err)
	want := `{"manual": true, "reason": null, "prev_lock": "here:1", "retry_status": "ready", "prev_pid": null, "host_local": true, ` +
		`"termination_attempted": false, "terminated": false, "sigkill": false, "signal_refused": true}`
	if got := d.said(first); got != want {
		t.Errorf("reclaimed %s, want %s", got, want)
	}
	d.must(d.Complete(ctx, board.Completion{
		Target: at(first), Result: new("<a> & ü\u2028b"), Metadata: json.RawMessage(`{"b":[1,{"x":"\u00fc <"}],"artifacts":["/a b",7]}`),
	}))
	if got, want := d.one("SELECT payload FROM task_events WHERE kind = 'completed'"),
		`{"result_len": 9, "summary": "<a> & ü", "artifacts": ["/a b"]}`; got != want {
		t.Errorf("completed %s, want %s", got, want)
	}
	if got, want := d.one("SELECT metadata FROM task_runs WHERE outcome = 'completed'"),
		`{"b": [1, {"x": "ü <"}], "artifacts": ["/a b", 7]}`; got != want {
		t.Errorf("metadata %s, want %s", got, want)
	}
}

func TestThePersonWhoAsksIsTheLastKeyOfTheEvent(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	target := board.Target{ID: id, Actor: "ann"}
	d.must(d.Schedule(ctx, target, nil))
	if got, want := d.said(id), `{"reason": null, "actor": "ann"}`; got != want {
		t.Errorf("scheduled %s, want %s", got, want)
	}
	_, err := d.Unblock(ctx, target)
	d.must(err)
	if got, want := d.said(id), `{"actor": "ann"}`; got != want {
		t.Errorf("unblocked %s, want %s", got, want)
	}
}

func TestAClaimKeepsWhatAWorkerLeftUnlessItIsAskedToBeFresh(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		d := newDesk(t)
		id := d.card()
		d.sql("UPDATE tasks SET last_heartbeat_at = 7, worker_pid = 8, worker_started_at = 'x|9' WHERE id = ?", id)
		claim, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:1", Fresh: fresh})
		d.must(err)
		task := claim.Task
		if (task.LastHeartbeat == nil) != fresh || (task.WorkerPID == nil) != fresh || (task.WorkerStarted == nil) != fresh {
			t.Errorf("fresh %v: heartbeat %v, pid %v, fingerprint %v", fresh, task.LastHeartbeat, task.WorkerPID, task.WorkerStarted)
		}
		if got := d.one("SELECT last_heartbeat_at FROM task_runs"); got != "NULL" {
			t.Errorf("the run begins with the heartbeat %s", got)
		}
	}
}

func TestAnArchivedParentIsFinishedForEverythingButCreation(t *testing.T) {
	d := newDesk(t)
	d.insert("t_archived", "archived")
	d.insert("t_open", "todo")
	d.insert("t_done", "done")
	if got := d.state(d.card(under("t_done"))).Status; got != core.Ready {
		t.Errorf("a child of a done card is created as %s, want ready", got)
	}
	id := d.card(under("t_archived"))
	if got := d.state(id).Status; got != core.Todo {
		t.Errorf("created as %s, want todo", got)
	}
	if got := d.kinds(id); got != "created" {
		t.Errorf("events %q, want no wait recorded", got)
	}
	blocked, ready := d.card(), d.card()
	_, err := d.Block(ctx, board.BlockRequest{Target: at(blocked), Reason: new("why")})
	d.must(err)
	for _, child := range []string{blocked, ready} {
		demoted, err := d.Link(ctx, "t_archived", at(child))
		d.must(err)
		if demoted {
			t.Error("the link to an archived card sent its child back")
		}
	}
	to, err := d.Unblock(ctx, at(blocked))
	d.must(err)
	if to != core.Ready {
		t.Errorf("unblocked to %s, want ready", to)
	}
	d.must(d.Promote(ctx, at(id), nil))
	demoted, err := d.Link(ctx, "t_open", at(id))
	d.must(err)
	if got := d.state(id).Status; got != core.Todo || !demoted {
		t.Errorf("linked to an open card: %s, demoted %v", got, demoted)
	}
	if err := d.Promote(ctx, at(id), nil); !errors.Is(err, board.ErrOpenParents) {
		t.Errorf("promote: %v", err)
	}
}

func TestACardStartsWhenTheLastOfAThousandParentsIsDone(t *testing.T) {
	d := newDesk(t)
	parents := make([]string, 1000)
	for i := range parents {
		parents[i] = fmt.Sprintf("t_p%d", i)
	}
	d.sql("WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 999) " +
		"INSERT INTO tasks(id, title, status, created_at) SELECT 't_p' || i, 'parent', 'ready', 1 FROM c")
	id := d.card(under(parents...))
	d.sql("UPDATE tasks SET status = CASE rowid % 2 WHEN 0 THEN 'done' ELSE 'archived' END WHERE id LIKE 't_p%' AND id NOT IN ('t_p0', 't_p999')")
	d.must(d.Complete(ctx, board.Completion{Target: at("t_p0"), Result: new("done")}))
	if got := d.state(id).Status; got != core.Todo {
		t.Errorf("%s although one parent is open", got)
	}
	_, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:1"})
	if !errors.Is(err, board.ErrOpenParents) || !strings.Contains(err.Error(), "t_p999") {
		t.Errorf("claim: %v, want the open parent named", err)
	}
	d.must(d.Complete(ctx, board.Completion{Target: at("t_p999"), Result: new("done")}))
	if got := d.state(id).Status; got != core.Ready {
		t.Errorf("%s, want ready", got)
	}
}

func TestAnIDWithQuotesIsAnIDLikeAnyOther(t *testing.T) {
	d := newDesk(t)
	odd := `t_'"; DROP TABLE tasks; --` + "\n" + `?1 ü`
	d.insert(odd, "ready")
	child := d.card(under(odd))
	_, err := d.Comment(ctx, at(odd), "ann", "hello")
	d.must(err)
	claim, err := d.Claim(ctx, board.ClaimRequest{Target: at(odd), Lock: "here:1"})
	d.must(err)
	d.must(d.Complete(ctx, board.Completion{Target: board.Target{ID: odd, Run: &claim.Run}, Result: new("done")}))
	if got := d.state(child).Status; got != core.Ready {
		t.Errorf("its child is %s, want ready", got)
	}
	d.must(d.Delete(ctx, at(odd)))
	if n := d.one("SELECT count(*) FROM task_links"); n != "0" {
		t.Errorf("%s links left", n)
	}
}

func TestLinksNeverMakeACircle(t *testing.T) {
	d := newDesk(t)
	a, b, c := d.card(), d.card(), d.card()
	for _, l := range [][2]string{{a, b}, {b, c}} {
		_, err := d.Link(ctx, l[0], at(l[1]))
		d.must(err)
	}
	before := d.everything()
	for _, l := range [][2]string{{c, a}, {b, a}, {a, a}} {
		if _, err := d.Link(ctx, l[0], at(l[1])); !errors.Is(err, core.ErrRefused) && !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%v: %v, want it refused", l, err)
		}
	}
	if d.everything() != before {
		t.Error("a refused link changed rows")
	}
	// A circle that another program made does not make the question endless.
	d.sql("INSERT INTO task_links VALUES(?, ?)", c, a)
	d.insert("t_else", "done")
	if _, err := d.Link(ctx, "t_else", at(a)); err != nil {
		t.Error(err)
	}
}

func TestARunningChildIsLinkedOnlyByItsOwnRun(t *testing.T) {
	d := newDesk(t)
	first := d.card()
	id, claim := d.claimed()
	if _, err := d.Link(ctx, first, at(id)); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused", err)
	}
	_, err := d.Link(ctx, first, board.Target{ID: id, Run: &claim.Run})
	d.must(err)
	to, err := d.Block(ctx, board.BlockRequest{Target: board.Target{ID: id, Run: &claim.Run}, Kind: "dependency", Reason: new("needs it")})
	d.must(err)
	if to != core.Todo {
		t.Errorf("blocked to %s, want todo", to)
	}
}

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

func TestACardThatAPersonHoldsIsNotPromoted(t *testing.T) {
	d := newDesk(t)
	for id, events := range map[string][][2]string{
		"t_blocked":   {{"unblocked", ""}, {"blocked", `{"reason": "x"}`}},
		"t_sticky":    {{"unblocked", ""}, {"gave_up", `{"sticky": true}`}},
		"t_released":  {{"gave_up", `{"sticky": true}`}, {"unblocked", ""}},
		"t_garbage":   {{"gave_up", `{"sticky": tr`}, {"heartbeat", "not JSON"}},
		"t_tripped":   {},
		"t_own_limit": {},
		"t_todo":      {{"dependency_wait", `{"source_status": "review"}`}},
	} {
		status := "blocked"
		if id == "t_todo" {
			status = "todo"
		}
		d.insert(id, status)
		for _, e := range events {
			d.sql("INSERT INTO task_events(task_id, kind, payload, created_at) VALUES(?, ?, nullif(?, ''), 1)", id, e[0], e[1])
		}
	}
	d.sql("UPDATE tasks SET consecutive_failures = 2 WHERE id IN ('t_tripped', 't_own_limit')")
	d.sql("UPDATE tasks SET max_retries = 3 WHERE id = 't_own_limit'")
	moved, err := d.Recompute(ctx, 2)
	d.must(err)
	slices.Sort(moved)
	if got, want := strings.Join(moved, " "), "t_garbage t_own_limit t_released t_todo"; got != want {
		t.Errorf("moved %s, want %s", got, want)
	}
	if got := d.state("t_todo").Status; got != core.Review {
		t.Errorf("%s, want review, where it came from", got)
	}
	again, err := d.Recompute(ctx, 2)
	d.must(err)
	if len(again) > 0 {
		t.Errorf("moved %v again", again)
	}
}

func TestValuesOfAnUnusableTypeHoldTheirCardAndNoOther(t *testing.T) {
	d := newDesk(t)
	for _, id := range []string{"t_odd_failures", "t_odd_run", "t_odd_pid", "t_fine"} {
		d.insert(id, "ready")
	}
	d.sql("UPDATE tasks SET status = 'blocked', consecutive_failures = 'many' WHERE id = 't_odd_failures'")
	d.sql("UPDATE tasks SET current_run_id = 'none', created_at = 'yesterday', priority = x'ff' WHERE id = 't_odd_run'")
	d.sql("UPDATE tasks SET status = 'running', claim_lock = 'here:1', claim_expires = 'soon', worker_pid = 'who' WHERE id = 't_odd_pid'")
	d.sql("UPDATE tasks SET title = x'fffe', started_at = 'long ago' WHERE id = 't_fine'")
	before := d.everything()
	if moved, err := d.Recompute(ctx, 2); err != nil || len(moved) > 0 {
		t.Errorf("moved %v (%v)", moved, err)
	}
	for what, ask := range map[string]func() error{
		"claim": func() error {
			_, err := d.Claim(ctx, board.ClaimRequest{Target: at("t_odd_run"), Lock: "here:1"})
			return err
		},
		"reclaim":  func() error { _, err := d.Reclaim(ctx, board.ReclaimRequest{Target: at("t_odd_pid")}); return err },
		"complete": func() error { return d.Complete(ctx, board.Completion{Target: at("t_odd_pid"), Result: new("x")}) },
	} {
		if err := ask(); !errors.Is(err, core.ErrRefused) {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	if d.everything() != before {
		t.Error("an odd value was changed")
	}
	_, err := d.Claim(ctx, board.ClaimRequest{Target: at("t_fine"), Lock: "here:1"})
	d.must(err)
	if got := d.one("SELECT started_at FROM tasks WHERE id = 't_fine'"); got != "long ago" {
		t.Errorf("started_at was corrected to %s", got)
	}
}

func TestABoardOfTheFirstReleaseTakesWhatItCan(t *testing.T) {
	d := newDesk(t)
	for _, index := range []string{"idx_tasks_session_id", "idx_events_run"} {
		d.sql("DROP INDEX " + index)
	}
	for _, column := range []string{
		"session_id", "goal_mode", "goal_max_turns", "max_retries", "model_override", "provider_override", "reasoning_effort", "skills",
		"branch_name", "project_id", "current_run_id", "worker_started_at", "block_kind", "block_recurrences", "completion_contract",
	} {
		d.sql("ALTER TABLE tasks DROP COLUMN " + column)
	}
	d.sql("ALTER TABLE task_events DROP COLUMN run_id")
	d.sql("ALTER TABLE tasks RENAME COLUMN consecutive_failures TO spawn_failures")
	d.sql("ALTER TABLE tasks RENAME COLUMN last_failure_error TO last_spawn_error")
	d.sql("DROP TABLE task_attachments")
	parent := d.card(func(n *board.NewTask) { n.Skills, n.GoalMode = []string{"git"}, true })
	id := d.card(under(parent))
	_, err := d.Comment(ctx, at(id), "ann", "hello")
	d.must(err)
	d.must(d.Edit(ctx, board.EditRequest{Target: at(id), Body: new("text"), Priority: new(int64(3))}))
	d.must(d.Assign(ctx, at(id), "bob"))
	if _, err := d.Claim(ctx, board.ClaimRequest{Target: at(parent), Lock: "here:1"}); !errors.Is(err, board.ErrTooOld) {
		t.Errorf("claim: %v, want the board too old", err)
	}
	_, err = d.Block(ctx, board.BlockRequest{Target: at(parent), Reason: new("why")})
	d.must(err)
	_, err = d.Unblock(ctx, at(parent))
	d.must(err)
	d.must(d.Complete(ctx, board.Completion{Target: at(parent), Result: new("done")}))
	if got := d.state(id).Status; got != core.Ready {
		t.Errorf("the child is %s, want ready", got)
	}
	_, err = d.Archive(ctx, at(id), nil)
	d.must(err)
	d.must(d.DeleteArchived(ctx, at(id)))
}

func TestACardOfAnUnknownStatusIsLeftAlone(t *testing.T) {
	d := newDesk(t)
	d.insert("t_new", "watching")
	d.insert("t_parent", "watching")
	before := d.everything()
	for what, ask := range d.transitions(at("t_new")) {
		switch what {
		case "edit", "assign", "reassign", "comment", "link", "unlink", "archive", "delete":
			continue // they are for a card of any status
		}
		if err := ask(); !errors.Is(err, core.ErrRefused) {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	if d.everything() != before {
		t.Error("rows changed")
	}
}

func TestOnlyTheChildrenOfAFinishedCardAreLookedAt(t *testing.T) {
	for _, all := range []bool{false, true} {
		d := newDesk(t, func(o *board.Options) { o.PromoteAll = all })
		parent := d.card()
		child := d.card(under(parent))
		d.insert("t_elsewhere", "todo")
		d.must(d.Complete(ctx, board.Completion{Target: at(parent), Result: new("done")}))
		if got := d.state(child).Status; got != core.Ready {
			t.Errorf("the child is %s, want ready", got)
		}
		if got := d.state("t_elsewhere").Status; (got == core.Ready) != all {
			t.Errorf("whole board %v: the other card is %s", all, got)
		}
	}
}

func TestTheChildrenOfARunningCardGoOnWhenItsWorkerIsStopped(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	d.sql("UPDATE tasks SET worker_pid = 4711, worker_started_at = 'boot|1' WHERE id = ?", id)
	child := d.card(under(id))
	a, err := d.Archive(ctx, at(id), nil)
	d.must(err)
	if !a.WasRunning || *a.WorkerPID != 4711 || *a.WorkerStarted != "boot|1" || *a.ClaimLock != "here:1" || *a.Run != claim.Run {
		t.Errorf("%+v does not name the worker", a)
	}
	d.must(d.RecordArchiveTermination(ctx, a, core.Termination{PrevPID: a.WorkerPID, HostLocal: true, Attempted: true, Terminated: true}))
	if got := d.kinds(id); got != "created claimed archived archive_worker_termination" {
		t.Errorf("events %q", got)
	}
	if got := d.state(child).Status; got != core.Ready {
		t.Errorf("the child is %s, want ready", got)
	}
}

func TestDeletingACardLeavesNothingOfItAndLetsItsChildrenGo(t *testing.T) {
	d := newDesk(t)
	id, _ := d.claimed()
	child := d.card(under(id))
	d.sql("INSERT INTO kanban_notify_subs(task_id, platform, chat_id, created_at) VALUES(?, 'tui', '1', 1)", id)
	_, err := d.Comment(ctx, at(id), "ann", "hello")
	d.must(err)
	if err := d.DeleteArchived(ctx, at(id)); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused: it is not archived", err)
	}
	d.must(d.Delete(ctx, at(id)))
	if strings.Contains(d.everything(), id) {
		// The child's own "created" event names its parent, as Hermes leaves it.
		d.sql("DELETE FROM task_events WHERE task_id = ?", child)
		if rest := d.everything(); strings.Contains(rest, id) {
			t.Errorf("left:\n%s", rest)
		}
	}
	if got := d.state(child).Status; got != core.Ready {
		t.Errorf("the child is %s, want ready", got)
	}
}

func TestASubscriberOfAParentHearsOfTheChildFromNowOn(t *testing.T) {
	d := newDesk(t)
	parent, creator := d.card(), d.card(func(n *board.NewTask) { n.SessionID = "s1" })
	d.sql(`INSERT INTO kanban_notify_subs(task_id, platform, chat_id, thread_id, user_id, chat_type, delivery_mode, notify_progress,
		delivery_metadata, created_at, last_event_id, last_ping_event_id) VALUES(?, 'telegram', '1', 't', 'u', NULL, 'notify+wake', 1, '{}', 5, 9, 8)`, parent)
	d.sql("INSERT INTO kanban_notify_subs(task_id, platform, chat_id, chat_type, created_at) VALUES(?, 'tui', '2', 'group', 5)", creator)
	id := d.card(under(parent), func(n *board.NewTask) { n.CreatorTask = creator })
	if got := d.state(id).SessionID; got != "s1" {
		t.Errorf("session %q, want the creator's", got)
	}
	cursor := d.one("SELECT max(id) FROM task_events WHERE task_id = ?", id)
	for platform, want := range map[string]string{
		"telegram": "1 t u dm notify+wake 0 {} " + fmt.Sprint(d.now) + " " + cursor + " 0",
		"tui":      "2  - group notify 0 - " + fmt.Sprint(d.now) + " " + cursor + " 0",
	} {
		got := d.one(`SELECT concat_ws(' ', chat_id, thread_id, coalesce(user_id, '-'), chat_type, delivery_mode, notify_progress,
			coalesce(delivery_metadata, '-'), created_at, last_event_id, last_ping_event_id)
			FROM kanban_notify_subs WHERE task_id = ? AND platform = ?`, id, platform)
		if got != want {
			t.Errorf("%s: %q, want %q", platform, got, want)
		}
	}
	other := d.card()
	_, err := d.Link(ctx, parent, at(other))
	d.must(err)
	if got, want := d.one("SELECT last_event_id FROM kanban_notify_subs WHERE task_id = ?", other),
		d.one("SELECT max(id) FROM task_events WHERE kind = 'linked'"); got != want {
		t.Errorf("the cursor stands at %s, want %s, after the link", got, want)
	}
}

func TestAKeyMakesOneCardUntilItIsArchived(t *testing.T) {
	d := newDesk(t)
	n := board.NewTask{Title: "once", IdempotencyKey: "k"}
	first, err := d.CreateTask(ctx, n)
	d.must(err)
	before := d.everything()
	again, err := d.CreateTask(ctx, n)
	d.must(err)
	if again.ID != first.ID || !again.Found || first.Found || again.Status != core.Ready {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if d.everything() != before {
		t.Error("the second request wrote rows")
	}
	_, err = d.Archive(ctx, at(first.ID), nil)
	d.must(err)
	if third, err := d.CreateTask(ctx, n); err != nil || third.Found {
		t.Errorf("after archiving: %+v (%v)", third, err)
	}
}

func TestACardThatMakesNoSenseIsNotMade(t *testing.T) {
	d := newDesk(t)
	for name, n := range map[string]board.NewTask{
		"no title":               {Title: " \n"},
		"unknown workspace":      {Title: "x", WorkspaceKind: "cloud"},
		"branch without tree":    {Title: "x", BranchName: "b"},
		"provider without model": {Title: "x", Provider: "p"},
		"two skills in one":      {Title: "x", Skills: []string{"a,b"}},
	} {
		if _, err := d.CreateTask(ctx, n); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%s: %v, want it invalid", name, err)
		}
	}
	if _, err := d.CreateTask(ctx, board.NewTask{Title: "x", Parents: []string{"t_none"}}); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("%v, want the parent not found", err)
	}
	if d.ids != 0 {
		t.Errorf("%d ids were drawn", d.ids)
	}
}

func TestAnIDThatIsTakenIsDrawnAgain(t *testing.T) {
	d := newDesk(t)
	d.insert("t_f0000001", "todo")
	if id := d.card(); id != "t_f0000002" {
		t.Errorf("the card got the id %s", id)
	}
}

func TestAReassignmentTakesTheCardAndForgetsFailuresInOneStep(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	if err := d.Assign(ctx, at(id), "bob"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused while it runs", err)
	}
	d.must(d.Reassign(ctx, board.ReclaimRequest{Target: board.Target{ID: id, Run: &claim.Run}, Reason: new("slow")}, " BOB "))
	task := d.state(id)
	if task.Assignee != "bob" || task.Status != core.Ready || task.ClaimLock != nil || task.CurrentRun != nil {
		t.Errorf("%+v", task)
	}
	if got, want := d.said(id), `{"assignee": "bob", "from": "alice"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.must(d.Reassign(ctx, board.ReclaimRequest{Target: at(id)}, ""))
	if got := d.one("SELECT assignee FROM tasks WHERE id = ?", id); got != "NULL" {
		t.Errorf("assignee %s, want nobody", got)
	}
}

func TestAReclaimMayKeepTheFailures(t *testing.T) {
	for _, keep := range []bool{false, true} {
		d := newDesk(t)
		id, _ := d.claimed()
		d.sql("UPDATE tasks SET consecutive_failures = 1, last_failure_error = 'x' WHERE id = ?", id)
		_, err := d.Reclaim(ctx, board.ReclaimRequest{Target: at(id), Reason: new("why"), KeepFailures: keep})
		d.must(err)
		if task := d.state(id); (task.Failures == 1) != keep || (task.LastError == "x") != keep {
			t.Errorf("keep %v: %d failures, %q", keep, task.Failures, task.LastError)
		}
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

func TestOnlyTheOwnerOfALockExtendsIt(t *testing.T) {
	d := newDesk(t)
	id, claim := d.claimed()
	if _, err := d.ExtendClaim(ctx, at(id), "there:1", 60); !errors.Is(err, core.ErrRefused) {
		t.Errorf("%v, want it refused", err)
	}
	d.now += 100
	expires, err := d.ExtendClaim(ctx, at(id), "here:1", 60)
	d.must(err)
	if got := d.one("SELECT claim_expires FROM task_runs WHERE id = ?", claim.Run); expires != d.now+60 || got != fmt.Sprint(expires) {
		t.Errorf("expires %d, run %s", expires, got)
	}
}

func TestARunThatACardLostIsClosedBeforeTheCardGoesOn(t *testing.T) {
	for status, c := range map[string]struct {
		ask  func(*desk, string) error
		note string
	}{
		"ready": {func(d *desk, id string) error {
			_, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:2"})
			return err
		}, "invariant recovery on re-claim"},
		"blocked": {func(d *desk, id string) error { _, err := d.Unblock(ctx, at(id)); return err }, "invariant recovery on unblock"},
		"review":  {func(d *desk, id string) error { _, err := d.ReopenReview(ctx, at(id)); return err }, "invariant recovery on review reopen"},
	} {
		t.Run(status, func(t *testing.T) {
			d := newDesk(t)
			id, claim := d.claimed()
			d.sql("UPDATE tasks SET status = ?, claim_lock = NULL, claim_expires = NULL WHERE id = ?", status, id)
			d.must(c.ask(d, id))
			if got, want := d.one("SELECT concat_ws(' ', outcome, status, ended_at, summary, claim_lock) FROM task_runs WHERE id = ?", claim.Run),
				fmt.Sprintf("reclaimed reclaimed %d %s", d.now, c.note); got != want {
				t.Errorf("the lost run: %q, want %q", got, want)
			}
			if run := d.state(id).CurrentRun; run != nil && *run == claim.Run {
				t.Error("the card still points to it")
			}
		})
	}
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
