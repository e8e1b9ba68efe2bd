package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// Prober says whether a recorded worker lives, and what is left of it.
type Prober interface {
	Sight(w process.Worker) core.Sighting
	// Leftovers tells what is left of any number of workers, from one reading of
	// the process table.
	Leftovers() func(w process.Worker) ([]process.Member, error)
}

// Stopper ends a worker that is proven to be ours, or what it left running.
type Stopper interface {
	Stop(ctx context.Context, w process.Worker) core.Termination
	StopLeft(ctx context.Context, w process.Worker) core.Termination
}

// Exits remembers how children of this program ended.
type Exits interface {
	Exit(pid int64) (process.Exit, bool)
	// Open reports whether a child is not yet known to have ended.
	Open(pid int64) bool
}

// Rules are what the configuration says about a tick. They are read anew
// before each one.
type Rules struct {
	home.Kanban
	home.Timing
}

// Dispatcher runs ticks over one board. Its fields are set once.
type Dispatcher struct {
	Board       *board.Board
	Home        *home.Home
	Place       home.Board
	Prober      Prober
	Stopper     Stopper
	Exits       Exits
	Starter     Starter
	Results     Results // nil: there are no journals
	Claimer     string  // the text of our claim locks, "host:pid"
	PID         int64   // of this process, with its fingerprint: who starts the workers
	Fingerprint string
	Once        bool         // this process runs a single tick
	Now         func() int64 // epoch seconds
	Sleep       func(context.Context, time.Duration) error
	// MemoryLeft is the share of the machine's memory that is available, false
	// where that cannot be told; nil never tells.
	MemoryLeft func() (float64, bool)
	// NetworkFS says whether a path lies on a network file system, and on which;
	// no tick runs there. Nil never asks: dispatching was allowed anyway.
	NetworkFS func(path string) (remote bool, kind string, err error)
	// Lane reports whether a name, trimmed and in lower case, is a lane of our
	// configuration that no Hermes profile stands in the way of. Nil knows none.
	Lane func(assignee string) bool

	// Steady is a clock that nobody sets and that stands still while the machine
	// sleeps; nil tells no jumps.
	Steady func() time.Duration

	// unstarted are runs whose worker was never let go, while the board could not
	// be written to say so.
	unstarted map[int64]bool

	tidied int64 // when leases and launch records were last tidied up, epoch seconds
	clock  clockwork
	steady steady // what the last tick leaves to the next; ticks of one Dispatcher do not overlap
	Rules  func() Rules
}

// Options say how far a tick goes.
type Options struct {
	NoSpawn     bool // all but claiming and starting; the report lists what would start
	DryRun      bool // write nothing at all; the report is a plan
	NoReconcile bool // leave running cards with a broken claim alone
	// LanesOnly starts and watches the workers of our own lanes and leaves
	// everything else alone, so that a Hermes gateway may dispatch beside us.
	LanesOnly bool
}

// Tick is one pass over the board in a fixed order. Another dispatcher's tick
// makes it a report with SkippedLocked and no error. What concerns one card only
// is in the report; the error says that the tick as a whole could not go on, and
// the report then holds what was done before.
func (d *Dispatcher) Tick(ctx context.Context, o Options) (*Report, error) {
	report := NewReport()
	why, err := d.mayDispatch(o)
	if err != nil {
		report.Watching = why
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
	return report, d.newPass(o, report).run(ctx)
}

func (d *Dispatcher) newPass(o Options, report *Report) *pass {
	return &pass{Dispatcher: d, Options: o, Report: report, rules: d.Rules(), due: never, released: map[string]bool{}, names: map[string]string{}}
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
	rules     Rules
	verdicts  []*verdict        // on the cards that ran when the tick began
	mark      board.Mark        // of the board when the tick began
	busy      error             // the first write that another program's lock kept from happening
	jumped    int64             // when the wall clock was last seen to jump; 0 never
	due       int64             // the moment at which the first guard ends
	names     map[string]string // why nobody can be started under a name, empty if somebody can
	strays    bool              // stray bookkeeping was found
	unsettled bool              // something was decided that rests on more than the board
	restarts  int               // victims of an outage that were started again in this tick
	moved     []board.Promotion // what a plan would promote: the board does not show it
	released  map[string]bool   // left running in this tick; not started again before the next
}

// run takes the steps in their order. A step that fails as a whole ends the
// tick: what follows would decide from a board that was not put right.
func (p *pass) run(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	if p.Steady != nil {
		p.jumped = p.clock.look(p.Now(), p.Steady())
	}
	for _, step := range []func(context.Context) error{
		p.replay, p.leftovers, p.observe, p.expired, p.reconcile, p.stale, p.crashed, p.overTime,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if p.recall() {
		return p.busy
	}
	for _, step := range []func(context.Context) error{p.promote, p.start} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	p.tidy(ctx)
	p.remember(ctx)
	return p.busy
}

// begin marks the board as it is now. What a program that died while writing has
// left half done is taken back first: this tick is about to write anyway.
func (p *pass) begin(ctx context.Context) error {
	mark, err := p.Board.Mark(ctx)
	if errors.Is(err, board.ErrInterrupted) && !p.DryRun {
		if err := p.Board.Recover(ctx); err != nil {
			return err
		}
		mark, err = p.Board.Mark(ctx)
	}
	p.mark = mark
	return err
}

// reconcile repairs cards whose recorded state has lost touch with reality.
func (p *pass) reconcile(ctx context.Context) error {
	if p.NoReconcile || p.LanesOnly || !p.rules.ReconcileOrphans {
		return nil
	}
	pass := reconcile.Pass{Board: p.Board, Prober: p.Prober, Now: p.Now, OrphansOnly: p.unmoved() && !p.steady.strays}
	plan, err := pass.Plan(ctx, nil)
	if err != nil {
		return err
	}
	p.strays = plan.Strays > 0
	p.keepFinished(ctx, &plan)
	for _, f := range plan.Findings {
		if f.Action == reconcile.Hold {
			p.hold(f.Task, f.Reason)
		}
	}
	done := planned(plan)
	if !p.DryRun {
		if done, err = p.carry(ctx, pass, plan); err != nil {
			return err
		}
	}
	for _, id := range done.Released {
		p.released[id] = true
	}
	p.Reconciled = append(p.Reconciled, done.Released...)
	for _, id := range done.Mended {
		if !slices.Contains(p.Reconciled, id) {
			p.Reconciled = append(p.Reconciled, id)
		}
	}
	for _, r := range plan.Releases {
		if r.To == core.Blocked && p.released[r.Orphan.Task] {
			p.AutoBlocked = append(p.AutoBlocked, r.Orphan.Task)
		}
	}
	return nil
}

// keepFinished takes those cards out of a plan whose current run has a result. A
// result of a run that is not its card's current one can only be applied once
// that run has ended; its card is kept from a new worker until then.
func (p *pass) keepFinished(ctx context.Context, plan *reconcile.Plan) {
	if p.Results == nil {
		return
	}
	plan.Releases = slices.DeleteFunc(plan.Releases, func(r board.Release) bool {
		run, current := r.Orphan.OpenRun, r.Orphan.CurrentRun
		return run != nil && current != nil && *run == *current && p.finished(ctx, r.Orphan.Task, *run)
	})
	for _, m := range plan.Mendings {
		if m.Stray.Run == nil {
			continue
		}
		if waits, err := p.Results.HasPending(m.Stray.Task, m.Stray.Run.ID); waits || err != nil {
			p.released[m.Stray.Task] = true
		}
	}
}

// carry writes a plan: all releases together, then all mendings.
func (p *pass) carry(ctx context.Context, pass reconcile.Pass, plan reconcile.Plan) (done reconcile.Done, err error) {
	write := func(some reconcile.Plan) error {
		now, err := pass.Carry(ctx, some)
		done.Released, done.Mended = append(done.Released, now.Released...), append(done.Mended, now.Mended...)
		return err
	}
	err = severally(ctx, p, plan.Releases, func(r board.Release) string { return r.Orphan.Task }, func(some []board.Release) error {
		return write(reconcile.Plan{Releases: some})
	})
	if err != nil {
		return done, err
	}
	err = severally(ctx, p, plan.Mendings, func(m board.Mending) string { return m.Stray.Task }, func(some []board.Mending) error {
		return write(reconcile.Plan{Mendings: some})
	})
	return done, err
}

// planned is what a plan would write.
func planned(plan reconcile.Plan) reconcile.Done {
	var done reconcile.Done
	for _, r := range plan.Releases {
		done.Released = append(done.Released, r.Orphan.Task)
	}
	for _, m := range plan.Mendings {
		done.Mended = append(done.Mended, m.Stray.Task)
	}
	return done
}

// promote moves waiting cards on that nothing holds back any more. It looks
// first: a tick without anything to move takes no write lock.
func (p *pass) promote(ctx context.Context) error {
	if p.LanesOnly {
		return nil // the gateway does
	}
	waiting, err := p.Board.Promotable(ctx, p.rules.FailureLimit)
	if err != nil || len(waiting) == 0 {
		return err
	}
	if p.DryRun {
		for _, w := range waiting {
			p.Promoted = append(p.Promoted, w.Task)
		}
		p.moved = waiting
		return nil
	}
	return severally(ctx, p, waiting, func(w board.Promotion) string { return w.Task }, func(some []board.Promotion) error {
		ids, err := p.Board.PromoteWaiting(ctx, some, p.rules.FailureLimit)
		p.Promoted = append(p.Promoted, ids...)
		return err
	})
}

func (p *pass) hold(task, reason string) { p.Held = append(p.Held, Note{task, reason}) }

func (p *pass) skip(task, reason string) { p.Skipped = append(p.Skipped, Note{task, reason}) }

// trouble notes what went wrong with one card and lets the tick go on. A card
// that changed meanwhile is no trouble: the next tick looks at it again.
func (p *pass) trouble(task string, err error) {
	p.unsettled = true // what failed may be what the board does not show
	if errors.Is(err, core.ErrChanged) || errors.Is(err, core.ErrNotFound) {
		return
	}
	// A board that others hold concerns every card: the tick says so as a whole.
	if errors.Is(err, board.ErrBusy) && p.busy == nil {
		p.busy = err
	}
	p.Errors = append(p.Errors, fmt.Sprintf("%s: %v", task, err))
}
