package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

func (a *app) dispatchCommand() *cobra.Command {
	var o dispatch.Options
	var once bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "dispatch",
		Short: "Run the dispatcher without a screen",
		Long: "Each tick repairs what broke, promotes what may start, claims ready cards and starts their\n" +
			"workers. Prints one report per tick. Workers that were started go on when the dispatcher ends.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if once || o.DryRun {
				return a.dispatchOnce(cmd.Context(), o)
			}
			return a.dispatchLoop(cmd.Context(), o, interval)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&once, "once", false, "run one tick and end")
	f.DurationVar(&interval, "interval", 0, "time between ticks (default: kanban.dispatch_interval_seconds)")
	f.BoolVar(&o.NoSpawn, "no-spawn", false, "do all but claim and start; list what would start")
	f.BoolVar(&o.DryRun, "dry-run", false, "write nothing at all and print the report as a plan; one tick")
	f.BoolVar(&o.NoReconcile, "no-reconcile", false, "leave running cards with a broken claim alone")
	return cmd
}

// dispatchOnce runs one tick. Another dispatcher's tick is no error, but the
// exit code says to try again.
func (a *app) dispatchOnce(ctx context.Context, o dispatch.Options) error {
	d, err := a.openDispatcher(ctx, o)
	if err != nil {
		return err
	}
	d.Once = true
	report, err := d.Tick(ctx, o)
	if errors.Is(err, dispatch.ErrWatching) {
		return coded{err, exitLater}
	}
	if err != nil {
		return err
	}
	a.printReport(report)
	if report.SkippedLocked {
		return coded{errQuiet, exitLater}
	}
	return nil
}

func (a *app) openDispatcher(ctx context.Context, o dispatch.Options) (*dispatch.Dispatcher, error) {
	b, err := a.openFor(ctx, o.DryRun)
	if err != nil {
		return nil, err
	}
	return a.dispatcher(b)
}

// openFor opens the board for a command that writes, or for its dry run, which
// does not.
func (a *app) openFor(ctx context.Context, dryRun bool) (*board.Board, error) {
	if dryRun {
		return a.open(ctx, busyCommand)
	}
	return a.openToWrite(ctx)
}

// dispatchLoop runs ticks until it is told to end. It holds the board's loop
// lock, so that a second loop of this program says who dispatches instead of
// taking turns.
func (a *app) dispatchLoop(ctx context.Context, o dispatch.Options, interval time.Duration) error {
	d, err := a.openDispatcher(ctx, o)
	if err != nil {
		return err
	}
	lock, err := a.loopLock()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // the kernel frees it with the process in any case
	if interval == 0 {
		interval = time.Duration(d.Rules().DispatchInterval) * time.Second
	}
	for ctx.Err() == nil {
		report, err := d.Tick(ctx, o)
		switch {
		case errors.Is(err, dispatch.ErrWatching):
			a.say(err.Error())
		case err != nil && ctx.Err() == nil:
			// What stands against one tick may be gone at the next: a lock, a full
			// disk, a board that is being restored.
			a.say(err.Error())
			if a.flags.json {
				a.printJSON(map[string]any{"error": failureOf(err)})
			}
		case err == nil:
			a.printReport(report)
		}
		_ = sleep(ctx, interval)
	}
	return nil
}

// loopLock is held for as long as a screen or a loop dispatches on this board.
func (a *app) loopLock() (*home.Lock, error) {
	path := a.place.LoopLock()
	lock, err := home.TryLock(path)
	if errors.Is(err, home.ErrHeld) {
		if holder, rerr := home.ReadHolder(path); rerr == nil {
			return nil, fmt.Errorf("view only: dispatcher held by pid %d: %w", holder.PID, err)
		}
		return nil, fmt.Errorf("view only: another dispatcher of this program runs on the board: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("take the lock of the dispatch loop %q: %w", path, err)
	}
	if err := lock.WriteHolder(home.Holder{PID: pid(), Started: now()}); err != nil {
		return nil, errors.Join(fmt.Errorf("say who dispatches in %q: %w", path, err), lock.Release())
	}
	return lock, nil
}

// printReport prints what a tick did: one JSON object, or the lines that say
// something.
func (a *app) printReport(r *dispatch.Report) {
	if a.flags.json {
		a.printJSON(r)
		return
	}
	if r.SkippedLocked {
		a.print("skipped: another dispatcher is in its tick")
		return
	}
	for _, l := range r.Lines() {
		a.print("%s", text.Clean(l))
	}
	a.print("tick: %s started, %d reconciled, %d held, %d skipped",
		core.Count(len(r.Spawned), "worker"), len(r.Reconciled), len(r.Held), len(r.Skipped))
}
