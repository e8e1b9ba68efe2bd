package board_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// attempt makes a card with one run that has ended a minute ago.
func (d *desk) attempt(status core.Status, outcome core.Outcome) (string, int64) {
	d.t.Helper()
	id, c := d.claimed()
	d.sql("UPDATE task_runs SET status = ?1, outcome = ?1, error = 'why', ended_at = ?2, claim_expires = NULL WHERE id = ?3", string(outcome), d.now-60, c.Run)
	d.sql("UPDATE tasks SET status = ?, claim_lock = NULL, claim_expires = NULL, current_run_id = NULL, consecutive_failures = 2 WHERE id = ?", string(status), id)
	return id, c.Run
}

func (d *desk) wrote(task string, run any, kind, payload string, at int64) {
	d.t.Helper()
	d.sql("INSERT INTO task_events(task_id, run_id, kind, payload, created_at) VALUES(?, ?, ?, ?, ?)", task, run, kind, payload, at)
}

func resultOf(id string, run int64) board.RunResult {
	return board.RunResult{Task: id, Run: run, Result: new("the result"), Summary: new("the summary")}
}

func TestAResultIsJudgedByTheFirstRuleThatFits(t *testing.T) {
	long := int64(60)
	for _, c := range []struct {
		name string
		set  func(d *desk) board.RunResult
		want string // judgement, guard
	}{
		{"no such card", func(d *desk) board.RunResult { return resultOf("t_none", 1) }, "foreign"},
		{"no such run", func(d *desk) board.RunResult { return resultOf(d.card(), 99) }, "foreign"},
		{"run of another card", func(d *desk) board.RunResult {
			_, c := d.claimed()
			return resultOf(d.card(), c.Run)
		}, "foreign"},
		{"started at another time", func(d *desk) board.RunResult {
			id, c := d.claimed()
			r := resultOf(id, c.Run)
			r.RunStarted = new(d.now + 1)
			return r
		}, "foreign"},
		{"claimed with another lock", func(d *desk) board.RunResult {
			id, c := d.claimed()
			r := resultOf(id, c.Run)
			r.ClaimLock = new("there:1")
			return r
		}, "foreign"},
		{"the run lost its lock when it ended", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Ready, core.Crashed)
			d.sql("UPDATE task_runs SET claim_lock = NULL")
			r := resultOf(id, run)
			r.ClaimLock = new("here:1")
			return r
		}, "applied ended-run"},
		{"running", func(d *desk) board.RunResult { id, c := d.claimed(); return resultOf(id, c.Run) }, "applied running-run"},
		{"completed with it", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Done, core.Completed)
			d.sql("UPDATE task_runs SET summary = 'the summary'")
			return resultOf(id, run)
		}, "already"},
		{"completed with another", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Done, core.Completed)
			return resultOf(id, run)
		}, "already another"},
		{"a newer run", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Ready, core.Crashed)
			_, err := d.Claim(ctx, board.ClaimRequest{Target: at(id), Lock: "here:2"})
			d.must(err)
			return resultOf(id, run)
		}, "superseded"},
		{"a newer run that was only told", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Ready, core.Crashed)
			d.sql("INSERT INTO task_runs(task_id, status, outcome, started_at, ended_at) VALUES(?, 'blocked', 'blocked', 1, 1)", id)
			return resultOf(id, run)
		}, "superseded"},
		{"open but not current", func(d *desk) board.RunResult {
			id, c := d.claimed()
			d.sql("UPDATE tasks SET current_run_id = NULL")
			return resultOf(id, c.Run)
		}, "waiting"},
		{"an unfinished parent", func(d *desk) board.RunResult {
			id, c := d.claimed()
			parent := d.card()
			d.sql("INSERT INTO task_links(parent_id, child_id) VALUES(?, ?)", parent, id)
			return resultOf(id, c.Run)
		}, "waiting"},
		{"a contract that only Hermes can check", func(d *desk) board.RunResult {
			id, c := d.claimed()
			d.sql("UPDATE tasks SET completion_contract = 'pull-request'")
			return resultOf(id, c.Run)
		}, "superseded"},
		{"nothing in it", func(d *desk) board.RunResult {
			id, c := d.claimed()
			return board.RunResult{Task: id, Run: c.Run, Summary: new(" ")}
		}, "empty"},
		{"a person decided in the second of the end", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Todo, core.Reclaimed)
			d.wrote(id, run, "status", `{"status": "todo"}`, d.now-60)
			return resultOf(id, run)
		}, "superseded"},
		{"a person decided long before", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Ready, core.Reclaimed)
			d.wrote(id, nil, "blocked", `{}`, d.now-61)
			return resultOf(id, run)
		}, "applied ended-run"},
		{"a review that was requested", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Review, core.ReviewRequested)
			return resultOf(id, run)
		}, "superseded"},
		{"blocked by a program afterwards", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Blocked, core.OutcomeBlocked)
			d.wrote(id, run, "blocked", `{"reason": "x"}`, d.now-60)
			r := resultOf(id, run)
			r.WrittenAt = d.now - long
			return r
		}, "applied ended-run"},
		{"blocked before the record was safe", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Blocked, core.OutcomeBlocked)
			d.wrote(id, run, "blocked", `{"reason": "x"}`, d.now-60)
			r := resultOf(id, run)
			r.WrittenAt = d.now - long + 1
			return r
		}, "superseded"},
		{"blocked by a person who is named", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Blocked, core.OutcomeBlocked)
			d.wrote(id, run, "blocked", `{"reason": "x", "actor": "ann"}`, d.now-60)
			return resultOf(id, run)
		}, "superseded"},
		{"blocked again without the run", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Blocked, core.OutcomeBlocked)
			d.wrote(id, run, "blocked", `{}`, d.now-60)
			d.wrote(id, nil, "blocked", `{"classified_in_place": true}`, d.now-50)
			return resultOf(id, run)
		}, "superseded"},
		{"in triage by its own block", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Triage, core.OutcomeBlocked)
			d.wrote(id, run, "block_loop_detected", `{}`, d.now-60)
			return resultOf(id, run)
		}, "applied ended-run"},
		{"in triage by another run's block", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Triage, core.OutcomeBlocked)
			d.wrote(id, run+7, "block_loop_detected", `{}`, d.now-60)
			return resultOf(id, run)
		}, "superseded"},
		{"in triage because a person put it back there", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Triage, core.OutcomeBlocked)
			d.wrote(id, run, "block_loop_detected", `{}`, d.now-60)
			d.wrote(id, nil, "status", `{"status": "triage"}`, d.now-50)
			return resultOf(id, run)
		}, "superseded"},
		{"scheduled", func(d *desk) board.RunResult {
			id, run := d.attempt(core.Scheduled, core.Crashed)
			return resultOf(id, run)
		}, "superseded"},
		{"a status of a newer Hermes", func(d *desk) board.RunResult {
			id, run := d.attempt("dreaming", core.Crashed)
			return resultOf(id, run)
		}, "superseded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			r := c.set(d)
			before := d.everything()
			planned, err := d.DecideResult(ctx, r)
			d.must(err)
			if d.everything() != before {
				t.Error("a look changed something")
			}
			got, err := d.ApplyResult(ctx, r)
			d.must(err)
			text := strings.TrimSpace(string(got.Judgement) + " " + got.Guard)
			if got.Another {
				text += " another"
			}
			if text != c.want || planned != got {
				t.Errorf("judged %+v, planned %+v, want %s", got, planned, c.want)
			}
			if got.Judgement != board.ResultApplied {
				if d.everything() != before {
					t.Error("a result that was not applied changed something")
				}
				return
			}
			if s := d.one("SELECT status || result || consecutive_failures FROM tasks WHERE id = ?", r.Task); s != "donethe result0" {
				t.Errorf("the card is %s", s)
			}
			if s := d.one("SELECT status || outcome || summary || ended_at FROM task_runs WHERE id = ?", r.Run); s != fmt.Sprintf("donecompletedthe summary%d", d.now) {
				t.Errorf("the run is %s", s)
			}
			if s := d.one("SELECT group_concat(run_id) FROM task_events WHERE kind = 'completed'"); s != fmt.Sprint(r.Run) {
				t.Errorf("completed events of runs %s", s)
			}
			after := d.everything()
			again, err := d.ApplyResult(ctx, r)
			d.must(err)
			if again.Judgement != board.ResultAlready || d.everything() != after {
				t.Errorf("a second time: %+v", again)
			}
		})
	}
}

func TestARunningRunIsCompletedAsByItsWorker(t *testing.T) {
	var said [2]string
	for i := range said {
		d := newDesk(t)
		id, c := d.claimed()
		if i == 0 {
			_, err := d.ApplyResult(ctx, resultOf(id, c.Run))
			d.must(err)
		} else {
			d.must(d.Complete(ctx, board.Completion{Target: board.Target{ID: id, Run: &c.Run}, Result: new("the result"), Summary: new("the summary")}))
		}
		said[i] = d.everything()
	}
	if said[0] != said[1] {
		t.Errorf("the rows differ:\n%s\n%s", said[0], said[1])
	}
}

func TestHowARunHadEndedIsKeptWhenItsResultComes(t *testing.T) {
	d := newDesk(t)
	id, run := d.attempt(core.Blocked, core.Crashed)
	_, err := d.ApplyResult(ctx, resultOf(id, run))
	d.must(err)
	want := fmt.Sprintf(`{"result_len": 10, "summary": "the summary", "replayed": "ended-run", "was_status": "blocked", "was_outcome": "crashed", `+
		`"was_ended_at": %d, "was_error": "why", "was_summary": null}`, d.now-60)
	if got := d.said(id); got != want {
		t.Errorf("completed %s\nwant %s", got, want)
	}
}

func TestARecordThatMovedIsNotApplied(t *testing.T) {
	d := newDesk(t)
	id, c := d.claimed()
	moved := errors.New("it moved")
	r := resultOf(id, c.Run)
	r.Unchanged = func() error { return moved }
	before := d.everything()
	if _, err := d.ApplyResult(ctx, r); !errors.Is(err, moved) || d.everything() != before {
		t.Errorf("applied: %v", err)
	}
}

func TestAQuarantineIsTakenBackOnlyFromTheWorkerThatWasSeen(t *testing.T) {
	d := newDesk(t)
	id, c := d.claimed()
	d.sql("UPDATE tasks SET worker_pid = 7")
	note := board.QuarantineNote{Task: id, Run: c.Run, File: "f", Reason: "foreign", Saw: &core.Sighting{}}
	before := d.everything()
	if _, err := d.NoteQuarantine(ctx, note); !errors.Is(err, core.ErrChanged) || d.everything() != before {
		t.Errorf("another worker: %v", err)
	}
	note.Saw.PID = new(int64(7))
	effect, err := d.NoteQuarantine(ctx, note)
	d.must(err)
	if !effect.Told || !effect.Reclaimed || effect.Blocked || d.state(id).Status != core.Ready {
		t.Errorf("%+v, the card is %s", effect, d.state(id).Status)
	}
	if got := d.kinds(id); !strings.HasSuffix(got, "journal_quarantined reclaimed") {
		t.Errorf("events %s", got)
	}
	note.Unfinished = true
	before = d.everything()
	if effect, err := d.NoteQuarantine(ctx, note); err != nil || effect.Told || d.everything() != before {
		t.Errorf("told twice: %+v, %v", effect, err)
	}
	note = board.QuarantineNote{Task: "t_none", Run: 1, File: "f", Reason: "foreign"}
	if effect, err := d.NoteQuarantine(ctx, note); err != nil || effect.Told {
		t.Errorf("a card that is not there: %+v, %v", effect, err)
	}
}

func TestANoteOfASafeResultIsMadeOnce(t *testing.T) {
	d := newDesk(t)
	id, c := d.claimed()
	for range 2 {
		d.must(d.NoteReplayable(ctx, id, c.Run, "database is locked"))
	}
	if got := d.one("SELECT count(*) FROM task_comments WHERE body LIKE '%terminal replayable=True%database is locked%'"); got != "1" {
		t.Errorf("%s notes", got)
	}
}
