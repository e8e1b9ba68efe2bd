package process

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
)

func stopper() *Stopper {
	return &Stopper{Table: &Table{Host: "here"}, Self: int64(os.Getpid()), Sleep: poll}
}

// worker is what a board says of a real child.
func worker(pid int64) Worker {
	print := (&Table{}).Fingerprint(pid)
	return Worker{TaskID: "t_1", PID: &pid, Fingerprint: &print, Lock: ptr("here:1")}
}

func TestWorkerThatHeedsTermIsNotKilled(t *testing.T) {
	pid, reaped := child(t, "wait", true)
	got := stopper().Stop(t.Context(), worker(pid))
	want := core.Termination{PrevPID: got.PrevPID, HostLocal: true, Attempted: true, Terminated: true}
	if got != want || *got.PrevPID != pid {
		t.Errorf("got %+v", got)
	}
	<-reaped
}

func TestWorkerThatIgnoresTermIsKilled(t *testing.T) {
	pid, _ := child(t, "stubborn", true)
	got := stopper().Stop(t.Context(), worker(pid))
	if !got.Terminated || !got.Sigkill || !got.Attempted {
		t.Errorf("got %+v", got)
	}
}

func TestChildrenOfAWorkerEndWithIt(t *testing.T) {
	pid, _ := child(t, "family", true)
	s := stopper()
	w := worker(pid)
	before, err := s.Table.Left(w)
	if err != nil || len(before) != 2 {
		t.Fatalf("%v %v", before, err)
	}
	// The worker itself ends at TERM; its child has to be killed afterwards,
	// when nothing but the group is left to prove whose it is.
	got := s.Stop(t.Context(), w)
	if !got.Terminated || !got.Sigkill {
		t.Errorf("got %+v", got)
	}
	after, err := s.Table.Left(w)
	if err != nil || len(after) != 0 {
		t.Errorf("left: %v %v", after, err)
	}
}

func TestWorkerInTheGroupOfOthersIsSignalledAlone(t *testing.T) {
	pid, _ := child(t, "wait", false) // in the group of this test
	s := stopper()
	var sent []string
	s.Signal = func(pid int64, sig syscall.Signal) error {
		sent = append(sent, fmt.Sprint(pid, " ", int(sig)))
		return syscall.Kill(int(pid), sig)
	}
	if got := s.Stop(t.Context(), worker(pid)); !got.Terminated {
		t.Errorf("got %+v", got)
	}
	if want := []string{fmt.Sprint(pid, " 15")}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

func TestSurvivorIsReportedAsSuch(t *testing.T) {
	pid, _ := child(t, "wait", true)
	s := stopper()
	var sent []syscall.Signal
	s.Signal = func(target int64, sig syscall.Signal) error {
		if target != -pid {
			t.Errorf("signal to %d", target)
		}
		sent = append(sent, sig)
		return nil // as for a process in uninterruptible sleep
	}
	slept := time.Duration(0)
	s.Sleep = func(_ context.Context, d time.Duration) error { slept += d; return nil }
	got := s.Stop(t.Context(), worker(pid))
	if got.Terminated || !got.Attempted || !got.Sigkill || got.SignalRefused {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(sent, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}) || slept != 2*DefaultGrace {
		t.Errorf("sent %v, waited %s", sent, slept)
	}
}

func TestStopEndsWithItsContext(t *testing.T) {
	pid, _ := child(t, "stubborn", true)
	s := stopper()
	ctx, cancel := context.WithCancel(t.Context())
	s.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	got := s.Stop(ctx, worker(pid))
	if got.Terminated || got.Sigkill || !got.Attempted {
		t.Errorf("got %+v", got)
	}
}

func TestRefusedSignalIsReported(t *testing.T) {
	pid, _ := child(t, "wait", true)
	s := stopper()
	s.Signal = func(int64, syscall.Signal) error { return syscall.EPERM }
	got := s.Stop(t.Context(), worker(pid))
	if got.Terminated || got.Attempted || !got.SignalRefused {
		t.Errorf("got %+v", got)
	}
}

func TestWhoIsNotProvenIsNotSignalled(t *testing.T) {
	pid, _ := child(t, "wait", true)
	s := stopper()
	s.Signal = func(pid int64, sig syscall.Signal) error {
		t.Errorf("signal %d to %d", sig, pid)
		return nil
	}
	mine := worker(pid)
	epoch, err := s.Table.epoch()
	if err != nil {
		t.Fatal(err)
	}
	self := int64(os.Getpid())
	for name, c := range map[string]struct {
		change func(*Worker)
		want   core.Termination
	}{
		"no pid":     {func(w *Worker) { w.PID = nil }, core.Termination{}},
		"recycled":   {func(w *Worker) { w.Fingerprint = ptr(epoch + "|1") }, core.Termination{HostLocal: true, Terminated: true, PIDRecycled: true}},
		"other boot": {func(w *Worker) { w.Fingerprint = ptr("x:1|1") }, core.Termination{HostLocal: true, Terminated: true, PIDRecycled: true}},
		"unverified": {func(w *Worker) { w.Fingerprint = ptr(Unverified) }, core.Termination{HostLocal: true, SignalRefused: true}},
		"unproven":   {func(w *Worker) { w.Fingerprint = nil; w.RunStarted = time.Now().Unix() }, core.Termination{HostLocal: true, SignalRefused: true}},
		"foreign":    {func(w *Worker) { w.Fingerprint, w.Lock = nil, ptr("away:1") }, core.Termination{}},
		"ourselves":  {func(w *Worker) { w.PID, w.Fingerprint = &self, ptr(s.Table.Fingerprint(self)) }, core.Termination{HostLocal: true, SignalRefused: true}},
		"gone":       {func(w *Worker) { w.PID = ptr(int64(1<<31 - 2)) }, core.Termination{HostLocal: true, Attempted: true, Terminated: true}},
		"unverified gone": {func(w *Worker) { w.PID, w.Fingerprint = ptr(int64(1<<31-2)), ptr(Unverified) },
			core.Termination{HostLocal: true, SignalRefused: true, Terminated: true}},
		"zero":      {func(w *Worker) { w.PID = ptr(int64(0)) }, core.Termination{HostLocal: true, Attempted: true, Terminated: true}},
		"minus one": {func(w *Worker) { w.PID = ptr(int64(-1)) }, core.Termination{HostLocal: true, Attempted: true, Terminated: true}},
	} {
		w := mine
		w.Now = time.Now().Unix()
		c.change(&w)
		c.want.PrevPID = w.PID
		if got := s.Stop(t.Context(), w); got != c.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestProofThatFailsDuringTheGraceSparesTheProcess(t *testing.T) {
	pid, _ := child(t, "stubborn", false)
	s := stopper()
	w := worker(pid)
	var sent []syscall.Signal
	s.Signal = func(_ int64, sig syscall.Signal) error { sent = append(sent, sig); return nil }
	s.Sleep = func(context.Context, time.Duration) error { *w.Fingerprint = Unverified; return nil }
	got := s.Stop(t.Context(), w)
	if !slices.Equal(sent, []syscall.Signal{syscall.SIGTERM}) || got.Sigkill || got.Terminated {
		t.Errorf("sent %v, got %+v", sent, got)
	}
}

func TestProcessThatIsRecycledDuringTheGraceIsSpared(t *testing.T) {
	pid, _ := child(t, "stubborn", true)
	s := stopper()
	w := worker(pid)
	var sent []syscall.Signal
	s.Signal = func(_ int64, sig syscall.Signal) error { sent = append(sent, sig); return nil }
	s.Sleep = func(context.Context, time.Duration) error {
		// During the grace the pid goes to somebody else: the row stays the
		// same, the process behind the number is another one.
		*w.Fingerprint = "x:1|1"
		return nil
	}
	got := s.Stop(t.Context(), w)
	if !slices.Equal(sent, []syscall.Signal{syscall.SIGTERM}) || got.Sigkill || !got.Terminated {
		t.Errorf("sent %v, got %+v", sent, got)
	}
}
