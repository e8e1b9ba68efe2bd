package lane

import (
	"context"
	"errors"
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
// Neither does one whose run was taken away, since the log may be another's.
func Main(ctx context.Context, args []string, sys System) int {
	log := &cardLog{w: sys.Log}
	r, code, err := sys.runner(ctx, args, log)
	if err != nil {
		log.say("cannot work: %v", err)
	} else {
		code = r.Work(ctx)
		_ = r.Board.Close()
	}
	switch {
	case code == exitLost:
		return exitFailed
	case ctx.Err() != nil && code == exitFailed:
		return ToldToEnd
	}
	log.exit(code)
	return code
}

// runner puts the runner together. With an error comes the exit code: what a
// start of the card by the dispatcher would meet again is configuration, a board
// or a settings file that cannot be read just now is nobody's failure.
func (sys System) runner(ctx context.Context, args []string, log *cardLog) (*Runner, int, error) {
	get := sys.Env.Get
	run, err := strconv.ParseInt(get("HERMES_KANBAN_RUN_ID"), 10, 64)
	if len(args) != 1 || err != nil {
		return nil, exitConfig, fmt.Errorf("this command is started by the dispatcher and is of no use by hand: %w", core.ErrInvalid)
	}
	h, err := home.Find(sys.Env)
	if err != nil {
		return nil, exitConfig, err
	}
	place, err := h.BoardAt(get("HERMES_KANBAN_DB"), get("HERMES_KANBAN_BOARD"))
	if err != nil {
		return nil, exitConfig, err
	}
	settings, err := h.Settings()
	if err != nil {
		return nil, exitLater, err
	}
	lane, known := settings.Lanes[args[0]]
	if !known {
		return nil, exitLater, fmt.Errorf("the lane %q is not in %q any more: %w", args[0], h.SettingsFile, core.ErrNotFound)
	}
	b, err := openBoard(ctx, place.DB, board.Options{Now: sys.Now, Busy: busy})
	if err != nil {
		return nil, exitLater, err
	}
	timing, _ := h.Timing()
	table := &process.Table{Host: sys.Host}
	stopper := &process.Stopper{Table: table, Self: sys.PID}
	return &Runner{
		Board: b, Place: place, Lane: lane, Task: get("HERMES_KANBAN_TASK"), Run: run, Lock: get("HERMES_KANBAN_CLAIM_LOCK"), TTL: timing.ClaimTTL,
		Journal: &journal.Journal{
			Board: b, Place: journal.Place{Root: place.StateRoot, Slug: place.Slug, DB: place.DB}, Sight: table.Sight, Now: sys.Now,
			// The only run whose record is written here is our own, and we hold it.
			Held: func(string, int64) bool { return true },
		},
		Workspace: get("HERMES_KANBAN_WORKSPACE"), Branch: get("HERMES_KANBAN_BRANCH"),
		Env: slices.Clone(sys.Env.Vars), Kill: stopper.KillSession, Now: sys.Now, After: sys.After, FindProgram: worker.FindProgram, log: log,
	}, exitOK, nil
}

// openBoard opens the board, after putting right what a program that died while
// writing has left half done.
func openBoard(ctx context.Context, path string, o board.Options) (*board.Board, error) {
	b, err := board.Open(ctx, path, o)
	if !errors.Is(err, board.ErrInterrupted) {
		return b, err
	}
	if err := board.Recover(ctx, path, o.Busy); err != nil {
		return nil, err
	}
	return board.Open(ctx, path, o)
}
