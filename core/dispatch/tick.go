package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// Prober says whether a recorded worker lives.
type Prober interface {
	Sight(w process.Worker) core.Sighting
}

// Exits remembers how children of this program ended.
type Exits interface {
	Exit(pid int64) (process.Exit, bool)
}

// Rules are what the configuration says about a tick. They are read anew
// before each one.
type Rules struct {
	home.Kanban
	home.Timing
}

// Dispatcher runs ticks over one board. Its fields are set once.
type Dispatcher struct {
	Board   *board.Board
	Home    *home.Home
	Place   home.Board
	Prober  Prober
	Exits   Exits
	Starter Starter
	Claimer string       // the text of our claim locks, "host:pid"
	Now     func() int64 // epoch seconds
	Rules   func() Rules
}

// Options say how far a tick goes.
type Options struct {
	NoSpawn     bool // all but claiming and starting; the report lists what would start
	DryRun      bool // write nothing at all; the report is a plan
	NoReconcile bool // leave running cards with a broken claim alone
}

// ErrWatching: this tick may not dispatch, for a reason that is no failure: an
// emergency stop, or a Hermes gateway that dispatches on this home.
var ErrWatching = errors.New("only watching")

// Tick is one pass over the board in a fixed order. Another dispatcher's tick
// makes it a report with SkippedLocked and no error. What concerns one card only
// is in the report; the error says that the tick as a whole could not go on, and
// the report then holds what was done before.
func (d *Dispatcher) Tick(ctx context.Context, o Options) (*Report, error) {
	report := NewReport()
	if err := d.mayDispatch(); err != nil {
		return report, err
	}
	lock, err := d.lock(o)
	if errors.Is(err, home.ErrHeld) {
		report.SkippedLocked = true
		return report, nil
	}
	if err != nil {
		return report, err
	}
	if lock != nil {
		defer func() { _ = lock.Release() }() // the kernel frees it in any case when the handle goes
	}
	return report, d.pass(ctx, &pass{Dispatcher: d, Options: o, Report: report, rules: d.Rules(), released: map[string]bool{}})
}

// mayDispatch looks for what forbids any dispatching here.
func (d *Dispatcher) mayDispatch() error {
	if stopped, why := d.Home.Stopped(d.Now()); stopped {
		return fmt.Errorf("emergency stop: %s: %w", why, ErrWatching)
	}
	held, err := d.Home.GatewayHolds()
	if err != nil {
		return fmt.Errorf("cannot tell whether a Hermes gateway dispatches here, so this program does not: %w", err)
	}
	if held {
		return fmt.Errorf("a Hermes gateway dispatches here: %w", ErrWatching)
	}
	return nil
}

// lock takes the lock that every dispatcher of this board takes around a tick.
// A file that cannot be opened fails the tick: two dispatchers are worse than
// none. A dry run creates nothing, so it takes the lock only where its file is.
func (d *Dispatcher) lock(o Options) (*home.Lock, error) {
	path := d.Place.DispatchLock()
	if !o.DryRun {
		lock, err := home.TryLock(path)
		if err != nil {
			return nil, fmt.Errorf("take the dispatch lock %q: %w", path, err)
		}
		return lock, nil
	}
	lock, err := home.LockExisting(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take the dispatch lock %q: %w", path, err)
	}
	return lock, nil
}

// pass is one tick at work.
type pass struct {
	*Dispatcher
	Options
	*Report
	rules    Rules
	released map[string]bool // left running in this tick; not started again before the next
}

// pass runs the steps in their order. A step that fails as a whole ends the
// tick: what follows would decide from a board that was not put right.
func (d *Dispatcher) pass(ctx context.Context, p *pass) error {
	for _, step := range []func(context.Context) error{p.expired, p.reconcile, p.crashed, p.promote, p.start} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reconcile repairs running cards whose claim is broken.
func (p *pass) reconcile(ctx context.Context) error {
	if p.NoReconcile || !p.rules.ReconcileOrphans {
		return nil
	}
	pass := reconcile.Pass{Board: p.Board, Prober: p.Prober, Now: p.Now}
	findings, releases, err := pass.Plan(ctx, nil)
	if err != nil {
		return err
	}
	for _, f := range findings {
		if f.Action == reconcile.Hold {
			p.hold(f.Task, f.Reason)
		}
	}
	ids := make([]string, 0, len(releases))
	for _, r := range releases {
		ids = append(ids, r.Orphan.Task)
	}
	if !p.DryRun {
		if ids, err = p.Board.ReleaseOrphans(ctx, releases); err != nil {
			return err
		}
	}
	p.Reconciled = append(p.Reconciled, ids...)
	done := map[string]bool{}
	for _, id := range ids {
		p.released[id], done[id] = true, true
	}
	for _, r := range releases {
		if r.To == core.Blocked && done[r.Orphan.Task] {
			p.AutoBlocked = append(p.AutoBlocked, r.Orphan.Task)
		}
	}
	return nil
}

// promote moves waiting cards on that nothing holds back any more.
func (p *pass) promote(ctx context.Context) error {
	if p.DryRun {
		waiting, err := p.Board.Promotable(ctx, p.rules.FailureLimit)
		for _, w := range waiting {
			p.Promoted = append(p.Promoted, w.Task)
		}
		return err
	}
	ids, err := p.Board.PromoteWaiting(ctx, p.rules.FailureLimit)
	p.Promoted = append(p.Promoted, ids...)
	return err
}

func (p *pass) hold(task, reason string) { p.Held = append(p.Held, Note{task, reason}) }

func (p *pass) skip(task, reason string) { p.Skipped = append(p.Skipped, Note{task, reason}) }

// trouble notes what went wrong with one card and lets the tick go on. A card
// that changed meanwhile is no trouble: the next tick looks at it again.
func (p *pass) trouble(task string, err error) {
	if errors.Is(err, core.ErrChanged) || errors.Is(err, core.ErrNotFound) {
		return
	}
	p.Errors = append(p.Errors, fmt.Sprintf("%s: %v", task, err))
}
