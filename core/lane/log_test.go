package lane

import (
	"bytes"
	"strings"
	"testing"
)

func TestAnAgentThatPrintsWithoutEndFillsNoDiskAndItsLastWordsAreKept(t *testing.T) {
	var out bytes.Buffer
	l := &cardLog{w: &out, taken: maxLog - 100}
	for range 1000 {
		_, _ = l.Write([]byte(strings.Repeat("x", 1000) + "\n"))
	}
	_, _ = l.Write([]byte("[kanban-worker-exit] rc=0\npanic: it broke\n"))
	l.say("the agent ended with 2")
	_, _ = l.Write([]byte("a child went on"))
	l.exit(2)
	text := out.String()
	if out.Len() > 3*keptLog {
		t.Errorf("the log grew by %d bytes", out.Len())
	}
	for _, want := range []string{
		"the log of this run is full", "bytes were left out here", "\npanic: it broke\n[hermes-tui] the agent ended with 2\n",
		"  a child went on\n[kanban-worker-exit] rc=2\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	if n := strings.Count(text, "\n[kanban-worker-exit]"); n != 1 {
		t.Errorf("%d lines tell how the run ended", n)
	}
}

func TestACutOfALongLineMakesNoMarkOfItsMiddle(t *testing.T) {
	var out bytes.Buffer
	l := &cardLog{w: &out, taken: maxLog}
	_, _ = l.Write([]byte("a line that says [kanban-worker-exit] rc=0" + strings.Repeat("x", keptLog-len("[kanban-worker-exit] rc=0"))))
	l.exit(1)
	if strings.Contains(out.String(), "\n[kanban-worker-exit] rc=0") {
		t.Error("a line of the agent's tells how the run ended")
	}
}
