package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/themes"
)

// hearer is a board that is told line by line over a real file.
type hearer struct {
	*desk
	out strings.Builder
}

func newTold(t *testing.T) *hearer {
	d := &hearer{desk: newDesk(t, 0, 0)}
	d.m.setSigns(themes.Words)
	d.root = &teller{m: d.m, out: &d.out, epoch: -1}
	d.m.deps.Requeue = func(ctx context.Context, seen operator.Standing, saysDead bool) error {
		_, err := d.m.deps.Acts.(*operator.Operator).Requeue(ctx, seen, saysDead, "")
		return err
	}
	return d
}

// hear gives lines and returns what is told since the last call.
func (d *hearer) hear(lines ...string) string {
	d.out.Reset()
	for _, l := range lines {
		d.update(heard{line: l})
	}
	return d.out.String()
}

func wantTold(t *testing.T, told string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(told, w) {
			t.Errorf("%q is not told:\n%s", w, told)
		}
	}
}

func TestPlainTellsTheBoardColumnByColumn(t *testing.T) {
	d := newTold(t)
	a := d.card("Fix the login")
	d.card("Decide" + hostile)
	d.poll()
	told := d.hear("list")
	wantTold(t, told, "Ready, 2 cards:", a+" Fix the login (dev)")
	checkHarmless(t, told, "list")
	if strings.Contains(told, "\x1b") {
		t.Errorf("a line-based view moves the cursor: %q", told)
	}
	wantTold(t, d.hear("list login"), "Ready, 1 card:")
	wantTold(t, d.hear("show "+a), a+" ready", "Fix the login", "created")
}

func TestPlainAsksWhatTheDialogAsks(t *testing.T) {
	d := newTold(t)
	id := d.card("Rotate the keys")
	d.poll()
	wantTold(t, d.hear("block "+id+" which vault?"), "Block "+id, "Answer yes (block) or no (leave it).")
	if got := d.status(id); got != core.Ready {
		t.Fatalf("blocked without an answer: %s", got)
	}
	wantTold(t, d.hear("no"), "Nothing was done.")
	wantTold(t, d.hear("block "+id, "which vault?", "", "yes"), "Reason?", "Kind?", id+" is blocked", "Needs you, blocked: "+id)
	wantTold(t, d.hear("answer "+id, "", "the old one", "yes"), "which vault?", "It cannot be empty.", id+" is answered and ready")
	wantTold(t, d.hear("comment "+id+" well done"), id+" has a comment of yours")
	if n := d.count("SELECT count(*) FROM task_comments WHERE body IN ('the old one', 'well done')"); n != 2 {
		t.Errorf("%d comments", n)
	}
}

func TestPlainRequeueNeedsTheSameWord(t *testing.T) {
	d := newTold(t)
	id := d.card("Zombie")
	d.sql("UPDATE tasks SET status = 'running', claim_lock = 'elsewhere:7', claim_expires = ?, worker_pid = 99, started_at = ? WHERE id = ?", noon.Unix()+600, noon.Unix()-60, id)
	d.poll()
	wantTold(t, d.hear("requeue "+id), "Requeue "+id, "on another machine", "Type dead to say so:")
	wantTold(t, d.hear("yes"), "the word is missing")
	if got := d.status(id); got != core.Running {
		t.Fatalf("requeued without the word: %s", got)
	}
	wantTold(t, d.hear("dead"), id+" is back in the queue")
	if got := d.status(id); got != core.Ready {
		t.Errorf("status %s", got)
	}
}

func TestPlainActsOnNoCardThatWasNotNamed(t *testing.T) {
	d := newTold(t)
	d.card("One")
	d.poll()
	for _, name := range []string{"archive", "requeue", "block", "stop", "priority-up", "why", "seen"} {
		if told := d.hear(name); d.m.dialog != nil || strings.TrimSpace(told) == "" {
			t.Errorf("%s without a card: %q", name, told)
		}
	}
	wantTold(t, d.hear("archive t_none"), "No card t_none is on this board.")
	if n := d.count("SELECT count(*) FROM tasks WHERE status = 'ready' AND priority = 0"); n != 1 {
		t.Error("a card was changed that nobody named")
	}
}

func TestPlainDoesSeveralCardsOneByOne(t *testing.T) {
	d := newTold(t)
	a, b := d.card("One"), d.card("Two")
	d.poll()
	wantTold(t, d.hear("archive "+a+" "+b, "yes"), "archive: 2 cards", "2 done, 0 refused", a+" done")
	if d.status(a) != core.Archived || d.status(b) != core.Archived {
		t.Error("not archived")
	}
}

func TestPlainRefusalClosesTheQuestion(t *testing.T) {
	d := newTold(t)
	id := d.card("Moves")
	d.poll()
	d.hear("complete " + id + " merged")
	d.sql("UPDATE tasks SET status = 'done', completed_at = 1 WHERE id = ?", id)
	wantTold(t, d.hear("yes"), id+" changed to done meanwhile", "What was written is kept")
	if d.m.dialog != nil {
		t.Error("the next command would be taken for an answer")
	}
}

func TestPlainTellsWhatNeedsAPersonFirst(t *testing.T) {
	d := newTold(t)
	a, b, c := d.card("Finished"), d.card("Asks"), d.card("Repaired")
	d.poll()
	d.sql("UPDATE tasks SET status = 'done', completed_at = 1 WHERE id = ?", a)
	d.sql("UPDATE tasks SET status = 'blocked' WHERE id = ?", b)
	d.sql("INSERT INTO task_events(task_id, kind, created_at) VALUES(?, 'reconciled', 1)", c)
	d.out.Reset()
	d.poll()
	var order []int
	for _, words := range []string{"Repaired, now ready: " + c, "Needs you, blocked: " + b, "Now done: " + a} {
		order = append(order, strings.Index(d.out.String(), words))
	}
	if order[0] < 0 || !slices.IsSorted(order) {
		t.Errorf("told:\n%s", d.out.String())
	}
}

func TestPlainHoldsNewsBackWhileItAsks(t *testing.T) {
	d := newTold(t)
	id, other := d.card("One"), d.card("Other")
	d.poll()
	d.hear("block " + id)
	d.sql("UPDATE tasks SET status = 'done', completed_at = 1 WHERE id = ?", other)
	d.out.Reset()
	d.poll()
	if d.out.Len() > 0 {
		t.Errorf("told into a question: %s", d.out.String())
	}
	wantTold(t, d.hear("cancel"), "Now done: "+other)
}

// TestPlainKnowsEveryActionByName also proves that every action either is done
// or says why it cannot be.
func TestPlainKnowsEveryActionByName(t *testing.T) {
	d := newTold(t)
	id := d.card("One")
	everything(d.m)
	d.m.deps.Acts = &operator.Operator{Board: d.board, Now: func() int64 { return noon.Unix() }}
	d.poll()
	help := d.hear("help")
	for i := range d.m.actions {
		a := &d.m.actions[i]
		if !spoken(a) || a.id == "quit" {
			continue
		}
		wantTold(t, help, a.id)
		command := a.id
		if strings.Contains(a.takes(), "ID") {
			command += " " + id
		}
		if told := d.hear(command); strings.TrimSpace(told) == "" || strings.Contains(told, "Not a command") {
			t.Errorf("%s says %q", command, told)
		}
		d.m.dialog, d.m.page = nil, nil
	}
	wantTold(t, d.hear("dance"), "Not a command here: dance")
}

func TestPlainDispatchesAfterAYes(t *testing.T) {
	d := newTold(t)
	ticks := 0
	d.m.deps.Tick = func(context.Context) (*dispatch.Report, error) { ticks++; return dispatch.NewReport(), nil }
	d.poll()
	wantTold(t, d.hear("dispatch"), "Answer yes (while open)")
	wantTold(t, d.hear("yes"), "Dispatcher: dispatching.")
	if ticks != 1 {
		t.Errorf("%d ticks", ticks)
	}
}

// TestPlainReadsAPipeToItsEnd runs the whole of it: a question that is open at
// the end of the input does nothing.
func TestPlainReadsAPipeToItsEnd(t *testing.T) {
	d := newDesk(t, 0, 0)
	id := d.card("One")
	var out strings.Builder
	code, err := RunPlain(t.Context(), d.m.deps, Options{}, strings.NewReader("list\nblock "+id+"\nwhy\n"), &out)
	if code != 0 || err != nil {
		t.Fatalf("code %d: %v", code, err)
	}
	wantTold(t, out.String(), "Ready, 1 card:", "Block "+id, "No answer: nothing was done.")
	if got := d.status(id); got != core.Ready {
		t.Errorf("status %s", got)
	}
}

func TestPlainSaysThatALineIsTooLong(t *testing.T) {
	var got []tea.Msg
	listen(strings.NewReader("list\n"+strings.Repeat("x", longestLine+1)), func(m tea.Msg) { got = append(got, m) })
	if last := got[len(got)-1].(heard); !last.end || last.err == nil {
		t.Errorf("heard %+v", got)
	}
}

func TestPlainNamesABoardThatCannotBeUsed(t *testing.T) {
	d := newTold(t)
	d.m.inFlight++ // the poll that this answers
	d.update(result{msg: polled{err: errors.New("it is damaged")}})
	wantTold(t, d.out.String(), d.path, "it is damaged")
	wantTold(t, d.hear("list", "feed"), "There is no board to list.", "there is no board")
}

func TestReviewUnderWayIsSentBackByItsKey(t *testing.T) {
	d := newDesk(t, 80, 24)
	id := d.card("Parser")
	d.must(d.board.RequestReview(t.Context(), board.ReviewRequest{Target: board.Target{ID: id}, Reviewer: "ops"}))
	_, err := d.board.ClaimReview(t.Context(), board.ClaimRequest{Target: board.Target{ID: id}, Lock: "here:1"})
	d.must(err)
	d.poll()
	d.press("<")
	d.want("Send back "+id, "No worker lives.")
	d.typed("the tests are missing")
	d.confirm("ctrl+s")
	d.want(id + " is sent back to dev")
	if got := d.status(id); got != core.Ready {
		t.Errorf("status %s", got)
	}
}
