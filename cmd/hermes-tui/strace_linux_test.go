package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// straceReach is up to which call of a kind the system is made to fail:
// HERMES_TUI_STRACE, or the first few.
func straceReach(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("HERMES_TUI_STRACE")); err == nil {
		return n
	}
	return usual
}

// traced is the program under a system that can be made to fail.
type traced struct {
	t       *testing.T
	env     home.Env
	strace  string
	program string
	result  string // a file
}

func newTraced(t *testing.T) *traced {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if out, err := exec.Command(strace, "-qq", "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v: %s", err, out)
	}
	program, err := exec.LookPath("hermes-tui") // the test binary under that name
	if err != nil {
		t.Fatal(err)
	}
	s := &traced{t: t, env: testEnv(t), strace: strace, program: program}
	s.result = filepath.Join(s.env.UserHome, "result.json")
	if err := os.WriteFile(s.result, []byte(`{"status": "completed", "summary": "ported"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, s.env, "init")
	return s
}

// card makes a card that is worked on and returns it with its run and its lock.
func (s *traced) card(assignee string) (id, run, lock string) {
	s.t.Helper()
	var made struct{ ID string }
	s.parse(command(s.t, s.env, "task", "create", "one", "--assignee", assignee, "--json"), &made)
	var claimed struct {
		Results []struct {
			Run  int64
			Lock string
		}
	}
	s.parse(command(s.t, s.env, "task", "claim", made.ID, "--json"), &claimed)
	return made.ID, fmt.Sprint(claimed.Results[0].Run), claimed.Results[0].Lock
}

func (s *traced) parse(text string, into any) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
}

// record runs journal record with the fault and returns the exit code, -1 for a
// signal, and whether the fault was met.
func (s *traced) record(id, run, fault string) (code int, met bool) {
	s.t.Helper()
	trace := filepath.Join(s.env.UserHome, "trace")
	cmd := s.under(trace, fault, "-f", "journal", "record", "--task", id, "--run", run, "--result-file", s.result, "--summary", "ported")
	_ = os.Remove(trace)
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), injected(text)
}

// under is the program with the arguments, traced in the way given, whose trace
// goes into the file.
func (s *traced) under(trace, fault, how string, args ...string) *exec.Cmd {
	options := []string{how, "-qq", "-o", trace}
	if fault != "" {
		calls, _, _ := strings.Cut(fault, ":")
		options = append(options, "-e", "trace="+calls, "-e", "inject="+fault)
	}
	cmd := exec.Command(s.strace, slices.Concat(options, []string{s.program}, args)...)
	// Calls are counted by thread: the fewer threads, the more of them are met.
	cmd.Env = append(slices.Clone(s.env.Vars), "GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0", "HERMES_KANBAN_BUSY_TIMEOUT_MS=5000")
	cmd.Dir = s.env.Cwd
	return cmd
}

// injected reports whether a trace shows that the fault was met.
func injected(trace []byte) bool {
	return bytes.Contains(trace, []byte("(INJECTED)")) || bytes.Contains(trace, []byte("killed by SIGKILL"))
}

// state is what the card and its journals say.
func (s *traced) state(id string) (status string, completions int, result string) {
	s.t.Helper()
	var shown struct {
		Task struct {
			Status string
			Result *string
		}
		Events []struct{ Kind string }
	}
	s.parse(command(s.t, s.env, "task", "show", id, "--json"), &shown)
	for _, e := range shown.Events {
		if e.Kind == "completed" {
			completions++
		}
	}
	if shown.Task.Result != nil {
		result = *shown.Task.Result
	}
	return shown.Task.Status, completions, result
}

func TestAResultIsWholeOrAbsentWhateverCallFails(t *testing.T) {
	t.Parallel()
	s := newTraced(t)
	want, err := os.ReadFile(s.result)
	if err != nil {
		t.Fatal(err)
	}
	met, acknowledged, absent := 0, 0, 0
	for _, calls := range []struct {
		names string
		usual int
	}{
		{"fsync,fdatasync", 4}, {"renameat2,renameat,rename", 2}, {"openat", 2}, {"write", 2}, {"pwrite64", 3}, {"unlink,unlinkat", 1},
	} {
		for k := 1; k <= straceReach(calls.usual); k++ {
			for _, how := range []string{"error=EIO", "error=ENOSPC", "signal=SIGKILL"} {
				fault := fmt.Sprintf("%s:%s:when=%d", calls.names, how, k)
				id, run, _ := s.card("default")
				code, was := s.record(id, run, fault)
				if was {
					met++
				}
				known := code == exitDone || code == exitLater
				command(t, s.env, "journal", "replay")
				switch status, completions, result := s.state(id); {
				case status == "done" && completions == 1 && result == string(want):
					acknowledged++
				case known || status != "running" || completions != 0:
					t.Errorf("%s: exit code %d; the card is %s, completed %d times, with %q", fault, code, status, completions, result)
				default:
					absent++
					if code, _ := s.record(id, run, ""); code != exitDone {
						t.Errorf("%s: the result cannot be recorded afterwards: exit code %d", fault, code)
					}
				}
			}
		}
	}
	t.Logf("%d faults met; the result was there %d times, absent %d times", met, acknowledged, absent)
	if met == 0 || acknowledged == 0 || absent == 0 {
		t.Error("too little happened to prove anything")
	}
	var listed struct{ Pending, Quarantined []struct{ File string } }
	s.parse(command(t, s.env, "journal", "list", "--json"), &listed)
	if len(listed.Pending) > 0 || len(listed.Quarantined) > 0 {
		t.Errorf("left pending %v, in quarantine %v", listed.Pending, listed.Quarantined)
	}
	command(t, s.env, "doctor", "--check")
}
