package lane

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// System is what a runner needs of the machine.
type System struct {
	Env   home.Env
	Log   io.Writer // the card's log: standard output of the runner
	PID   int64
	Host  string // as in our claim locks
	Now   func() int64
	After func(time.Duration) <-chan time.Time
}

// busy is how long a statement of a runner waits for another program's lock.
const busy = 15 * time.Second

// ToldToEnd is no exit code: whoever called Main ends by the signal that it was
// told with.
const ToldToEnd = -1

// Main is the worker of a lane: args are the name of the lane. It finds its card
// in the environment, as every worker does, and returns the exit code. The last
// line in the log tells the code to whoever did not wait for it. A runner that
// was told to end (ctx) leaves none and returns ToldToEnd: its end is nobody's
// failure, and must not look like one when a machine goes down with all of them.
func Main(ctx context.Context, args []string, sys System) int {
	code := exitConfig
	r, closeBoard, err := sys.runner(ctx, args)
	if err != nil {
		fmt.Fprintf(sys.Log, "[hermes-tui] cannot work: %v\n", err)
	} else {
		code = r.Work(ctx)
		closeBoard()
	}
	if ctx.Err() != nil && code == exitFailed {
		return ToldToEnd
	}
	fmt.Fprintf(sys.Log, "[kanban-worker-exit] rc=%d\n", code)
	return code
}

func (sys System) runner(ctx context.Context, args []string) (*Runner, func(), error) {
	if len(args) != 1 {
		return nil, nil, fmt.Errorf("this command is started by the dispatcher and is of no use by hand: %w", core.ErrInvalid)
	}
	get := sys.Env.Get
	run, err := strconv.ParseInt(get("HERMES_KANBAN_RUN_ID"), 10, 64)
	if err != nil {
		return nil, nil, fmt.Errorf("the environment names no run: %w", err)
	}
	h, err := home.Find(sys.Env)
	if err != nil {
		return nil, nil, err
	}
	settings, err := h.Settings()
	if err != nil {
		return nil, nil, err
	}
	lane, known := settings.Lanes[args[0]]
	if !known {
		return nil, nil, fmt.Errorf("the lane %q is not in %q: %w", args[0], h.SettingsFile, core.ErrNotFound)
	}
	place, err := h.BoardAt(get("HERMES_KANBAN_DB"), get("HERMES_KANBAN_BOARD"))
	if err != nil {
		return nil, nil, err
	}
	b, err := board.Open(ctx, place.DB, board.Options{Now: sys.Now, Busy: busy})
	if err != nil {
		return nil, nil, err
	}
	timing, _ := h.Timing()
	table := &process.Table{Host: sys.Host}
	stopper := &process.Stopper{Table: table, Self: sys.PID}
	r := &Runner{
		Board: b, Place: place, Lane: lane, Task: get("HERMES_KANBAN_TASK"), Run: run, Lock: get("HERMES_KANBAN_CLAIM_LOCK"), TTL: timing.ClaimTTL,
		Journal: &journal.Journal{
			Board: b, Place: journal.Place{Root: place.StateRoot, Slug: place.Slug, DB: place.DB}, Sight: table.Sight, Now: sys.Now,
			// The only run whose record is written here is our own, and we hold it.
			Held: func(string, int64) bool { return true },
		},
		Workspace: get("HERMES_KANBAN_WORKSPACE"), Branch: get("HERMES_KANBAN_BRANCH"),
		Env: slices.Clone(sys.Env.Vars), Log: sys.Log, Kill: stopper.KillSession, Now: sys.Now, After: sys.After, FindProgram: worker.FindProgram,
	}
	return r, func() { _ = b.Close() }, nil
}
