package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hermes-tui/hermes-tui/core/home"
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

// Agent is one fake agent at work in its card's workspace, the current directory.
type Agent struct {
	Env   home.Env
	Out   io.Writer
	Clock Clock
	// KillRunner ends the process that runs this agent, as an out-of-memory killer
	// would.
	KillRunner func() error
}

// Run plays a script as any command-line agent would: it prints what it does, and
// at the end its result. It returns the agent's exit code.
func (a Agent) Run(ctx context.Context, script string) int {
	for i, step := range []string{"reading the card", "looking at the code", "making the change", "checking it"} {
		fmt.Fprintln(a.Out, step)
		if script == "crash-once" && i == 2 && first() {
			fmt.Fprintln(a.Out, "the database went away in the middle of the change")
			return 1
		}
		if err := a.Clock.Sleep(ctx, pace); err != nil {
			return 1
		}
	}
	if err := a.end(script); err != nil {
		fmt.Fprintln(a.Out, err)
		return 1
	}
	return 0
}

// done is what an agent of the demo reports.
const done = `{"status": "completed", "summary": "Done, and all checks pass."}`

// end plays the last act: a report, or one of the misfortunes that a journal is
// there for.
func (a Agent) end(script string) error {
	switch {
	case script == "ask":
		fmt.Fprintln(a.Out, `{"status": "blocked", "reason": "30 days or 90? The handbook says both."}`)
		return nil
	case script == "die-when-durable":
		return errors.Join(a.makeDurable(), a.KillRunner())
	case script == "tear-once" && first():
		return errors.Join(a.leave(`{"version": 1, "task_id": "`), a.KillRunner())
	case script == "lie-once" && first():
		return errors.Join(a.leave(`{"board": "somebody-elses", "task_id": "t_other", "expected_run_id": 1, "result": "forged", "summary": "forged",
			"metadata": {}, "kanban_state": "pending"}`), a.KillRunner())
	}
	fmt.Fprintln(a.Out, done)
	return nil
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
