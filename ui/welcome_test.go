package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// lost is a desk whose board is not there.
func lost(t *testing.T, create func(context.Context) (Deps, error)) *desk {
	d := newDesk(t, 80, 24)
	d.m.deps.Create = create
	d.m.inFlight++ // the poll that this answers
	d.update(result{msg: polled{err: fmt.Errorf("board %q: %w", d.path, board.ErrMissing)}})
	return d
}

func TestMissingBoardIsMadeWithOneKeyAndAYes(t *testing.T) {
	made := 0
	var d *desk
	d = lost(t, func(context.Context) (Deps, error) { made++; return d.m.deps, nil })
	d.want("There is no board here", "make this board")
	d.press("i")
	d.want("Make this board", "An empty board is made at this path")
	if made > 0 {
		t.Fatal("made without a yes")
	}
	d.confirm("y")
	d.want("No cards yet")
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

func TestBoardThatCannotBeMadeSaysWhy(t *testing.T) {
	d := lost(t, func(context.Context) (Deps, error) { return Deps{}, errors.New("the folder is not yours") })
	d.press("i")
	d.confirm("y")
	d.want("the folder is not yours", "There is no board here")
	d = lost(t, nil)
	d.wantNot("make this board")
	d.press("i")
	d.want("cannot be made from here")
}

func TestEmptyBoardSaysWhatToPress(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.poll()
	d.want("No cards yet", "make the first card", "all keys")
	d.wantNot("Nobody can work here yet", "start cards from this screen")
	d.m.deps.Names = func() []string { return nil }
	d.press("down")
	d.want("Nobody can work here yet")
	d.press("/")
	d.typed("x")
	d.press("enter")
	d.want("no card fits the filter", "show all cards")
}
