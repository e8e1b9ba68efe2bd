package attention

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Command is a program of the person's choice with its arguments. It is never
// given to a shell; what the card says reaches it as variables.
type Command struct {
	Argv  []string
	Env   []string // of the program, in the form "NAME=value"
	Board string   // name of the board
	// Clean makes a harmless line of a text from a board.
	Clean func(string) string
	// Time is how long it may take; zero stands for 10 seconds.
	Time time.Duration
}

// commandTime is how long the person's command may take.
const commandTime = 10 * time.Second

// textLength is the most characters of a text that are handed on.
const textLength = 400

// Tell runs the command once, with nothing on its standard input and nowhere for
// its output to go. One that takes too long is killed with what it started.
func (c Command) Tell(ctx context.Context, call Call) error {
	limit := c.Time
	if limit == 0 {
		limit = commandTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env = append(append([]string{}, c.Env...),
		"HERMES_TUI_CARD="+c.text(call.Task), "HERMES_TUI_CARD_TITLE="+c.text(call.Title),
		"HERMES_TUI_REASON="+c.text(call.Reason), "HERMES_TUI_BOARD="+c.text(c.Board))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%q took longer than %s and was killed", c.Argv[0], limit)
	}
	if err != nil {
		return fmt.Errorf("run %q: %w", c.Argv[0], err)
	}
	return nil
}

func (c Command) text(s string) string {
	r := []rune(c.Clean(s))
	return string(r[:min(len(r), textLength)])
}
