package board_test

import (
	"errors"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestNobodyWritesBetweenTheCheckOfAnEditAndTheEdit(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	d.must(d.Edit(t.Context(), board.EditRequest{Target: at(id), Title: new("mine"), Check: func(*core.Task) error {
		_, err := d.other.Exec("PRAGMA busy_timeout = 0; UPDATE tasks SET title = 'theirs'")
		if err == nil {
			t.Error("another program wrote while the edit was checked")
		}
		return nil
	}}))
	if got := d.one("SELECT title FROM tasks"); got != "mine" {
		t.Errorf("the title is %q", got)
	}
}

func TestAnEditWhoseCheckFailsChangesNothing(t *testing.T) {
	d := newDesk(t)
	id := d.card()
	before := d.everything()
	err := d.Edit(t.Context(), board.EditRequest{Target: at(id), Title: new("mine"), Check: func(*core.Task) error { return core.ErrChanged }})
	if !errors.Is(err, core.ErrChanged) || d.everything() != before {
		t.Errorf("%v", err)
	}
}
