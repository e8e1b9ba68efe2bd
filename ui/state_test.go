package ui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/columns"
)

func TestViewIsAsItWasLeft(t *testing.T) {
	store := Store{filepath.Join(t.TempDir(), "deep", "state.json")}
	m := everything(still(t, 120, 40, Options{}))
	m.deps.Keep = store.Save
	m.board.Flash("t_40e0aa10", columns.Quarantined, noon)
	for _, key := range []string{"z", "O", "M", "A", "/", "d", "enter"} {
		m.press(key)
	}
	m.saveNow()
	want := m.state()
	if diff := cmp.Diff(want, store.Load()); diff != "" {
		t.Fatal(diff)
	}
	m.deps.Kept = store.Load()
	m.newBoard()
	m.take(m.snap, 0)
	if diff := cmp.Diff(want, m.state()); diff != "" {
		t.Errorf("after opening again:\n%s", diff)
	}
	if m.board.Pulsing(noon) {
		t.Error("what happened before pulses")
	}
}

func TestDamagedStateIsNoState(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"half": `{"density":"com`, "list": `[1]`, "types": `{"density":7}`, "empty": ""} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(State{}, (Store{path}).Load()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(State{}, (Store{dir}).Load()); diff != "" {
		t.Error(diff)
	}
	if err := (Store{filepath.Join(dir, "half", "x")}).Save(State{}); err == nil {
		t.Error("a state that cannot be written is written")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".state-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatHappenedWhileNoScreenWasOpenHasABadge(t *testing.T) {
	play(t, 120, 40, func(r *rig) {
		r.deps.Kept = State{Newest: 100}
		r.board.events = append(r.board.events, core.Event{ID: 101, TaskID: "t_33ab41cc", Kind: "reconciled"})
	}, func(r *rig) {
		r.want("↻ reconciled")
		r.inside(func(m *Model) {
			if m.board.Pulsing(m.now()) {
				t.Error("it pulses as if it happened now")
			}
		})
	})
}

func TestBoardThatIsAlwaysDispatchedIsDispatchedAgain(t *testing.T) {
	var kept State
	play(t, 120, 40, func(r *rig) { r.deps.Keep = func(s State) error { kept = s; return nil } }, func(r *rig) {
		r.want("watching")
		r.press("d")
		time.Sleep(settling)
		r.press("a")
		r.want("dispatching")
		r.poll()
	})
	if !kept.Dispatch {
		t.Fatal("the answer was not remembered")
	}
	play(t, 120, 40, func(r *rig) { r.deps.Kept = kept }, func(r *rig) {
		r.want("dispatching")
		r.press("W")
		r.want("watching")
		r.inside(func(m *Model) {
			if m.state().Dispatch {
				t.Error("it would be dispatched again")
			}
		})
	})
}

func TestNothingIsWrittenWhileNothingChanges(t *testing.T) {
	saves := 0
	play(t, 120, 40, func(r *rig) { r.deps.Keep = func(State) error { saves++; return nil } }, func(r *rig) {
		r.poll()
		before := saves
		time.Sleep(time.Minute)
		if saves != before {
			t.Errorf("%d times in an idle minute", saves-before)
		}
	})
}
