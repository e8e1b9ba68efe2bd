package board_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

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
