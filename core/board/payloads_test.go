package board_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

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
