package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui"
)

// seats are the boards that a screen has shown. Only the last one dispatches.
// The boards stay open to the end, because something asked of one may still be
// under way when another is shown.
type seats struct {
	mu   sync.Mutex
	loop *loop
	apps []*app
}

// take sits down at a board: what a screen over it needs beyond the board.
func (s *seats) take(a *app, b *board.Board) (screenOptions, error) {
	d, err := a.dispatcher(b)
	if err != nil {
		return screenOptions{}, err
	}
	o := screenOptions{Name: a.place.Slug, Interval: time.Duration(d.Rules().DispatchInterval) * time.Second, Why: d.Why}
	if lacking := b.Facts().Lacking; len(lacking) > 0 {
		o.NoTick = board.ErrTooOld.Error()
		return o, nil
	}
	settings := a.settings()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop != nil {
		s.loop.end()
	}
	s.loop = &loop{app: a, dispatcher: d, configured: settings().Dispatch == home.DispatchLanes}
	o.ServeLanes, o.Beside = s.loop.serveLanes, func(context.Context) ui.Beside { return a.beside(settings()) }
	o.Tick, o.Dispatch = s.loop.tick, settings().Dispatch == home.DispatchAlways || s.loop.configured
	return o, nil
}

// move opens another board of the home for the screen.
func (s *seats) move(ctx context.Context, a *app, slug string) (ui.Deps, error) {
	place, err := a.home.Board(slug)
	if err != nil {
		return ui.Deps{}, noBoard(err)
	}
	return s.sit(ctx, a, place)
}

// sit opens the board of a place.
func (s *seats) sit(ctx context.Context, a *app, place home.Board) (ui.Deps, error) {
	// Nothing may be said on the terminal while the screen is on it.
	other := &app{env: a.env, in: a.in, out: a.out, err: io.Discard, home: a.home, place: place}
	b, err := other.open(ctx, busyOnScreen)
	if err != nil {
		return ui.Deps{}, err
	}
	s.mu.Lock()
	s.apps = append(s.apps, other)
	s.mu.Unlock()
	o, err := s.take(other, b)
	if err != nil {
		return ui.Deps{}, err
	}
	o.Open = func(ctx context.Context, slug string) (ui.Deps, error) { return s.move(ctx, a, slug) }
	return other.screenDeps(ctx, b, o), nil
}

// leave lets go of everything.
func (s *seats) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop != nil {
		s.loop.end()
	}
	for _, a := range s.apps {
		a.close()
	}
}

// loop dispatches for a screen and holds the board's loop lock from its first
// tick on.
type loop struct {
	app        *app
	dispatcher *dispatch.Dispatcher
	configured bool // the settings say lanes only

	mu        sync.Mutex
	lanesOnly bool
	lock      *home.Lock
}

// beside is who dispatches beside this program, and what is left to it then. A
// gateway that cannot be asked for keeps every tick from running in any case.
func (a *app) beside(s home.Settings) ui.Beside {
	held, err := a.home.GatewayHolds()
	return ui.Beside{Gateway: held && err == nil, Lanes: slices.Sorted(maps.Keys(s.Lanes))}
}

// serveLanes narrows the ticks from now on, or takes that back; what the settings
// say stays.
func (l *loop) serveLanes(only bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lanesOnly = only
}

func (l *loop) options() dispatch.Options {
	l.mu.Lock()
	defer l.mu.Unlock()
	return dispatch.Options{LanesOnly: l.configured || l.lanesOnly}
}

func (l *loop) tick(ctx context.Context) (*dispatch.Report, error) {
	if err := l.hold(); err != nil {
		return dispatch.NewReport(), err
	}
	return l.dispatcher.Tick(ctx, l.options())
}

func (l *loop) hold() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lock != nil {
		return nil
	}
	lock, err := l.app.loopLock()
	if errors.Is(err, home.ErrHeld) {
		words := "another screen or dispatcher works on this board"
		if holder, rerr := home.ReadHolder(l.app.place.LoopLock()); rerr == nil {
			words = fmt.Sprintf("held by pid %d", holder.PID)
		}
		return fmt.Errorf("%s: %w", words, dispatch.ErrWatching)
	}
	l.lock = lock
	return err
}

func (l *loop) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lock != nil {
		_ = l.lock.Release() // the kernel frees it with the process in any case
		l.lock = nil
	}
}

// countBoards lists the boards of the home with what is on them. They are only
// looked at.
func (a *app) countBoards(ctx context.Context) ([]ui.BoardInfo, error) {
	places, err := a.home.Boards()
	if err != nil {
		return nil, err
	}
	var list []ui.BoardInfo
	for _, place := range places {
		info := ui.BoardInfo{Name: place.Slug, Title: place.Meta.Name}
		info.Counts, info.Err = countCards(ctx, place.DB)
		list = append(list, info)
	}
	return list, nil
}

func countCards(ctx context.Context, db string) (map[core.Status]int, error) {
	b, err := board.Open(ctx, db, board.Options{Now: now, NewID: newID, Busy: busyOnScreen})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	s, err := b.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[core.Status]int{}
	for _, c := range s.Columns {
		counts[c.Status] = len(c.Cards)
	}
	return counts, nil
}

// stateName is the file in which the view of a board is remembered. Two boards of
// one name in different homes have two.
func stateName(p home.Board) string {
	sum := sha256.Sum256([]byte(p.DB))
	return p.Slug + "-" + hex.EncodeToString(sum[:4]) + ".json"
}
