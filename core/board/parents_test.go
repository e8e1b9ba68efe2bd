package board_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

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
