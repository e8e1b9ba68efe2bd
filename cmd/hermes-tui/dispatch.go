package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// dispatching is what the command line says about dispatching.
type dispatching struct {
	dispatch.Options
	once, allBoards, allowNetworkFS bool
	lanesSaid                       bool // whether lanes only was said at all
	interval                        time.Duration
}

func (a *app) dispatchCommand() *cobra.Command {
	var o dispatching
	cmd := &cobra.Command{
		Use:   "dispatch",
		Short: "Run the dispatcher without a screen",
		Long: "Each tick repairs what broke, promotes what may start, claims ready cards and starts their\n" +
			"workers. Prints one report per tick. Workers that were started go on when the dispatcher ends.\n" +
			"Beside a Hermes gateway only --lanes-only dispatches; \"dispatch: lanes\" in the settings means the same.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd, a); err != nil {
				return err
			}
			o.once = o.once || o.DryRun
			switch {
			case o.allBoards:
				return a.dispatchBoards(cmd.Context(), o)
			case o.once:
				return a.dispatchOnce(cmd.Context(), o)
			}
			return a.dispatchLoop(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.once, "once", false, "run one tick and end")
	f.DurationVar(&o.interval, "interval", 0, "time between ticks (default: kanban.dispatch_interval_seconds)")
	f.BoolVar(&o.NoSpawn, "no-spawn", false, "do all but claim and start; list what would start")
	f.BoolVar(&o.DryRun, "dry-run", false, "write nothing at all and print the report as a plan; one tick")
	f.BoolVar(&o.NoReconcile, "no-reconcile", false, "leave running cards with a broken claim alone")
	f.BoolVar(&o.LanesOnly, "lanes-only", false, "start and watch the workers of lanes only, also beside a Hermes gateway")
	f.BoolVar(&o.allBoards, "all-boards", false, "dispatch on every board of this home")
	f.BoolVar(&o.allowNetworkFS, "allow-network-fs", false, "dispatch although the board lies on a network file system")
	return cmd
}

// check refuses what makes no sense together.
func (o *dispatching) check(cmd *cobra.Command, a *app) error {
	o.lanesSaid = cmd.Flags().Changed("lanes-only")
	if o.interval < 0 || o.interval == 0 && cmd.Flags().Changed("interval") {
		return usage(fmt.Errorf("the interval %s is no time to wait; write for example --interval 30s", o.interval))
	}
	if o.allBoards && (a.flags.board != "" || a.flags.db != "") {
		return usage(errors.New("--all-boards is every board of this home; leave --board and --db out"))
	}
	return nil
}

// dispatchOnce runs one tick. Another dispatcher's tick is no error, but the
// exit code says to try again.
func (a *app) dispatchOnce(ctx context.Context, o dispatching) error {
	p, err := a.takePost(ctx, o)
	if err != nil {
		return err
	}
	defer p.leave()
	report, err := p.tick(ctx)
	switch {
	case errors.Is(err, dispatch.ErrNetworkFS):
		return err
	case errors.Is(err, dispatch.ErrWatching):
		p.watching(report, err)
		return coded{errQuiet, exitLater}
	case err != nil:
		return err
	}
	p.report(report)
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
func (a *app) dispatchLoop(ctx context.Context, o dispatching) error {
	p, err := a.takePost(ctx, o)
	if err != nil {
		return err
	}
	defer p.leave()
	for ctx.Err() == nil {
		if err := p.round(ctx); errors.Is(err, dispatch.ErrNetworkFS) {
			return err
		}
		_ = sleep(ctx, p.pause(o))
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
