package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/process"
)

func TestIdentityIsKnownBeforeTheProgramBegins(t *testing.T) {
	dir := t.TempDir()
	s := starterIn(dir)
	d := start(t, s, specIn(dir, "echo pid $$ in $(pwd); touch ran; exit 3"))
	log := filepath.Join(dir, "logs", "t_1.log")
	if got := read(t, log); got != process.RunMark("t_1", 7)+"\n" {
		t.Errorf("before the release the log says %q", got)
	}
	w := process.Worker{TaskID: "t_1", PID: &d.PID, Fingerprint: &d.Fingerprint}
	if got := s.Table.Sight(w); got.Verdict != core.AliveOurs {
		t.Errorf("at the barrier: %+v", got)
	}
	facts, err := s.Table.Look(d.PID)
	if err != nil || facts.Session != d.PID || facts.Group != d.PID {
		t.Errorf("not the leader of its session: %+v %v", facts, err)
	}
	if named, err := s.Table.Names(d.PID, "t_1"); !named {
		t.Errorf("it does not name its task: %v", err)
	}
	if exists(filepath.Join(workspace(dir), "ran")) {
		t.Fatal("the program ran before it was let go")
	}
	if err := d.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-d.reaped
	if exit, found := s.Children.Exit(d.PID); !found || exit.Code != 3 {
		t.Errorf("exit %+v %v", exit, found)
	}
	want := fmt.Sprintf("pid %d in %s\n", d.PID, filepath.Join(dir, "workspaces", "t_1"))
	if got := read(t, log); !strings.HasSuffix(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
}

func TestClosedBarrierStartsNothing(t *testing.T) {
	dir := t.TempDir()
	s := starterIn(dir)
	d := start(t, s, specIn(dir, "touch ran"))
	if err := d.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exit, found := s.Children.Exit(d.PID); !found || exit.Code != ExitAborted {
		t.Errorf("exit %+v %v", exit, found)
	}
	if exists(filepath.Join(workspace(dir), "ran")) {
		t.Error("the program ran")
	}
	if got := (RunDir{filepath.Join(dir, "state"), "default"}).Lease("t_1", 7); got != LeaseFree {
		t.Errorf("lease %s", got)
	}
}

func TestDispatcherThatIsKilledStartsNothing(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "dispatcher", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.ParseInt(firstLine(t, out), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	run := RunDir{filepath.Join(dir, "state"), "default"}
	if got := run.Lease("t_1", 7); got != LeaseHeld {
		t.Errorf("at the barrier the lease is %s", got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	table := &process.Table{}
	until(t, "the barrier ends with its dispatcher", func() bool {
		facts, err := table.Look(pid)
		return errors.Is(err, process.ErrNoProcess) || err == nil && facts.Zombie
	})
	if exists(filepath.Join(dir, "workspaces", "t_1", "ran")) {
		t.Error("the program ran")
	}
	until(t, "the lease is free", func() bool { return run.Lease("t_1", 7) == LeaseFree })
}

func TestProgramThatCannotBeStartedIsReported(t *testing.T) {
	for name, text := range map[string]string{
		"no format":      "\x7fELF and nothing else",
		"no interpreter": "#!/no/such/interpreter\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "agent")
			if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			s, spec := starterIn(dir), specIn(dir, "")
			spec.Lane = []string{program}
			d := start(t, s, spec)
			if err := d.Release(t.Context()); !errors.Is(err, ErrNotStarted) {
				t.Errorf("got %v", err)
			}
			if exit, found := s.Children.Exit(d.PID); !found || exit.Code != ExitNoExec {
				t.Errorf("exit %+v %v", exit, found)
			}
			if log := read(t, filepath.Join(dir, "logs", "t_1.log")); !strings.Contains(log, program) {
				t.Errorf("the log does not say it: %q", log)
			}
		})
	}
}

func TestBarrierThatWasKilledIsNoStart(t *testing.T) {
	dir := t.TempDir()
	d := start(t, starterIn(dir), specIn(dir, "touch ran"))
	if err := syscall.Kill(int(d.PID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-d.reaped
	if err := d.Release(t.Context()); !errors.Is(err, ErrNotStarted) {
		t.Errorf("got %v", err)
	}
}

func TestStoppedBarrierIsUnconfirmedAndStillCounts(t *testing.T) {
	dir := t.TempDir()
	d := start(t, starterIn(dir), specIn(dir, "touch ran"))
	if err := syscall.Kill(int(d.PID), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	run := RunDir{filepath.Join(dir, "state"), "default"}
	if got := run.Lease("t_1", 7); got != LeaseHeld {
		t.Errorf("a stopped process does not hold its lease: %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Release(ctx); !errors.Is(err, ErrUnconfirmed) {
		t.Errorf("got %v", err)
	}
	if err := syscall.Kill(int(d.PID), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	<-d.reaped
	if !exists(filepath.Join(workspace(dir), "ran")) {
		t.Error("the word to go was lost")
	}
}

func TestLeaseIsHeldByADescendant(t *testing.T) {
	dir := t.TempDir()
	gate := fifo(t, dir)
	d := start(t, starterIn(dir), specIn(dir, "(read x < "+gate+") & exit 0"))
	run := RunDir{filepath.Join(dir, "state"), "default"}
	if err := d.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-d.reaped
	if got := run.Lease("t_1", 7); got != LeaseHeld {
		t.Errorf("the worker is gone, its child is not: lease %s", got)
	}
	// Nobody may start that run beside it.
	if _, err := both(t.Context(), starterIn(dir), specIn(dir, "true")); !errors.Is(err, ErrLeaseHeld) {
		t.Errorf("a second start: %v", err)
	}
	f, err := os.OpenFile(gate, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	until(t, "the lease is free", func() bool { return run.Lease("t_1", 7) == LeaseFree })
}

func TestProgramInheritsTheLeaseAndNothingElse(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("this system has no /proc to list open files")
	}
	dir := t.TempDir()
	d := start(t, starterIn(dir), specIn(dir, "exec ls -l /proc/self/fd"))
	if err := d.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-d.reaped
	log := read(t, filepath.Join(dir, "logs", "t_1.log"))
	if !strings.Contains(log, "0 -> /dev/null") || !strings.Contains(log, "4 -> "+filepath.Join(dir, "state", "default", "run", "t_1.7.lease")) {
		t.Errorf("the log says %q", log)
	}
	if strings.Contains(log, " 3 -> pipe") || strings.Contains(log, " 5 -> ") {
		t.Errorf("a pipe of the barrier is still open: %q", log)
	}
}

func TestBarrierByHandDoesNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	cmd := exec.Command(self, "worker-start", "/bin/sh", "sh", "-c", "touch "+ran)
	err = cmd.Run()
	if cmd.ProcessState.ExitCode() != ExitAborted || exists(ran) {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeStartedLeavesNothing(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"id with a path":      func(s *Spec) { s.Task.ID = "../../t_1" },
		"id with a slash":     func(s *Spec) { s.Task.ID = "a/b" },
		"no id":               func(s *Spec) { s.Task.ID = "" },
		"id with a line end":  func(s *Spec) { s.Task.ID = "t_1\n" },
		"endless id":          func(s *Spec) { s.Task.ID = strings.Repeat("x", 65) },
		"no run":              func(s *Spec) { s.Run = 0 },
		"board with a path":   func(s *Spec) { s.Board.Slug = ".." },
		"no profile":          func(s *Spec) { s.Profile = "" },
		"profile is a switch": func(s *Spec) { s.Profile = "--yolo" },
	} {
		dir := t.TempDir()
		spec := specIn(dir, "true")
		change(&spec)
		if _, err := both(t.Context(), starterIn(dir), spec); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v %v", name, left, err)
		}
	}
}

func TestMissingProgramIsAnErrorBeforeAnythingStarts(t *testing.T) {
	for _, program := range []string{"no-such-agent", "/no/such/agent", "./agent", ""} {
		dir := t.TempDir()
		spec := specIn(dir, "")
		spec.Lane = []string{program}
		if _, err := both(t.Context(), starterIn(dir), spec); err == nil || !strings.Contains(err.Error(), "find the program") {
			t.Errorf("%q: %v", program, err)
		}
		if exists(filepath.Join(dir, "logs")) || exists(filepath.Join(dir, "state")) {
			t.Errorf("%q: something was made", program)
		}
	}
}

func TestLogGoesOnFromRunToRun(t *testing.T) {
	dir := t.TempDir()
	s := starterIn(dir)
	for run := int64(1); run <= 2; run++ {
		spec := specIn(dir, "echo run; printf '[kanban-worker-exit] rc=75'; kill -9 $$")
		if run == 2 {
			spec.Lane[2] = "kill -9 $$"
		}
		spec.Run = run
		d := start(t, s, spec)
		if err := d.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-d.reaped
	}
	log := filepath.Join(dir, "logs", "t_1.log")
	if got := read(t, log); !strings.Contains(got, "run\n") || strings.Count(got, "=== HERMES_KANBAN_RUN") != 2 {
		t.Errorf("the log says %q", got)
	}
	if code, found := process.ExitFromLog(log); found {
		t.Errorf("the end of the first run, %d, is taken for that of the second", code)
	}
	info, err := os.Stat(log)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
