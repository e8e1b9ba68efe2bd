package board_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestNothingIsWrittenToACardThatIsNotWhatThePersonSaw(t *testing.T) {
	for name, alter := range map[string]func(*core.Seen){
		"another status": func(s *core.Seen) { s.Status = core.Blocked },
		"another run":    func(s *core.Seen) { s.RunID = new(int64(77)) },
		"no run":         func(s *core.Seen) { s.RunID = nil },
		"another lock":   func(s *core.Seen) { s.ClaimLock = new("there:9") },
		"another file":   func(s *core.Seen) { s.Generation++ },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.insert("t_parent", "todo")
			id, _ := d.claimed()
			task := d.state(id)
			seen := task.See()
			alter(&seen)
			before := d.everything()
			for what, ask := range d.transitions(board.Target{ID: id, Seen: &seen}) {
				if err := ask(); !errors.Is(err, core.ErrChanged) {
					t.Errorf("%s: %v, want it changed", what, err)
				}
			}
			if after := d.everything(); after != before {
				t.Errorf("rows changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

func TestARefusalSaysWhatTheCardIsNow(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	task := d.state(id)
	seen := task.See()
	d.must(d.Schedule(context.Background(), at(id), nil))
	err := d.Promote(context.Background(), board.Target{ID: id, Seen: &seen}, nil)
	if err == nil || !strings.Contains(err.Error(), "it was ready and is now scheduled") || !strings.Contains(err.Error(), id) {
		t.Errorf("%v, want the id, what it was and what it is", err)
	}
}

func TestAWorkerWhoseRunIsOverWritesNothing(t *testing.T) {
	d := newDesk(t)
	d.insert("t_parent", "todo")
	id, old := d.claimed()
	_, err := d.Reclaim(context.Background(), board.ReclaimRequest{Target: at(id)})
	d.must(err)
	_, err = d.Claim(context.Background(), board.ClaimRequest{Target: at(id), Lock: "here:1"})
	d.must(err)
	before := d.everything()
	for what, ask := range d.transitions(board.Target{ID: id, Run: &old.Run}) {
		if err := ask(); !errors.Is(err, core.ErrChanged) {
			t.Errorf("%s: %v, want it changed", what, err)
		}
	}
	if after := d.everything(); after != before {
		t.Errorf("rows changed:\n%s\nbefore:\n%s", after, before)
	}
}

func TestACardThatDoesNotExistIsNotFound(t *testing.T) {
	d := newDesk(t)
	before := d.everything()
	for what, ask := range d.transitions(at("t_nowhere")) {
		if err := ask(); !errors.Is(err, core.ErrNotFound) {
			t.Errorf("%s: %v, want it not found", what, err)
		}
	}
	if after := d.everything(); after != before {
		t.Errorf("rows changed:\n%s", after)
	}
}

func TestACardWithALiveWorkerIsTakenOnlyByForceOrByThatWorker(t *testing.T) {
	pid, mark, other := int64(4711), "boot|1", "boot|2"
	saw := func(v core.Verdict) *core.Sighting {
		return &core.Sighting{PID: &pid, Fingerprint: &mark, Verdict: v, Evidence: "looked"}
	}
	for name, c := range map[string]struct {
		saw   *core.Sighting
		force bool
		run   bool
		want  error
	}{
		"nobody looked":       {want: board.ErrLiveWorker},
		"it lives":            {saw: saw(core.AliveOurs), want: board.ErrLiveWorker},
		"nobody knows":        {saw: saw(core.Unknown), want: board.ErrLiveWorker},
		"it is dead":          {saw: saw(core.Dead)},
		"its pid was reused":  {saw: saw(core.AliveOther)},
		"by force":            {saw: saw(core.AliveOurs), force: true},
		"by the worker":       {run: true},
		"another fingerprint": {saw: &core.Sighting{PID: &pid, Fingerprint: &other, Verdict: core.Dead}, want: core.ErrChanged},
		"another pid":         {saw: &core.Sighting{Fingerprint: &mark, Verdict: core.Dead}, want: core.ErrChanged},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ask := range []func(*desk, board.Target) error{
				func(d *desk, g board.Target) error {
					return d.Complete(context.Background(), board.Completion{Target: g, Result: new("done"), Saw: c.saw, Force: c.force})
				},
				func(d *desk, g board.Target) error {
					return d.RequestReview(context.Background(), board.ReviewRequest{Target: g, Saw: c.saw, Force: c.force})
				},
			} {
				d := newDesk(t)
				id, claim := d.claimed()
				d.sql("UPDATE tasks SET worker_pid = ?, worker_started_at = ? WHERE id = ?", pid, mark, id)
				target := at(id)
				if c.run {
					target.Run = &claim.Run
				}
				before := d.everything()
				err := ask(d, target)
				if !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
				if c.want != nil && d.everything() != before {
					t.Error("a refusal changed rows")
				}
			}
		})
	}
}

func TestATakenCardMustStillNameTheWorkerThatWasStopped(t *testing.T) {
	d := newDesk(t)
	id, _ := d.claimed()
	d.sql("UPDATE tasks SET worker_pid = 4711, worker_started_at = 'boot|1' WHERE id = ?", id)
	before := d.everything()
	stopped := core.Sighting{PID: new(int64(4711)), Fingerprint: new("boot|0")}
	_, err := d.Reclaim(context.Background(), board.ReclaimRequest{Target: at(id), Saw: stopped})
	if !errors.Is(err, core.ErrChanged) {
		t.Errorf("reclaim: %v, want it changed", err)
	}
	if _, err := d.Archive(context.Background(), at(id), &stopped); !errors.Is(err, core.ErrChanged) {
		t.Errorf("archive: %v, want it changed", err)
	}
	if d.everything() != before {
		t.Error("a refusal changed rows")
	}
	stopped.Fingerprint = new("boot|1")
	if _, err := d.Archive(context.Background(), at(id), &stopped); err != nil {
		t.Error(err)
	}
}

// protect makes the board ignore every update and deletion of a card.
func (d *desk) protect(id string) {
	d.sql("CREATE TRIGGER guard BEFORE UPDATE ON tasks WHEN old.id = '" + id + "' BEGIN SELECT RAISE(IGNORE); END")
	d.sql("CREATE TRIGGER guard2 BEFORE DELETE ON tasks WHEN old.id = '" + id + "' BEGIN SELECT RAISE(IGNORE); END")
}

func TestNoEventIsWrittenForARowThatDidNotChange(t *testing.T) {
	for _, status := range []string{"ready", "running", "review", "blocked", "archived", "todo"} {
		t.Run(status, func(t *testing.T) {
			d := newDesk(t)
			d.insert("t_parent", "todo")
			d.insert("t_guarded", status)
			if status == "running" {
				d.sql("UPDATE tasks SET claim_lock = 'here:1', claim_expires = 1 WHERE id = 't_guarded'")
			}
			d.protect("t_guarded")
			before := d.everything()
			for what, ask := range d.transitions(at("t_guarded")) {
				if what == "comment" || what == "link" && status != "ready" || what == "unlink" {
					continue // they change no row of tasks
				}
				if err := ask(); !errors.Is(err, core.ErrRefused) {
					t.Errorf("%s: %v, want it refused", what, err)
				}
			}
			if after := d.everything(); after != before {
				t.Errorf("rows changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

func TestAProtectedCardDoesNotStopOthersFromBeingPromoted(t *testing.T) {
	d := newDesk(t)
	d.insert("t_first", "todo")
	d.insert("t_guarded", "todo")
	d.insert("t_last", "todo")
	d.protect("t_guarded")
	moved, err := d.Recompute(context.Background(), 2)
	d.must(err)
	if got := strings.Join(moved, " "); got != "t_first t_last" {
		t.Errorf("moved %q", got)
	}
	if n := d.one("SELECT count(*) FROM task_events WHERE task_id = 't_guarded'"); n != "0" {
		t.Errorf("%s events of the card that did not move", n)
	}
}

func TestAWriteWaitsForAnotherProgramAndThenHappensOnce(t *testing.T) {
	d := newDesk(t, func(o *board.Options) { o.Busy = time.Minute })
	id := d.card()
	run(t, d.other, "BEGIN IMMEDIATE", "UPDATE tasks SET priority = 9")
	done := make(chan error)
	go func() {
		done <- d.Complete(context.Background(), board.Completion{Target: at(id), Result: new("done")})
	}()
	run(t, d.other, "COMMIT")
	d.must(<-done)
	if got := d.kinds(id); got != "created completed" {
		t.Errorf("events %q", got)
	}
	if got := d.one("SELECT priority || result FROM tasks"); got != "9done" {
		t.Errorf("row %q, want what both wrote", got)
	}
}

func TestAWriteThatWaitedTooLongSaysSoAndLeavesNothing(t *testing.T) {
	d := newDesk(t, func(o *board.Options) { o.Busy = 20 * time.Millisecond })
	d.insert("t_parent", "todo")
	id, _ := d.claimed()
	before := d.everything()
	run(t, d.other, "BEGIN IMMEDIATE")
	for what, ask := range d.transitions(at(id)) {
		if err := ask(); !errors.Is(err, board.ErrBusy) {
			t.Errorf("%s: %v, want it busy", what, err)
		}
	}
	if _, err := d.CreateTask(context.Background(), board.NewTask{Title: "typed with care"}); !errors.Is(err, board.ErrBusy) {
		t.Errorf("create: %v, want it busy", err)
	}
	run(t, d.other, "COMMIT")
	if d.everything() != before {
		t.Error("something was written")
	}
	d.must(d.Edit(context.Background(), board.EditRequest{Target: at(id), Title: new("again")}))
}

func TestNothingIsWrittenIntoAFileThatReplacedTheBoard(t *testing.T) {
	d := newDesk(t)
	d.insert("t_parent", "todo")
	id, _ := d.claimed()
	old := d.path + ".old"
	if err := os.Link(d.path, old); err != nil {
		t.Fatal(err)
	}
	second := newDesk(t)
	second.insert(id, "running")
	d.must(second.other.Close())
	if err := os.Rename(second.path, d.path); err != nil {
		t.Fatal(err)
	}
	before := listing(t, d.path[:strings.LastIndex(d.path, "/")])
	for what, ask := range d.transitions(at(id)) {
		if err := ask(); !errors.Is(err, board.ErrReplaced) {
			t.Errorf("%s: %v, want it replaced", what, err)
		}
	}
	after := listing(t, d.path[:strings.LastIndex(d.path, "/")])
	if before[d.path] != after[d.path] || before[old] != after[old] {
		t.Error("a file was written to")
	}
}

func TestADecisionAboutAReplacedBoardIsRefusedOnTheNewOne(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	task := d.state(id)
	seen := task.See()
	second := newDesk(t)
	second.insert(id, "ready")
	d.must(second.other.Close())
	if err := os.Rename(second.path, d.path); err != nil {
		t.Fatal(err)
	}
	if change, err := d.Poll(context.Background()); err != nil || change != board.Replaced {
		t.Fatal(change, err)
	}
	err := d.Schedule(context.Background(), board.Target{ID: id, Seen: &seen}, nil)
	if !errors.Is(err, core.ErrChanged) || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("%v, want it to say that the file was replaced", err)
	}
}

func TestABoardOpenedForReadingOnlyTakesNoTransition(t *testing.T) {
	d := newDesk(t)
	d.insert("t_parent", "todo")
	id := d.card()
	readOnly := deskAt(t, d.path, func(o *board.Options) { o.ReadOnly = "delegated child" })
	for what, ask := range readOnly.transitions(at(id)) {
		if err := ask(); !errors.Is(err, core.ErrRefused) || !strings.Contains(err.Error(), "delegated child") {
			t.Errorf("%s: %v, want it refused with the reason", what, err)
		}
	}
}
