package dispatch_test

import (
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

func TestTheSumSaysWhatWaitsAndWhy(t *testing.T) {
	for want, report := range map[string]*dispatch.Report{
		"":                      {},
		"2 waiting, 2 runnable": {Queued: 1, WouldSpawn: []dispatch.Spawned{{Task: "t_a"}}},
		"5 waiting, 1 runnable: 2 waiting for a quota, 1 an earlier worker may still live, 1 the machine is short of memory": {
			Queued: 1, Skipped: []dispatch.Note{
				{Task: "t_a", Reason: "an earlier worker may still live: run 3, process 7 lives"},
				{Task: "t_b", Reason: "waiting for a quota for another 4m0s"},
				{Task: "t_c", Reason: "the machine is short of memory; one worker a tick"},
				{Task: "t_d", Reason: "waiting for a quota for another 12s"},
			},
		},
	} {
		if got := dispatch.Waiting(report); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestTheSumOfABoardWhoseCardsNobodyCanRun(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES
	 ('t_a','no owner',NULL,'ready',@NOW@-9000),('t_b','empty owner','','ready',@NOW@-9000),('t_c','blank owner','  ','ready',@NOW@-9000),
	 ('t_d','not a profile','ghost','ready',@NOW@-9000),('t_e','wrong case','Dev','ready',@NOW@-9000),('t_f','review, no owner',NULL,'review',@NOW@-9000)`)
	const want = "6 waiting, 1 runnable: 3 no owner, 1 unknown profile, 1 review without owner"
	for range 2 { // the second tick finds the queue as the first left it
		if got := dispatch.Waiting(w.tick(dispatch.Options{NoSpawn: true})); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestCardsBehindALimitAreQueued(t *testing.T) {
	w := newWorld(t)
	w.rules.MaxSpawn = 1
	for range 3 {
		w.card(board.NewTask{Assignee: "sleeper"})
	}
	for i := range 3 {
		if report := w.tick(dispatch.Options{}); report.Queued != 2 || dispatch.Waiting(report) != "2 waiting, 2 runnable" {
			t.Errorf("tick %d: %+v", i, report)
		}
	}
	w2 := newWorld(t)
	w2.d.MemoryLeft = func() (float64, bool) { return 0.07, true }
	for range 3 {
		w2.card(board.NewTask{Assignee: "sleeper"})
	}
	if got, want := dispatch.Waiting(w2.tick(dispatch.Options{})), "2 waiting, 1 runnable: 1 the machine is short of memory"; got != want {
		t.Errorf("short of memory: %q", got)
	}
}
