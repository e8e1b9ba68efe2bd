package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

// nobody is the user that owns nothing.
const nobody = 65534

// asNobody returns the built program in a place from which a user who may not
// write to the board can run it.
func asNobody(t *testing.T, dir string) func(args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "hermes-tui") // its name makes the test binary the program
	if err := os.Link(self, program); err != nil {
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "USER=tester", "GORACE=atexit_sleep_ms=0"}
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return cmd
	}
}

func TestWhereNoLockFileCanBeMadeNothingIsDispatched(t *testing.T) {
	env := testEnv(t)
	command(t, env, "init")
	command(t, env, "task", "create", "x", "--assignee", "default")
	root := filepath.Join(env.UserHome, ".hermes")
	for dir, mode := range map[string]os.FileMode{filepath.Dir(env.UserHome): 0o755, env.UserHome: 0o755, root: 0o555} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(root, 0o755) })
	db := filepath.Join(root, "kanban.db")
	if err := os.Chmod(db, 0o666); err != nil { // the file itself could be written
		t.Fatal(err)
	}
	before, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	run := asNobody(t, env.UserHome)
	for _, args := range [][]string{{"dispatch", "--once"}, {"dispatch", "--interval", "1h"}, {"dispatch", "--once", "--all-boards"}} {
		out, err := run(args...).CombinedOutput()
		if errors.Is(err, syscall.EPERM) {
			t.Skip("another user cannot be put on here:", err)
		}
		var failed *exec.ExitError
		if !errors.As(err, &failed) || failed.ExitCode() != exitFailed || !strings.Contains(string(out), "permission denied") || !strings.Contains(string(out), "lock") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if after, err := os.ReadFile(db); err != nil || string(after) != string(before) {
		t.Error("the board was written to", err)
	}
	if out, err := run("task", "list").CombinedOutput(); err != nil {
		t.Errorf("the board cannot be looked at: %v\n%s", err, out)
	}
}

func TestDispatchingOnANetworkFileSystemHasToBeAllowed(t *testing.T) {
	env := testEnv(t)
	command(t, env, "init")
	settings := filepath.Join(env.UserHome, "settings.yaml")
	if err := os.WriteFile(settings, []byte("allow_network_fs: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	allowing := env
	allowing.Vars = append(append([]string{}, env.Vars...), "HERMES_TUI_CONFIG="+settings)
	for _, c := range []struct {
		name  string
		o     dispatching
		asked bool
	}{
		{"by nothing", dispatching{once: true}, true},
		{"by the flag", dispatching{once: true, allowNetworkFS: true}, false},
	} {
		a := newApp(env, strings.NewReader(""), io.Discard, io.Discard)
		p, err := a.takePost(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if asked := p.dispatcher.NetworkFS != nil; asked != c.asked {
			t.Errorf("%s: asked %v", c.name, asked)
		}
		a.close()
	}
	a := newApp(allowing, strings.NewReader(""), io.Discard, io.Discard)
	defer a.close()
	p, err := a.takePost(t.Context(), dispatching{once: true})
	if err != nil {
		t.Fatal(err)
	}
	if p.dispatcher.NetworkFS != nil {
		t.Error("the settings allow it and it is asked")
	}
}

func TestALoopOnANetworkFileSystemEndsWithARefusal(t *testing.T) {
	env := testEnv(t)
	command(t, env, "init")
	var errOut strings.Builder
	a := newApp(env, strings.NewReader(""), io.Discard, &errOut)
	p, err := a.takePost(t.Context(), dispatching{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.leave()
	p.dispatcher.NetworkFS = func(string) (bool, string, error) { return true, "nfs4", nil }
	err = p.round(t.Context())
	if !errors.Is(err, dispatch.ErrNetworkFS) || exitCode(err) != exitFailed {
		t.Errorf("got %v", err)
	}
	if code := a.finish(err); code != exitFailed || !strings.Contains(errOut.String(), "network file system (nfs4): viewing only, dispatching is off") {
		t.Errorf("%d: %s", code, errOut.String())
	}
}
