package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/ui"
)

// screen shows the board. Without a terminal it prints the board once.
func (a *app) screen(ctx context.Context) error {
	b, err := a.open(ctx, busyOnScreen)
	if err != nil {
		return err
	}
	if !a.terminal() {
		return a.printBoard(ctx, b, a.plainPicture())
	}
	d, err := a.dispatcher(b)
	if err != nil {
		return err
	}
	o := screenOptions{Name: a.place.Slug, Interval: time.Duration(d.Rules().DispatchInterval) * time.Second}
	if lacking := b.Facts().Lacking; len(lacking) > 0 {
		o.NoTick = board.ErrTooOld.Error()
	} else {
		loop := &loop{app: a, dispatcher: d}
		defer loop.end()
		o.Tick, o.Dispatch = loop.tick, a.settings()().Dispatch == home.DispatchAlways
	}
	return a.show(ctx, b, o)
}

// loop dispatches for a screen and holds the board's loop lock from its first
// tick on.
type loop struct {
	app        *app
	dispatcher *dispatch.Dispatcher
	lock       *home.Lock
}

func (l *loop) tick(ctx context.Context) (*dispatch.Report, error) {
	if l.lock == nil {
		lock, err := l.app.loopLock()
		if err != nil {
			return dispatch.NewReport(), err
		}
		l.lock = lock
	}
	return l.dispatcher.Tick(ctx, dispatch.Options{})
}

func (l *loop) end() {
	if l.lock != nil {
		_ = l.lock.Release() // the kernel frees it with the process in any case
	}
}

// screenOptions are what differs between a person's board and the demo's.
type screenOptions struct {
	Name     string
	Tick     func(context.Context) (*dispatch.Report, error)
	NoTick   string
	Dispatch bool
	Interval time.Duration
}

// show runs the screen over an open board until the person leaves.
func (a *app) show(ctx context.Context, b *board.Board, o screenOptions) error {
	log, logPath, closeLog := a.openLog()
	defer closeLog()
	op, pass := a.operator(b), a.reconciler(b)
	sound := soundness(ctx, b)
	deps := ui.Deps{
		Board: screenBoard{b}, BoardName: o.Name, BoardPath: b.Path(), NoTick: o.NoTick, Now: time.Now,
		Stand: op.Look,
		Requeue: func(ctx context.Context, seen operator.Standing, saysDead bool) error {
			if err := sound(ctx); err != nil {
				return err
			}
			_, err := op.Requeue(ctx, seen, saysDead, "")
			return err
		},
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
		Replay: a.replay,
		Known:  a.knows(),
	}
	if o.Tick != nil {
		deps.Tick = func(ctx context.Context) (*dispatch.Report, error) {
			if err := sound(ctx); err != nil {
				return dispatch.NewReport(), err
			}
			return o.Tick(ctx)
		}
	}
	options := a.look()
	options.Dispatch, options.Interval, options.Log, options.LogPath = o.Dispatch, o.Interval, log, logPath
	code, err := ui.Run(ctx, deps, options)
	switch {
	case err != nil:
		return coded{err, code}
	case code != 0:
		return coded{errQuiet, code}
	}
	return nil
}

// reconcileLocked repairs the named cards while no tick runs.
func (a *app) reconcileLocked(ctx context.Context, pass reconcile.Pass, ids []string) ([]string, error) {
	lock, err := home.WaitLock(ctx, a.place.DispatchLock(), lockWait, sleep)
	if err != nil {
		return nil, fmt.Errorf("a dispatcher holds the board: %w", err)
	}
	done, _, err := pass.Run(ctx, ids)
	return done, errors.Join(err, lock.Release())
}

// replay brings journals to the board.
func (a *app) replay(context.Context, string) (string, error) {
	return "There is no journal to replay.", nil
}

// knows reports whether a worker can be started for an assignee.
func (a *app) knows() func(string) bool {
	settings := a.settings()
	return func(assignee string) bool {
		_, lane := settings().Lanes[assignee]
		return lane || a.home.HasProfile(assignee)
	}
}

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

// terminal reports whether a person sits at both ends and the terminal can move
// its cursor.
func (a *app) terminal() bool {
	in, inOK := a.in.(*os.File)
	out, outOK := a.out.(*os.File)
	return inOK && outOK && term.IsTerminal(in.Fd()) && term.IsTerminal(out.Fd()) && a.env.Get("TERM") != "dumb"
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
