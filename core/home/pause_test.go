package home

import (
	"os"
	"strings"
	"testing"
)

func TestPauseHoldsUntilResumed(t *testing.T) {
	h, dir := found(t)
	put(t, at(dir, "@/.hermes/kanban.db"), "")
	b, err := h.Board("default")
	if err != nil {
		t.Fatal(err)
	}
	if paused, why := b.Paused(); paused {
		t.Fatalf("paused from the start: %s", why)
	}
	if err := b.Resume(); err != nil {
		t.Errorf("nothing to resume: %v", err)
	}
	if err := b.Pause("ann", 1000); err != nil {
		t.Fatal(err)
	}
	if paused, why := b.Paused(); !paused || why != `paused by "ann" since 1970-01-01 00:16:40 UTC` {
		t.Errorf("%v, %s", paused, why)
	}
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	if paused, _ := b.Paused(); paused {
		t.Error("still paused")
	}
}

func TestPauseThatCannotBeUnderstoodHolds(t *testing.T) {
	h, dir := found(t)
	put(t, at(dir, "@/.hermes/kanban.db"), "")
	b, err := h.Board("default")
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"", "{", "[]", `{"by": 7}`, `{"since": 1}`, strings.Repeat("x", 5000)} {
		put(t, b.PauseFile(), content)
		if paused, why := b.Paused(); !paused || !strings.Contains(why, b.PauseFile()) {
			t.Errorf("%.20q: %v, %s", content, paused, why)
		}
	}
	if err := os.Remove(b.PauseFile()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(b.PauseFile(), 0o700); err != nil {
		t.Fatal(err)
	}
	if paused, _ := b.Paused(); !paused {
		t.Error("a folder in its place does not hold")
	}
	put(t, b.PauseFile()+"/x", "")
	if err := b.Resume(); err == nil {
		t.Error("what could not be removed counts as resumed")
	}
}
