package dispatch

import (
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

const now = 1_750_000_000

func ago(seconds int64) *int64 { return new(now - seconds) }

// running is a card that runs since started seconds with the worker 4242 and a
// claim that has left seconds to go.
func running(started, left int64) look {
	lock := "here:1"
	task := core.Task{ID: "t_1", Status: core.Running, ClaimLock: &lock, ClaimExpires: new(now + left), WorkerPID: new(int64(4242)), CurrentRun: new(int64(7))}
	run := core.Run{ID: 7, TaskID: "t_1", StartedAt: now - started}
	return look{
		card:     board.RunningCard{Task: task, Run: &run},
		who:      process.Worker{TaskID: "t_1", PID: task.WorkerPID, RunStarted: run.StartedAt, Now: now},
		sighting: core.Sighting{Verdict: core.AliveOurs, Evidence: "it lives"},
		claimer:  core.Sighting{Verdict: core.Unknown},
	}
}

func (l look) seen(v core.Verdict) look {
	l.sighting = core.Sighting{Verdict: v, Evidence: "so it seems"}
	return l
}

func (l look) certain() look { l.sighting.Certain = true; return l }

func (l look) elsewhere() look { l.sighting.Elsewhere = true; return l }

func (l look) beat(seconds int64) look { l.who.Heartbeat = ago(seconds); return l }

func (l look) ended(code int64) look { l.exit = &board.Exit{Code: code}; return l }

func (l look) without() look { l.card.Task.WorkerPID, l.who.PID = nil, nil; return l }

func TestTheFateOfARunningCardFollowsFromWhatIsKnownAboutItsWorker(t *testing.T) {
	rules := Rules{Kanban: home.Kanban{StaleTimeout: 14400, FailureLimit: 2}, Timing: home.Timing{ClaimTTL: 900, CrashGrace: 30}}
	limited := func(l look, seconds int64) look { l.card.Task.MaxRuntime = &seconds; return l }
	jumped := func(l look, ago int64) look { l.jumped = now - ago; return l }
	undated := func(l look) look { l.card.Run, l.who.RunStarted = nil, 0; return l }
	ending := func(l look) look { l.ending = true; return l }
	hidden := func(l look) look { l.unseen = "permission denied"; return l }
	odd := func(l look, column string) look { l.card.Task.Odd = []string{column}; return l }
	claimer := func(l look, v core.Verdict) look { l.claimer.Verdict = v; return l }
	launched := func(l look, state Launch) look { l.launch = state; return l }
	leased := func(l look, s worker.LeaseState) look { l.lease = s; return l }
	left := func(l look, n int) look { l.left = n; return l }
	for _, c := range []struct {
		name  string
		look  look
		deed  deed
		cause board.Cause
		why   string
	}{
		{"a living worker within its limits is left alone", running(600, 300), leave, "", ""},
		{"a living worker whose claim ran out is renewed", running(600, -60).beat(20), renew, "", ""},
		{"a living worker that never gave a heartbeat is renewed", running(600, -60), renew, "", ""},
		{"a living worker silent for an hour with its claim over is stopped", running(9000, -60).beat(7200), stop, board.Expired, ""},
		{"a living worker silent past the stale timeout is stopped", running(20000, 300).beat(7200), stop, board.Silent, ""},
		{"a living worker past its time limit is stopped", limited(running(61, 300), 60), stop, board.OverTime, ""},
		{"a time limit of zero is none", limited(running(6100, 300), 0), leave, "", ""},
		{"a negative time limit is none", limited(running(6100, 300), -5), leave, "", ""},

		{"a clock that jumped makes no worker silent", jumped(running(86400, -80000).beat(86000), 5), renew, "", ""},
		{"a clock that jumped uses up no time limit", jumped(limited(running(86400, 300), 60), 5), leave, "", ""},
		{"after a jump silence is counted anew", jumped(running(90000, -80000).beat(86000), 3700), stop, board.Expired, ""},
		{"a clock set back makes no worker silent", running(-80000, 90000).beat(-80000), leave, "", ""},

		{"what cannot be told is held", running(600, 300).seen(core.Unknown), hold, "", "liveness unknown"},
		{"what cannot be told is held when the claim is over too", running(600, -60).seen(core.Unknown), hold, "", "liveness unknown"},
		{"an unexpired claim of another machine is left alone", running(600, 300).seen(core.Unknown).elsewhere(), leave, "", ""},
		{"an expired but beating claim of another machine is held", running(600, -60).seen(core.Unknown).elsewhere().beat(30), hold, "", "another machine"},
		{"an expired silent claim of another machine is released", running(80000, -70000).seen(core.Unknown).elsewhere(), end, board.Expired, ""},

		{"after a jump of the clock a claim of another machine without a heartbeat is held", jumped(running(600, -60).seen(core.Unknown).elsewhere(), 5), hold, "", "another machine"},
		{"a living worker whose run has no start is not taken for silent", undated(running(0, 300)), leave, "", ""},

		{"a dead worker is a crash", running(600, 300).seen(core.Dead), end, board.Died, ""},
		{"a recycled pid is a crash", running(600, -60).seen(core.AliveOther), end, board.Died, ""},
		{"a fresh heartbeat beats a pid out of sight", running(600, 300).seen(core.Dead).beat(20), hold, "", "alive by heartbeat"},
		{"a heartbeat does not beat a certain death", running(600, 300).seen(core.Dead).beat(20).certain(), end, board.Died, ""},
		{"a heartbeat does not beat an exit that was seen", running(600, 300).seen(core.Dead).beat(20).ended(1), end, board.Died, ""},
		{"a run that has just begun gets time to start", running(10, 890).seen(core.Dead), hold, "", "still be starting"},
		{"a child that has just ended waits for its exit", ending(running(600, 300).seen(core.Dead).certain()), hold, "", "just ended"},
		{"exit 0 without a report breaks the protocol", running(600, 300).seen(core.Dead).ended(0), end, board.CleanExit, ""},
		{"exit 75 is a quota", running(600, 300).seen(core.Dead).ended(75), end, board.Quota, ""},
		{"exit 78 cannot work", running(600, 300).seen(core.Dead).ended(78), end, board.CannotWork, ""},
		{"exit 76 never started", running(600, 300).seen(core.Dead).ended(76), end, board.NeverStarted, ""},
		{"a worker that went down with its dispatcher is a victim", claimer(running(600, 300).seen(core.Dead), core.Dead), end, board.Restarted, ""},
		{"the end of a dispatcher that ran once makes no victims", launched(claimer(running(600, 300).seen(core.Dead), core.Dead), RanOnce), end, board.Died, ""},
		{"a known exit makes no victim", claimer(running(600, 300).seen(core.Dead).ended(1), core.Dead), end, board.Died, ""},

		{"a worker that was told to end together with its dispatcher is a victim", claimer(running(600, 300).seen(core.Dead).ended(143), core.Dead), end, board.Restarted, ""},
		{"a worker that was told to end while its dispatcher lives is a crash", claimer(running(600, 300).seen(core.Dead).ended(143), core.AliveOurs), end, board.Died, ""},

		{"a dead worker whose group cannot be looked at is held", hidden(running(600, 300).seen(core.Dead).certain()), hold, "", "permission denied"},
		{"a lease that is held holds the card", leased(running(600, 300).seen(core.Dead).certain(), worker.LeaseHeld), hold, "", "holds the lease"},
		{"what a dead worker left running holds the card at first", left(running(60, 300).seen(core.Dead).certain(), 2), hold, "", "still run"},
		{"what a dead worker left running is stopped in the end", left(running(600, 300).seen(core.Dead).certain(), 2), stop, board.Died, ""},

		{"a claim by hand is kept until it runs out", running(120, 780).without(), leave, "", ""},
		{"a claim by hand that ran out is released", running(1000, -100).without(), end, board.Expired, ""},
		{"a claim by hand that ran out but beats is held", running(1000, -100).without().beat(20), hold, "", "heartbeat"},
		{"a launch of ours that was cut off is known at once", launched(running(120, 21480).without(), CutOff), end, board.NeverStarted, ""},
		{"a launch under way is left alone", launched(running(5, -1).without(), UnderWay), leave, "", ""},
		{"a launch record that cannot be read holds the card", launched(running(1000, -100).without(), Unlegible), hold, "", "cannot be read"},

		{"a pid that is no number is left alone", odd(running(600, -60), "worker_pid"), hold, "", "cannot be read"},
		{"an expiry that is no number is left alone", odd(running(600, -60), "claim_expires"), hold, "", "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := judge(c.look, rules, now)
			if got.deed != c.deed || got.cause != c.cause || !strings.Contains(got.why, c.why) {
				t.Errorf("judged %+v, want deed %d, cause %q, why with %q", got, c.deed, c.cause, c.why)
			}
		})
	}
}

func TestAJumpOfTheWallClockAndASleepOfTheMachineAreNoticed(t *testing.T) {
	var c clockwork
	if c.look(1000, 0) != 0 || c.look(1060, 60e9) != 0 || c.look(1130, 125e9) != 0 {
		t.Error("a steady clock was taken for a jump")
	}
	if got := c.look(5000, 130e9); got != 5000 {
		t.Errorf("a sleep: %d, want 5000", got)
	}
	if got := c.look(100, 140e9); got != 100 {
		t.Errorf("set back: %d, want 100", got)
	}
	if got := c.look(110, 150e9); got != 100 {
		t.Errorf("afterwards: %d, want 100", got)
	}
}
