package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// AgentCommand is the hidden subcommand under which this program plays a fake
// agent.
const AgentCommand = "demo-agent"

// Clock is the time of an agent.
type Clock struct {
	Now   func() int64 // epoch seconds
	Sleep func(ctx context.Context, d time.Duration) error
}

// pace is how long a step of a fake agent takes.
const pace = 1500 * time.Millisecond

// RunAgent plays a script as any command-line agent would: it prints what it
// does, and at the end its result. It works in the current directory, which is
// the card's workspace, and returns its exit code.
func RunAgent(ctx context.Context, script string, out io.Writer, clock Clock) int {
	for i, step := range []string{"reading the card", "looking at the code", "making the change", "checking it"} {
		fmt.Fprintln(out, step)
		if script == "crash-once" && i == 2 && first() {
			fmt.Fprintln(out, "the database went away in the middle of the change")
			return 1
		}
		if err := clock.Sleep(ctx, pace); err != nil {
			return 1
		}
	}
	if script == "ask" {
		fmt.Fprintln(out, `{"status": "blocked", "reason": "30 days or 90? The handbook says both."}`)
		return 0
	}
	fmt.Fprintln(out, `{"status": "completed", "summary": "Done, and all checks pass."}`)
	return 0
}

// first reports whether this is the first attempt in this workspace.
func first() bool {
	f, err := os.OpenFile(".tried", os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return false
	}
	_ = f.Close()
	return true
}
