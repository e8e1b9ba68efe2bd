package board_test

import (
	"errors"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

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

func TestACheckNamesTheCardsWhoseValuesHaveAnUnusableType(t *testing.T) {
	d := newDesk(t)
	d.insert("t_odd", "running")
	d.sql("UPDATE tasks SET current_run_id = 'none' WHERE id = 't_odd'")
	d.sql("INSERT INTO tasks(id, title, status, created_at) VALUES (NULL, 'no id', 'running', 1)")
	violations, err := d.Check(ctx)
	d.must(err)
	if len(violations) != 2 || violations[0].Rule != "a running card points to its open run" {
		t.Errorf("found %+v", violations)
	}
}
