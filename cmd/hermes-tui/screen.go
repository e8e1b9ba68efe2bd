package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/ui"
)

// screen shows the board. Without a terminal it prints the board once.
func (a *app) screen(ctx context.Context) error {
	b, err := a.open(ctx, busyOnScreen)
	if errors.Is(err, board.ErrMissing) && a.home != nil && a.terminal() {
		return a.screenWithoutBoard(ctx, err)
	}
	if errors.Is(err, board.ErrMissing) {
		return fmt.Errorf("%w, or look around first with: hermes-tui demo", err)
	}
	if err != nil {
		return err
	}
	if !a.plain() && !a.terminal() {
		return a.printBoard(ctx, b, a.plainPicture())
	}
	sat := &seats{}
	defer sat.leave()
	o, err := sat.take(a, b)
	if err != nil {
		return err
	}
	o.Open = func(ctx context.Context, slug string) (ui.Deps, error) { return sat.move(ctx, a, slug) }
	return a.show(ctx, b, o)
}

// screenOptions are what differs between a person's board and the demo's.
type screenOptions struct {
	Name     string
	Tick     func(context.Context) (*dispatch.Report, error)
	NoTick   string
	Dispatch bool
	Interval time.Duration
	Why      func(context.Context, string) ([]dispatch.Gate, error)
	Open     func(context.Context, string) (ui.Deps, error)

	Beside     func(context.Context) ui.Beside
	ServeLanes func(bool)
}

// show runs the screen over an open board until the person leaves.
func (a *app) show(ctx context.Context, b *board.Board, o screenOptions) error {
	return a.run(ctx, a.screenDeps(ctx, b, o), o)
}

// run is show for what a screen can ask for already.
func (a *app) run(ctx context.Context, deps ui.Deps, o screenOptions) error {
	log, logPath, closeLog := a.openLog()
	defer closeLog()
	options := a.look()
	options.Dispatch, options.Interval, options.Log, options.LogPath, options.Terminal = o.Dispatch, o.Interval, log, logPath, a.out
	var code int
	var err error
	if a.plain() {
		code, err = ui.RunPlain(ctx, deps, options, a.in, a.out)
	} else {
		code, err = ui.Run(ctx, deps, options)
	}
	switch {
	case err != nil:
		return coded{err, code}
	case code != 0:
		return coded{errQuiet, code}
	}
	return nil
}

// screenDeps is what a screen over the board can show and ask for.
func (a *app) screenDeps(ctx context.Context, b *board.Board, o screenOptions) ui.Deps {
	op, pass, sound := a.operator(b), a.reconciler(b), soundness(ctx, b)
	journals := a.journals(b, sound)
	kept := ui.Store{Path: filepath.Join(a.home.StateDir, "boards", stateName(a.place))}
	deps := ui.Deps{
		Board: screenBoard{b}, BoardName: o.Name, BoardPath: b.Path(), NoTick: o.NoTick, Now: time.Now,
		Beside: o.Beside, ServeLanes: o.ServeLanes,
		Stand: func(ctx context.Context, id string) (operator.Standing, error) {
			s, err := op.Look(ctx, id)
			if err == nil && s.Run != nil {
				s.JournalFound, err = journals.Place.HasPending(id, s.Run.ID)
			}
			return s, err
		},
		Notices: func() []string {
			list := notices(b.Facts())
			if stopped, why := a.home.Stopped(now()); stopped {
				list = append(list, why)
			}
			return list
		},
		Emergency: &ui.EmergencyStop{
			Engaged: func() (bool, string) { return a.home.Stopped(now()) },
			Engage:  func(reason string) error { return a.home.Engage(reason, now()) },
			Release: a.home.Release,
		},
		Requeue: func(ctx context.Context, seen operator.Standing, saysDead bool) error {
			if err := sound(ctx); err != nil {
				return err
			}
			_, err := op.Requeue(ctx, seen, saysDead, "")
			return err
		},
		Acts: op, Writable: sound,
		Findings: func(ctx context.Context) ([]reconcile.Finding, error) {
			plan, err := pass.Plan(ctx, nil)
			return plan.Findings, err
		},
		Reconcile: func(ctx context.Context, ids []string) ([]string, error) {
			if err := sound(ctx); err != nil {
				return nil, err
			}
			return a.reconcileLocked(ctx, pass, ids)
		},
		Replay: journals.replay, Journals: journals,
		Known: a.knows(), Names: a.names(), Why: o.Why, Log: a.screenLog,
		Boards: a.countBoards, Open: o.Open,
		Editor: a.editor(), DraftDir: a.home.StateDir,
		Kept: kept.Load(), Keep: kept.Save,
	}
	if o.Tick != nil {
		deps.Tick = func(ctx context.Context) (*dispatch.Report, error) {
			if err := sound(ctx); err != nil {
				return dispatch.NewReport(), err
			}
			return o.Tick(ctx)
		}
	}
	return deps
}

// notices are standing remarks about a board.
func notices(f board.Facts) []string {
	var list []string
	if len(f.Unknown) > 0 {
		list = append(list, fmt.Sprintf("made by a newer Hermes: %s will not be touched (%s)", core.Count(len(f.Unknown), "column"), strings.Join(f.Unknown, ", ")))
	}
	if len(f.Lacking) > 0 {
		list = append(list, "this board is too old for dispatching: open it once with Hermes, or run: hermes-tui init --upgrade")
	}
	return list
}

// reconcileLocked repairs the named cards while no tick runs.
func (a *app) reconcileLocked(ctx context.Context, pass reconcile.Pass, ids []string) ([]string, error) {
	lock, err := a.tickLock(ctx)
	if err != nil {
		return nil, err
	}
	done, _, err := pass.Run(ctx, ids)
	return done, errors.Join(err, lock.Release())
}

// knows reports whether a worker can be started for an assignee. It is asked for
// every card of every frame, so an answer holds for a while.
func (a *app) knows() func(string) bool {
	settings := a.settings()
	var mu sync.Mutex
	var until time.Time
	answers := map[string]bool{}
	return func(assignee string) bool {
		mu.Lock()
		defer mu.Unlock()
		if t := time.Now(); t.After(until) {
			clear(answers)
			until = t.Add(knowFor)
		}
		known, asked := answers[assignee]
		if !asked {
			_, lane := settings().Lanes[assignee]
			known = lane || a.home.HasProfile(assignee)
			answers[assignee] = known
		}
		return known
	}
}

// knowFor is how long an answer about an assignee holds.
const knowFor = 5 * time.Second

// soundness checks the file beside the first frame. What it returns waits for
// the verdict: nothing is written to a board before it is known to be sound.
func soundness(ctx context.Context, b *board.Board) func(context.Context) error {
	done := make(chan struct{})
	var verdict error
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				verdict = fmt.Errorf("the check of the board failed: %v", r)
			}
		}()
		verdict = b.QuickCheck(ctx)
	}()
	return func(ctx context.Context) error {
		select {
		case <-done:
			return verdict
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// screenBoard is a board as the screen reads it.
type screenBoard struct{ *board.Board }

// Poll reports whether a new snapshot is due.
func (s screenBoard) Poll(ctx context.Context) (bool, error) {
	change, err := s.Board.Poll(ctx)
	return change != board.Same, err
}

// terminal reports whether a person sits at both ends.
func (a *app) terminal() bool {
	in, inOK := a.in.(*os.File)
	out, outOK := a.out.(*os.File)
	return inOK && outOK && term.IsTerminal(in.Fd()) && term.IsTerminal(out.Fd())
}

// plain reports whether the board is told line by line: where that is asked for,
// and on a terminal that cannot move its cursor.
func (a *app) plain() bool {
	return a.flags.plain || a.terminal() && a.env.Get("TERM") == "dumb"
}

// plainPicture is what is printed where no screen can be shown.
func (a *app) plainPicture() picture {
	p := picture{width: a.columns(), height: pictureHeight, format: "text"}
	if p.width < 1 {
		p.width = pictureWidth
	}
	if a.flags.json {
		p.format = "json"
	}
	return p
}

// openLog opens the file that everything goes to which must not disturb the
// screen. Where it cannot be written the screen goes on without a log.
func (a *app) openLog() (*slog.Logger, string, func()) {
	path := filepath.Join(a.home.StateDir, "hermes-tui.log")
	if err := os.MkdirAll(a.home.StateDir, 0o700); err != nil {
		return slog.New(slog.NewTextHandler(io.Discard, nil)), "", func() {}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return slog.New(slog.NewTextHandler(io.Discard, nil)), "", func() {}
	}
	return slog.New(slog.NewTextHandler(f, nil)), path, func() { _ = f.Close() }
}
