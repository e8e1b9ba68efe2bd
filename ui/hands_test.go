package ui

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func TestCardUnderTheCursorIsTheOneThatIsActedUpon(t *testing.T) {
	d := newDesk(t, 120, 40)
	d.card("A")
	b := d.card("B")
	d.poll()
	d.m.board.Select(b)
	d.sql("INSERT INTO tasks(id, title, status, priority, created_at) VALUES ('t_first', 'sorts first', 'ready', 99, ?)", noon.Unix())
	d.poll()
	d.want("sorts first")
	d.press("a")
	d.want("Archive " + b)
	d.confirm("y")
	if got := d.status(b); got != core.Archived {
		t.Errorf("B is %s", got)
	}
	if n := d.count("SELECT count(*) FROM tasks WHERE status = 'archived'"); n != 1 {
		t.Errorf("%d cards were archived", n)
	}
}

func TestCardThatChangedUnderADialogIsRefused(t *testing.T) {
	for key, verb := range map[string]string{"a": "Archive", "H": "Park", "B": "Block"} {
		d := newDesk(t, 120, 40)
		b := d.card("B")
		d.poll()
		d.press(key)
		d.want(verb + " " + b)
		d.sql("UPDATE tasks SET status = 'done', result = 'by another program', completed_at = ? WHERE id = ?", noon.Unix(), b)
		events := d.count("SELECT count(*) FROM task_events")
		if verb == "Archive" {
			d.confirm("y")
		} else {
			d.confirm("enter")
		}
		d.want(b + " changed to done meanwhile")
		if d.status(b) != core.Done || d.count("SELECT count(*) FROM task_events") != events {
			t.Errorf("%s: something was written", verb)
		}
	}
}

func TestCardThatIsMovedAboutIsOnTheScreenOnce(t *testing.T) {
	d := newDesk(t, 200, 40)
	d.card("A")
	b := d.card("the one that moves")
	d.poll()
	d.m.board.Select(b)
	for _, status := range []core.Status{core.Running, core.Blocked, core.Review, core.Done, core.Ready} {
		d.sql("UPDATE tasks SET status = ? WHERE id = ?", string(status), b)
		d.poll()
		if n := strings.Count(d.screen(), b); n != 1 {
			t.Errorf("as %s it is on the screen %d times:\n%s", status, n, d.screen())
		}
		if d.m.snap.Count(status) != d.count("SELECT count(*) FROM tasks WHERE status = ?", string(status)) {
			t.Error("the counts are wrong")
		}
		if d.m.board.Selected().ID != b {
			t.Error("the selection left the card")
		}
	}
}

func TestCardDeletedUnderItsViewClosesIt(t *testing.T) {
	d := newDesk(t, 120, 40)
	a, b := d.card("A"), d.card("B")
	d.poll()
	d.m.board.Select(b)
	d.press("enter")
	d.want(b + "  ready")
	d.sql("DELETE FROM tasks WHERE id = ?", b)
	d.poll()
	d.want("card " + b + " is gone from the board")
	if c := d.m.board.Selected(); c == nil || c.ID != a {
		t.Error("no neighbour is selected")
	}
}

func TestBoardThatCannotBeReadStaysOnTheScreen(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root reads every file; the failing read is played by a file that is moved away")
	}
	d := newDesk(t, 120, 40)
	d.card("still here")
	d.poll()
	d.must(os.Rename(d.path, d.path+".away"))
	d.poll()
	d.want("still here", "stale since 12:00:00")
	d.must(os.Rename(d.path+".away", d.path))
	d.poll()
	d.wantNot("stale since")
	d.want("still here")
}

func TestDoneFollowsTheBoardAndAsksForASummary(t *testing.T) {
	d := newDesk(t, 120, 40)
	b := d.card("B")
	d.poll()
	d.press("C")
	d.want("Complete "+b, "summary")
	d.confirm("ctrl+s")
	d.want("summary is missing")
	if d.status(b) != core.Ready {
		t.Fatal("completed without a summary")
	}
	d.typed("all checks green")
	d.press("ctrl+s")
	if d.status(b) != core.Done {
		t.Error("it is not done")
	}
	d.want(b+" is done", "Done 1")
	for _, a := range actionTable() {
		if a.id == "run" || a.id == "claim" {
			t.Errorf("%q is offered though only a claim makes a card run", a.id)
		}
	}
}

func TestEditKeepsWhatAnotherProgramChanged(t *testing.T) {
	d := newDesk(t, 120, 40)
	b := d.card("old title")
	d.poll()
	d.press("e")
	d.want("Edit "+b, "old title")
	d.sql("UPDATE tasks SET priority = 7 WHERE id = ?", b)
	d.typed(" and more")
	d.poll()
	d.want("old title and more")
	d.confirm("enter")
	if n := d.count("SELECT count(*) FROM tasks WHERE title = 'old title and more' AND priority = 7"); n != 1 {
		t.Errorf("not both changes survived:\n%s", d.screen())
	}
}

func TestEditOfWhatAnotherProgramWroteIsRefusedAndKept(t *testing.T) {
	d := newDesk(t, 120, 40)
	b := d.card("old title")
	d.poll()
	d.press("e")
	d.typed(" mine")
	d.sql("UPDATE tasks SET title = 'theirs' WHERE id = ?", b)
	d.confirm("enter")
	d.want("somebody else wrote its title", "old title mine")
	if n := d.count("SELECT count(*) FROM tasks WHERE title = 'theirs'"); n != 1 {
		t.Error("what somebody else wrote is lost")
	}
	d.press("esc")
	d.press("e")
	d.want("old title mine")
}

func TestDraftSurvivesARefusal(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.poll()
	d.press("n")
	d.typed("a new card")
	d.press("tab", "tab", "tab")
	d.typed("much")
	d.confirm("enter")
	d.want("the priority is no whole number", "a new card", "much")
	d.press("backspace", "backspace", "backspace", "backspace")
	d.typed("4")
	d.press("enter")
	if n := d.count("SELECT count(*) FROM tasks WHERE title = 'a new card' AND priority = 4 AND created_by = 'tester'"); n != 1 {
		t.Errorf("the card was not made:\n%s", d.screen())
	}
	d.press("n")
	d.wantNot("title      a new card")
}

func TestAnswerUnblocksInOneStep(t *testing.T) {
	d := newDesk(t, 80, 24)
	b := d.card("B")
	if _, err := d.board.Block(t.Context(), board.BlockRequest{Target: board.Target{ID: b}, Reason: new("which vault?"), Kind: "needs_input"}); err != nil {
		t.Fatal(err)
	}
	d.poll()
	d.press("R")
	d.want("Answer "+b, "which vault?")
	d.typed("the blue one")
	d.confirm("ctrl+s")
	if d.status(b) != core.Ready || d.count("SELECT count(*) FROM task_comments WHERE body = 'the blue one'") != 1 {
		t.Errorf("not answered:\n%s", d.screen())
	}
}

func TestQuickActsAreGuardedAndUndone(t *testing.T) {
	d := newDesk(t, 120, 40)
	b := d.card("B")
	d.poll()
	d.press("+", "+")
	if n := d.count("SELECT priority FROM tasks WHERE id = ?", b); n != 2 {
		t.Fatalf("priority %d", n)
	}
	d.press("ctrl+z")
	if n := d.count("SELECT priority FROM tasks WHERE id = ?", b); n != 1 {
		t.Fatalf("after undo priority %d:\n%s", n, d.screen())
	}
	d.press("ctrl+y")
	if n := d.count("SELECT priority FROM tasks WHERE id = ?", b); n != 2 {
		t.Fatalf("after redo priority %d", n)
	}
	if n := d.count("SELECT count(*) FROM task_events WHERE kind = 'reprioritized'"); n != 4 {
		t.Errorf("%d events for four changes", n)
	}
	d.sql("UPDATE tasks SET priority = 50 WHERE id = ?", b)
	d.press("ctrl+z")
	if n := d.count("SELECT priority FROM tasks WHERE id = ?", b); n != 50 {
		t.Error("somebody else's change was undone")
	}
	d.want("its priority was 2 and is now 50")
	d.press("-")
	if n := d.count("SELECT priority FROM tasks WHERE id = ?", b); n != 49 {
		t.Errorf("priority %d", n)
	}
}

func TestOwnerIsChosenFromAList(t *testing.T) {
	d := newDesk(t, 80, 24)
	b := d.card("B")
	d.poll()
	d.press("o")
	d.want("Who works on "+b, "dev", "ops", "nobody")
	d.typed("ops")
	d.press("enter")
	if n := d.count("SELECT count(*) FROM tasks WHERE assignee = 'ops'"); n != 1 {
		t.Errorf("not assigned:\n%s", d.screen())
	}
	d.press("ctrl+z")
	if n := d.count("SELECT count(*) FROM tasks WHERE assignee = 'dev'"); n != 1 {
		t.Errorf("not undone:\n%s", d.screen())
	}
}

func TestArchivingAParentSaysWhatStarts(t *testing.T) {
	d := newDesk(t, 120, 40)
	p := d.card("parent")
	d.card("child", func(n *board.NewTask) { n.Parents = []string{p} })
	d.poll()
	d.m.board.Select(p)
	d.press("a")
	d.want("1 card will start")
}

func TestSeveralCardsAreReportedOneByOne(t *testing.T) {
	d := newDesk(t, 120, 40)
	a, b, c := d.card("A"), d.card("B"), d.card("C")
	d.poll()
	d.m.board.Select(a)
	d.press("g", "space", "G", "v")
	d.want("3 cards chosen")
	d.press("a")
	d.want("archive: 3 cards")
	d.sql("UPDATE tasks SET status = 'done', completed_at = 1 WHERE id = ?", b)
	d.confirm("y")
	d.want("archive: 2 done, 1 refused", b+" changed to done meanwhile")
	for _, id := range []string{a, c} {
		if d.status(id) != core.Archived {
			t.Errorf("%s is %s", id, d.status(id))
		}
	}
	if d.status(b) != core.Done {
		t.Error("a card that had changed was archived")
	}
}

func TestNothingIsWrittenBeforeTheBoardIsKnownToBeSound(t *testing.T) {
	d := newDesk(t, 120, 40)
	b := d.card("B")
	d.poll()
	d.m.deps.Writable = func(context.Context) error { return board.ErrDamaged }
	d.press("+")
	d.want("damaged")
	if n := d.count("SELECT priority FROM tasks WHERE id = ?", b); n != 0 {
		t.Error("a damaged board was written")
	}
}

func TestSeveralZombiesAreRequeued(t *testing.T) {
	d := newDesk(t, 120, 40)
	op := d.m.deps.Acts.(*operator.Operator)
	d.m.deps.Requeue = func(ctx context.Context, seen operator.Standing, dead bool) error {
		_, err := op.Requeue(ctx, seen, dead, "")
		return err
	}
	var ids []string
	for _, title := range []string{"A", "B", "C"} {
		id := d.card(title)
		if _, err := d.board.Claim(t.Context(), board.ClaimRequest{Target: board.Target{ID: id}, Lock: "here:1"}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	d.sql("UPDATE tasks SET last_heartbeat_at = ? WHERE id = ?", noon.Unix()-5, ids[1])
	d.sql("UPDATE tasks SET started_at = ?; UPDATE task_runs SET started_at = 1", noon.Unix()-500)
	d.poll()
	d.press("g", "space", "G", "v", "r")
	d.want("requeue: 3 cards")
	d.confirm("y")
	d.want("requeue: 2 done, 1 refused", "a heartbeat came 5 s ago", "requeue it alone")
	for i, want := range []core.Status{core.Ready, core.Running, core.Ready} {
		if got := d.status(ids[i]); got != want {
			t.Errorf("%s is %s, want %s", ids[i], got, want)
		}
	}
}

func TestStoppingEverythingNeedsAWord(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.poll()
	reason, stopped := "", false
	d.m.deps.Emergency = &EmergencyStop{
		Engaged: func() (bool, string) { return stopped, "emergency stop: by hand" },
		Engage:  func(why string) error { reason, stopped = why, true; return nil },
		Release: func() error { stopped = false; return nil },
	}
	d.press("E")
	d.confirm("enter")
	d.typed("no")
	d.press("enter")
	if stopped {
		t.Fatal("stopped without the word")
	}
	d.want("type stop to say so")
	d.press("backspace", "backspace")
	d.typed("stop")
	d.press("tab")
	d.typed("out of money")
	d.press("enter")
	if !stopped || reason != "out of money" {
		t.Fatalf("not stopped:\n%s", d.screen())
	}
	d.press("E")
	d.want("Release the emergency stop", "by hand")
	d.confirm("y")
	if stopped {
		t.Error("not released")
	}
}
