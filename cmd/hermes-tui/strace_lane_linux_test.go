package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// faultyRun is one run of a lane during which one system call goes wrong.
type faultyRun struct {
	fault         string
	id, run, lock string

	cmd *exec.Cmd
	log strings.Builder // what the runner printed
	met bool            // the fault was met
	err error           // the runner could not be started or followed
}

// lanes makes the home's only lane: an agent that reports at once.
func (s *traced) lanes() {
	s.t.Helper()
	settings := filepath.Join(s.env.UserHome, ".config", "hermes-tui", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		s.t.Fatal(err)
	}
	const lane = `lanes: {faulty: {routes: [{command: [/bin/sh, -c, 'echo "{\"status\": \"completed\", \"summary\": \"ported\"}"']}]}}`
	if err := os.WriteFile(settings, []byte(lane), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// laneRun prepares a run of a card of its own.
func (s *traced) laneRun(fault string) *faultyRun {
	s.t.Helper()
	r := &faultyRun{fault: fault}
	r.id, r.run, r.lock = s.card("faulty")
	return r
}

// work runs the runner, with the fault unless there is none, until nothing of it
// is left. It leads a session, as under the dispatcher, so that the tracer is put
// aside; the agent is not traced.
func (s *traced) work(r *faultyRun) {
	dir := filepath.Join(s.env.UserHome, "work", r.id)
	if r.err = os.MkdirAll(dir, 0o700); r.err != nil {
		return
	}
	traceR, traceW, err := os.Pipe()
	if err != nil {
		r.err = err
		return
	}
	defer func() { _ = traceR.Close() }()
	cmd := s.under("/dev/fd/3", r.fault, "-DDDfbexecve", "lane", "run", "faulty")
	r.cmd = cmd
	cmd.Env = append(cmd.Env,
		"HERMES_KANBAN_TASK="+r.id, "HERMES_KANBAN_RUN_ID="+r.run, "HERMES_KANBAN_CLAIM_LOCK="+r.lock,
		"HERMES_KANBAN_DB="+filepath.Join(s.env.UserHome, ".hermes", "kanban.db"), "HERMES_KANBAN_BOARD=default", "HERMES_KANBAN_WORKSPACE="+dir)
	cmd.Dir, cmd.Stdout, cmd.ExtraFiles = dir, &r.log, []*os.File{traceW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = traceW.Close()
	if err != nil {
		r.err = err
		return
	}
	trace, err := io.ReadAll(traceR) // until the tracer has ended too
	_ = cmd.Wait()
	r.met, r.err = injected(trace), err
}

// durable reports whether the runner has said that the result is safe.
func (r *faultyRun) durable() bool { return strings.Contains(r.log.String(), "the result is durable") }

func TestALaneLosesNoResultWhateverCallOfItsRunnerFails(t *testing.T) {
	t.Parallel()
	s := newTraced(t)
	s.lanes()
	var runs []*faultyRun
	for _, calls := range []struct {
		names string
		usual int
	}{
		{"fsync,fdatasync", 2}, {"renameat2,renameat,rename", 1}, {"openat", 2}, {"write", 1}, {"pwrite64", 1}, {"unlink,unlinkat", 1}, {"fallocate", 1},
	} {
		for k := 1; k <= straceReach(calls.usual); k++ {
			for _, how := range []string{"error=EIO", "error=ENOSPC", "signal=SIGKILL"} {
				runs = append(runs, s.laneRun(fmt.Sprintf("%s:%s:when=%d", calls.names, how, k)))
			}
		}
	}
	s.workAll(runs)
	met, durable, absent := 0, 0, 0
	for _, r := range runs {
		if r.err != nil {
			t.Fatalf("%s: %v", r.fault, r.err)
		}
		if r.met {
			met++
		}
		command(t, s.env, "journal", "replay")
		switch status, completions, result := s.state(r.id); {
		case status == "done" && completions == 1 && strings.Contains(result, "ported"):
			durable++
		case r.durable() || status != "running" || completions != 0:
			t.Errorf("%s: the card is %s, completed %d times, with %q; the runner said:\n%s", r.fault, status, completions, result, r.log.String())
		default:
			absent++
			s.again(r)
		}
	}
	t.Logf("%d runs, %d faults met; the result was there %d times, absent %d times", len(runs), met, durable, absent)
	if met == 0 || durable == 0 || absent == 0 {
		t.Error("too little happened to prove anything")
	}
	command(t, s.env, "doctor", "--check")
}

// workAll runs them some at a time: a runner whose result could not be kept waits
// before it tries again.
func (s *traced) workAll(runs []*faultyRun) {
	next := make(chan *faultyRun)
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for r := range next {
				s.work(r)
			}
		})
	}
	for _, r := range runs {
		next <- r
	}
	close(next)
	workers.Wait()
}

// again runs a runner in sound health where the one before it left no result:
// what that one left behind must not be in the way.
func (s *traced) again(before *faultyRun) {
	s.t.Helper()
	r := &faultyRun{id: before.id, run: before.run, lock: before.lock}
	s.work(r)
	if r.err != nil {
		s.t.Fatal(r.err)
	}
	if status, completions, _ := s.state(r.id); status != "done" || completions != 1 {
		s.t.Errorf("%s: a run afterwards left the card %s, completed %d times; before:\n%s\nafterwards:\n%s",
			before.fault, status, completions, before.log.String(), r.log.String())
	}
}
