package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// built is the program as a person runs it.
func built(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "hermes-tui")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// terminal is the built program on a real pseudo-terminal, with an emulator that
// shows what a person would see.
type terminal struct {
	t     *testing.T
	cmd   *exec.Cmd
	pty   *os.File
	emu   *vt.SafeEmulator
	drawn chan struct{} // closed when the program's side is closed
	temp  string        // its folder for temporary files
}

func onTerminal(t *testing.T, width, height int, args ...string) *terminal {
	t.Helper()
	s := &terminal{t: t, emu: vt.NewSafeEmulator(width, height), drawn: make(chan struct{}), temp: t.TempDir()}
	s.cmd = exec.Command(built(t), args...)
	home := t.TempDir()
	s.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TMPDIR=" + s.temp}
	var err error
	s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		t.Fatal(err)
	}
	go func() { defer close(s.drawn); _, _ = io.Copy(s.emu, s.pty) }() // ends with an error once the program is gone
	go func() { _, _ = io.Copy(s.pty, s.emu) }()                       // answers of the terminal, and keys
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.pty.Close() })
	return s
}

func (s *terminal) screen() string { return ansi.Strip(s.emu.Render()) }

// wait looks until the screen shows the text. The bound only ends a test that
// hangs.
func (s *terminal) wait(want string) string {
	s.t.Helper()
	pattern := regexp.MustCompile(want)
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for {
		if screen := s.screen(); pattern.MatchString(screen) {
			return screen
		}
		select {
		case <-ctx.Done():
			s.t.Fatalf("never saw %q on\n%s", want, s.screen())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (s *terminal) keys(text string) { s.emu.SendText(text) }

// insist types the key until the screen shows the text: a dialog that has just
// opened ignores keys for a moment.
func (s *terminal) insist(key, want string) {
	s.t.Helper()
	pattern := regexp.MustCompile(want)
	for range 600 {
		if pattern.MatchString(s.screen()) {
			return
		}
		s.keys(key)
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("never saw %q on\n%s", want, s.screen())
}

func (s *terminal) resize(width, height int) {
	s.t.Helper()
	s.emu.Resize(width, height)
	if err := pty.Setsize(s.pty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the program and checks that the terminal is as it was.
func (s *terminal) end(code int) {
	s.t.Helper()
	err := s.cmd.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		s.t.Fatal(err)
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit code %d, want %d; screen:\n%s", got, code, s.screen())
	}
	<-s.drawn
	if s.emu.IsAltScreen() || s.emu.CursorHidden() {
		s.t.Error("the terminal was not restored")
	}
}

// clean checks that nothing of the demo is left.
func (s *terminal) clean() {
	s.t.Helper()
	left, err := filepath.Glob(filepath.Join(s.temp, "hermes-tui-demo-*"))
	if err != nil || len(left) > 0 {
		s.t.Errorf("left behind: %v %v", left, err)
	}
}

func TestTheDemoOnARealTerminal(t *testing.T) {
	s := onTerminal(t, 120, 40, "demo")
	s.wait(`dispatching`)
	s.wait(`↻ reconciled`)
	s.wait(`running`)
	s.keys("?")
	s.wait(`put a card back in the queue`)
	s.keys("\x1b")
	s.wait(`Triage 1`)
	// The zombie that only a person can let go.
	s.keys("/build cache\r")
	s.wait(`claimed, no wo`)
	s.keys("r")
	s.wait(`No worker lives: the card goes back in the queue`)
	s.insist("y", `is back in the queue`)
	s.resize(80, 24)
	s.wait(`hermes\s+demo`)
	s.resize(120, 40)
	s.keys("q")
	s.end(0)
	s.clean()
}

func TestABadgeStaysUntilItsCardWasSeen(t *testing.T) {
	s := onTerminal(t, 200, 50, "demo")
	s.wait(`↻ reconciled`)
	s.wait(`Done [3-9]`) // the flash is long over by then
	s.wait(`↻`)
	s.keys("q")
	s.end(0)
}

func TestAnEndBySignalLeavesTheTerminalAndNoAgentBehind(t *testing.T) {
	s := onTerminal(t, 80, 24, "demo")
	s.wait(`dispatching`)
	s.wait(`[1-9] running`)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.end(130)
	s.clean()
	if out, _ := exec.Command("pgrep", "-f", s.cmd.Path+" demo-agent").Output(); len(out) > 0 {
		t.Errorf("agents are left: %s", out)
	}
}

func TestTheDemoInTmux(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	socket := filepath.Join(t.TempDir(), "s")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(tmux, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("new-session", "-d", "-x", "80", "-y", "24", built(t)+" demo")
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", socket, "kill-server").Run() })
	see := func(want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for !strings.Contains(run("capture-pane", "-p"), want) {
			select {
			case <-ctx.Done():
				t.Fatalf("never saw %q on\n%s", want, run("capture-pane", "-p"))
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	see("dispatching")
	see("reconciled")
	run("send-keys", "?")
	see("put a card back in the queue")
	run("send-keys", "Escape")
	see("running")
}
