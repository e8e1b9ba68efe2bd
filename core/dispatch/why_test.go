package dispatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// closed are the gates before the dispatcher's that keep a card from running.
func (w *world) closed(id string) map[string]string {
	w.t.Helper()
	gates, err := w.d.Why(w.t.Context(), id)
	w.must(err)
	out := map[string]string{}
	for _, g := range gates {
		if g.Open != (g.Reason == "") || !g.Open && g.Opens == "" {
			w.t.Errorf("gate %+v", g)
		}
		if !g.Open {
			out[g.Name] = g.Reason
		}
	}
	return out
}

func TestWhyNamesTheGatesInTheOrderOfATick(t *testing.T) {
	w := newWorld(t)
	id := w.card(board.NewTask{Assignee: "sleeper"})
	gates, err := w.d.Why(t.Context(), id)
	w.must(err)
	var names []string
	for _, g := range gates {
		names = append(names, g.Name)
	}
	want := []string{
		"status", "hold", "lock", "parents", "owner", "profile", "this tick", "guard", "earlier worker", "outage",
		"memory", "assignee's limit", "board's limit", "emergency stop", "file system", "pause", "dispatcher",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if got := dispatch.FirstClosed(gates); got != "dispatcher" {
		t.Errorf("first closed: %q", got)
	}
	lock, err := home.TryLock(w.d.Place.LoopLock())
	w.must(err)
	defer func() { _ = lock.Release() }()
	gates, err = w.d.Why(t.Context(), id)
	w.must(err)
	if got := dispatch.FirstClosed(gates); got != "" {
		t.Errorf("with a dispatcher, %q is closed", got)
	}
}

func TestWhyOfEachClosedGate(t *testing.T) {
	for i, c := range []struct {
		gate, reason string
		task         board.NewTask
		make         func(w *world, id string)
	}{
		{"status", "it is scheduled", board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.sql(`UPDATE tasks SET status = 'scheduled'`) }},
		{"status", "the next tick moves it on", board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.sql(`UPDATE tasks SET status = 'todo'`) }},
		{"status", "something that is not linked", board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.sql(`UPDATE tasks SET status = 'todo'; INSERT INTO task_events(task_id,kind,created_at) VALUES ('` + id + `','dependency_wait',@NOW@-160);
			INSERT INTO task_runs(task_id,status,outcome,started_at,ended_at) VALUES ('` + id + `','blocked','blocked',1,2),('` + id + `','blocked','blocked',3,4),('` + id + `','blocked','blocked',5,6)`)
		}},
		{"status", "it is blocked", board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.sql(`UPDATE tasks SET status = 'blocked'`) }},
		{"status", "it is wishful", board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.sql(`UPDATE tasks SET status = 'wishful'`) }},
		{"status", "kanban.review_dispatch is off", board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.sql(`UPDATE tasks SET status = 'review'`)
			w.rules.ReviewDispatch = false
		}},
		{"lock", `locked by "testhost:1" for another 60 s`, board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.sql(`UPDATE tasks SET claim_lock = 'testhost:1', claim_expires = @NOW@+60`)
		}},
		{"lock", "taken off", board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.sql(`UPDATE tasks SET claim_lock = 'testhost:1', claim_expires = @NOW@-60`)
		}},
		{"owner", "no owner", board.NewTask{}, nil},
		{"profile", `unknown profile "ghost"`, board.NewTask{Assignee: "ghost"}, nil},
		{"profile", "dispatch_profiles", board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.rules.DispatchProfiles = []string{"other"} }},
		{"memory", "less than 5 %", board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.d.MemoryLeft = func() (float64, bool) { return 0.04, true }
		}},
		{"assignee's limit", `1 of 1 cards of "dev" run`, board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.running("t_other", host+":1", "@NOW@+600", "NULL", "@NOW@", "NULL")
			w.rules.MaxInProgressPerProfile = 1
		}},
		{"board's limit", "1 of 1 cards run", board.NewTask{Assignee: "sleeper"}, func(w *world, id string) {
			w.running("t_other", host+":1", "@NOW@+600", "NULL", "@NOW@", "NULL")
			w.rules.MaxSpawn = 1
		}},
		{"emergency stop", "ESTOP", board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.must(w.d.Home.Engage("test", w.clock)) }},
		{"pause", `paused by "ann"`, board.NewTask{Assignee: "dev"}, func(w *world, id string) { w.must(w.d.Place.Pause("ann", w.clock)) }},
		{"file system", "network file system (nfs)", board.NewTask{Assignee: "dev"}, func(w *world, id string) {
			w.d.NetworkFS = func(string) (bool, string, error) { return true, "nfs", nil }
		}},
	} {
		t.Run(fmt.Sprintf("%s %d", c.gate, i), func(t *testing.T) {
			w := newWorld(t)
			id := w.card(c.task)
			if c.make != nil {
				c.make(w, id)
			}
			before := w.digest()
			closed := w.closed(id)
			if !strings.Contains(closed[c.gate], c.reason) {
				t.Errorf("%q, want %q", closed[c.gate], c.reason)
			}
			delete(closed, "dispatcher") // nobody dispatches here
			if len(closed) != 1 {
				t.Errorf("closed as well: %v", closed)
			}
			if diff := cmp.Diff(before, w.digest()); diff != "" {
				t.Error("asking wrote something:", diff)
			}
		})
	}
}

func TestWhyOfARunningCardSaysWhatStandsBehindItAndWhetherItIsHeld(t *testing.T) {
	w := newWorld(t)
	alive := live(t, "HERMES_KANBAN_TASK=t_alive")
	stranger := live(t)
	gone := dead(t)
	w.running("t_alive", host+":1", "@NOW@+600", alive, "@NOW@-100", "@NOW@-5")
	w.running("t_unknown", host+":1", "@NOW@+600", stranger, "@NOW@-1", "NULL")
	w.running("t_gone", host+":1", "@NOW@+600", gone, "@NOW@-100", "NULL")
	w.running("t_hand", host+":1", "@NOW@+600", "NULL", "@NOW@-100", "NULL")
	w.sql(`INSERT INTO tasks(id,title,assignee,status,created_at) VALUES ('t_zombie','x','dev','running',@NOW@);
	INSERT INTO tasks(id,title,assignee,status,created_at,worker_pid) VALUES ('t_broken','x','dev','running',@NOW@,` + alive + `)`)
	for _, c := range []struct{ id, status, hold string }{
		{"t_alive", fmt.Sprintf("it is running: process %s names this task, heartbeat 5 s ago", alive), ""},
		{"t_unknown", fmt.Sprintf("it is running: process %s lives, but nothing says whose it is, no heartbeat", stranger), "liveness unknown"},
		{"t_gone", fmt.Sprintf("it is running: process %s does not exist, no heartbeat; the next tick ends its run (", gone), ""},
		{"t_hand", fmt.Sprintf("it is running: claimed as %q, no worker recorded, no heartbeat", host+":1"), ""},
		{"t_zombie", "it is running: its claim is broken, no worker recorded, no heartbeat; the next tick releases it", ""},
		{"t_broken", fmt.Sprintf("it is running: its claim is broken, pid %s:", alive), "a live process has the recorded pid"},
	} {
		closed := w.closed(c.id)
		if !strings.HasPrefix(closed["status"], c.status) {
			t.Errorf("%s: %q\nwant %q", c.id, closed["status"], c.status)
		}
		if held := closed["hold"]; (held == "") != (c.hold == "") || !strings.Contains(held, c.hold) {
			t.Errorf("%s is held: %q, want %q", c.id, held, c.hold)
		}
	}
}

func TestWhyBesideAGatewayKnowsWhoStartsTheCard(t *testing.T) {
	w := newWorld(t)
	w.lanesOnly()
	w.must(w.d.Place.Pause("ann", w.clock))
	profile, lane := w.closed(w.card(board.NewTask{Assignee: "dev"})), w.closed(w.card(board.NewTask{Assignee: "sleeper"}))
	if len(profile) != 0 {
		t.Errorf("a gateway would start it, but closed: %v", profile)
	}
	if lane["pause"] == "" || lane["dispatcher"] == "" || len(lane) != 2 {
		t.Errorf("a gateway starts no lane; closed: %v", lane)
	}
}
