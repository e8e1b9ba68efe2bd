package demo

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
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

// agent is one fake agent at work on one card. It finds its card as every
// worker does: in its environment.
type agent struct {
	b     *board.Board
	card  board.Target
	log   io.Writer
	clock Clock
}

// RunAgent plays a script and returns the exit code of the agent.
func RunAgent(ctx context.Context, script string, env home.Env, log io.Writer, clock Clock) int {
	run, err := strconv.ParseInt(env.Get("HERMES_KANBAN_RUN_ID"), 10, 64)
	if err != nil {
		fmt.Fprintf(log, "no run to work on: %v\n", err)
		return 1
	}
	b, err := board.Open(ctx, env.Get("HERMES_KANBAN_DB"), board.Options{Now: clock.Now, Busy: 10 * time.Second})
	if err != nil {
		fmt.Fprintf(log, "cannot open the board: %v\n", err)
		return 1
	}
	defer b.Close()
	a := &agent{b: b, log: log, clock: clock, card: board.Target{ID: env.Get("HERMES_KANBAN_TASK"), Run: &run}}
	if err := a.play(ctx, script); err != nil {
		fmt.Fprintf(log, "%v\n", err)
		return 1
	}
	return 0
}

// play works for a while, with a heartbeat at each step, and ends as the script
// says.
func (a *agent) play(ctx context.Context, script string) error {
	detail, err := a.b.Detail(ctx, a.card.ID)
	if err != nil {
		return err
	}
	first := len(detail.Runs) < 2
	for i, step := range []string{"reading the card", "looking at the code", "making the change", "checking it"} {
		fmt.Fprintf(a.log, "%s: %s\n", detail.Task.Title, step)
		if err := a.b.Heartbeat(ctx, a.card, step); err != nil {
			return err
		}
		if script == "crash-once" && first && i == 2 {
			return fmt.Errorf("the database went away in the middle of the change")
		}
		if err := a.clock.Sleep(ctx, pace); err != nil {
			return err
		}
	}
	return a.report(ctx, script, detail.Task)
}

// pace is how long a step of a fake agent takes.
const pace = 1500 * time.Millisecond

func (a *agent) report(ctx context.Context, script string, task core.Task) error {
	if script == "ask" {
		_, err := a.b.Block(ctx, board.BlockRequest{Target: a.card, Kind: "needs_input",
			Reason: text("30 days or 90? The handbook says both.")})
		return err
	}
	return a.b.Complete(ctx, board.Completion{Target: a.card,
		Result: text("Done: " + task.Title + ". All checks pass."), Summary: text(task.Title + " is finished")})
}
