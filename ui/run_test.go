package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

// helperMode makes the test binary show a board instead of running tests.
const helperMode = "UI_TEST_SCREEN"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperMode); mode != "" {
		os.Exit(helperScreen(mode))
	}
	os.Exit(m.Run())
}

// helperScreen is the program that the tests of endings run in a terminal.
func helperScreen(mode string) int {
	board := &fakeBoard{now: time.Now, moved: true}
	board.cards, board.events = sampleCards(time.Now().Unix())
	deps := Deps{Board: board, BoardName: "default", BoardPath: "/b/kanban.db", Now: time.Now}
	switch mode {
	case "panic-in-update":
		deps.Known = func(string) bool { panic("broken in \x1b[2Jupdate") }
	case "panic-in-command":
		deps.Tick = func(context.Context) (*dispatch.Report, error) { panic("broken in a command") }
	}
	deps.Stand = func(context.Context, string) (operator.Standing, error) { return operator.Standing{}, nil }
	deps.Acts = fakeActs{}
	deps.Editor = func(path string) *exec.Cmd {
		script := `printf ' and edited\n' >>"$1"`
		if mode == "failing-editor" {
			script = "exit 3"
		}
		return exec.Command("/bin/sh", "-c", script, "sh", path)
	}
	deps.DraftDir = os.Getenv("HOME")
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	code, err := Run(context.Background(), deps, Options{Dispatch: true, Log: log, LogPath: "/b/log", Terminal: os.Stdout})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// terminal runs the helper in a real pseudo terminal.
type terminal struct {
	t     *testing.T
	cmd   *exec.Cmd
	ptmx  *os.File
	emu   *vt.SafeEmulator
	quiet chan struct{}
}

func open(t *testing.T, mode string, env ...string) *terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append([]string{helperMode + "=" + mode, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	term := &terminal{t: t, cmd: cmd, ptmx: ptmx, emu: vt.NewSafeEmulator(80, 24), quiet: make(chan struct{})}
	go func() { defer close(term.quiet); _, _ = io.Copy(term.emu, ptmx) }()
	go func() { _, _ = io.Copy(ptmx, term.emu) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = ptmx.Close()
		hangUp(term.emu)
	})
	return term
}

// await blocks until the words are on the screen.
func (term *terminal) await(words string) {
	term.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(screenText(term.emu), words); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			term.t.Fatalf("%q never came:\n%s", words, screenText(term.emu))
		}
	}
}

// end waits for the program and checks that the terminal is as it was.
func (term *terminal) end(code int) {
	term.t.Helper()
	err := term.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		term.t.Fatal(err)
	}
	<-term.quiet
	if got := term.cmd.ProcessState.ExitCode(); got != code {
		term.t.Errorf("exit code %d, want %d\n%s", got, code, screenText(term.emu))
	}
	if term.emu.IsAltScreen() {
		term.t.Error("left on the alternate screen")
	}
	if term.emu.CursorHidden() {
		term.t.Error("the cursor is hidden")
	}
}

func TestQuitLeavesACleanTerminal(t *testing.T) {
	term := open(t, "plain")
	term.await("Port the parser")
	term.emu.SendText("q")
	term.end(0)
}

func TestSignalsLeaveACleanTerminal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			term := open(t, "plain")
			term.await("Port the parser")
			if err := term.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			term.end(128 + int(sig))
		})
	}
}

func TestPanicLeavesACleanTerminalAndNamesTheLog(t *testing.T) {
	for _, mode := range []string{"panic-in-update", "panic-in-command"} {
		t.Run(mode, func(t *testing.T) {
			term := open(t, mode)
			term.end(2)
			screen := screenText(term.emu)
			if !strings.Contains(screen, "the screen broke") || !strings.Contains(screen, `"/b/log"`) {
				t.Errorf("the log is not named:\n%s", screen)
			}
		})
	}
}

func TestResizeOfARealTerminal(t *testing.T) {
	term := open(t, "plain")
	term.await("Port the parser")
	term.emu.Resize(39, 10)
	if err := pty.Setsize(term.ptmx, &pty.Winsize{Rows: 10, Cols: 39}); err != nil {
		t.Fatal(err)
	}
	term.await("needs 40x8")
	term.emu.SendText("q")
	term.end(0)
}

func TestClosedTerminalEndsTheProgram(t *testing.T) {
	term := open(t, "plain")
	term.await("Port the parser")
	_ = term.ptmx.Close()
	err := term.cmd.Wait()
	if err == nil {
		t.Error("a lost terminal looks like a quit")
	}
}

func TestTextGoesThroughThePersonsEditor(t *testing.T) {
	for mode, want := range map[string]string{"plain": "typed here and edited", "failing-editor": "the editor ended with an error"} {
		home := t.TempDir()
		term := open(t, mode, "HOME="+home)
		term.await("Port the parser")
		term.emu.SendText("n")
		term.await("New card")
		term.emu.SendText("\ttyped here")
		term.await("typed here")
		term.emu.SendText("\x0f")
		term.await(want)
		term.emu.SendText("\x1b")
		term.await("Port the parser")
		if left, _ := filepath.Glob(filepath.Join(home, "*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if err := term.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		term.end(128 + int(syscall.SIGTERM))
	}
}
