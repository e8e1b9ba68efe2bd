package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// fleet is every board of a home that is being dispatched by this command.
type fleet struct {
	*app
	dispatching
	places []home.Board
	posts  map[string]*post  // by database file
	said   map[string]string // last complaint about a board that cannot be dispatched
	turn   int               // which board begins the round
	exit   int               // of a single round
}

// dispatchBoards runs ticks on one board of the home after the other. The board
// that begins changes from round to round, because the machine's limit goes to
// those who come first.
func (a *app) dispatchBoards(ctx context.Context, o dispatching) error {
	h, err := home.Find(a.env)
	if err != nil {
		return err
	}
	a.home = h
	rules, err := a.rules()
	if err != nil {
		return err
	}
	f := &fleet{app: a, dispatching: o, posts: map[string]*post{}, said: map[string]string{}}
	defer f.disband(nil)
	for ctx.Err() == nil {
		f.round(ctx)
		if o.once {
			break
		}
		interval := o.interval
		if interval == 0 {
			interval = time.Duration(rules().DispatchInterval) * time.Second
		}
		_ = sleep(ctx, interval)
	}
	if o.once && f.exit != exitDone {
		return coded{errQuiet, f.exit}
	}
	return nil
}

// round is one tick on each board. What is wrong with one board keeps no other
// from its tick.
func (f *fleet) round(ctx context.Context) {
	if places, err := f.find(); err != nil {
		f.failed("", err) // the boards that are known go on
	} else {
		f.places = places
		f.disband(places)
	}
	for i := range f.places {
		if ctx.Err() != nil {
			return
		}
		place := f.places[(f.turn+i)%len(f.places)]
		p, err := f.post(ctx, place)
		if err != nil {
			f.failed(place.Slug, err)
			continue
		}
		delete(f.said, place.Slug)
		f.tick(ctx, p)
	}
	f.turn++
}

// tick is one tick on one board.
func (f *fleet) tick(ctx context.Context, p *post) {
	if !f.once {
		if err := p.round(ctx); errors.Is(err, dispatch.ErrNetworkFS) {
			f.failed(p.label, err)
		}
		return
	}
	report, err := p.tick(ctx)
	switch {
	case errors.Is(err, dispatch.ErrWatching) && !errors.Is(err, dispatch.ErrNetworkFS):
		p.watching(report, err)
		f.exit = worse(f.exit, exitLater)
	case err != nil:
		f.failed(p.label, err)
	default:
		p.report(report)
		if report.SkippedLocked {
			f.exit = worse(f.exit, exitLater)
		}
	}
}

// find lists the boards of the home that have a database, each file once.
func (f *fleet) find() ([]home.Board, error) {
	all, err := f.home.Boards()
	if err != nil {
		return nil, err
	}
	var found []home.Board
	for _, place := range all {
		same := func(other home.Board) bool { return other.DB == place.DB }
		if _, err := os.Stat(place.DB); err == nil && !slices.ContainsFunc(found, same) {
			found = append(found, place)
		}
	}
	return found, nil
}

// post is the board's post, taken now where it is new or could not be taken
// before.
func (f *fleet) post(ctx context.Context, place home.Board) (*post, error) {
	if p := f.posts[place.DB]; p != nil {
		return p, nil
	}
	own := newApp(f.env, f.in, f.out, f.err)
	own.flags.json, own.home, own.place = f.flags.json, f.home, place
	p, err := own.takePost(ctx, f.dispatching)
	if err != nil {
		own.close()
		return nil, err
	}
	p.label = place.Slug
	f.posts[place.DB] = p
	return p, nil
}

// disband leaves the boards that are not among those that stay.
func (f *fleet) disband(stay []home.Board) {
	for db, p := range f.posts {
		if !slices.ContainsFunc(stay, func(b home.Board) bool { return b.DB == db }) {
			p.leave()
			p.close()
			delete(f.posts, db)
		}
	}
}

// failed tells that a board cannot be dispatched, for a person once while the
// reason stays the same.
func (f *fleet) failed(slug string, err error) {
	f.exit = worse(f.exit, exitCode(err))
	if f.flags.json {
		f.printJSON(boardFailure{slug, failureOf(err)})
	}
	if f.said[slug] == err.Error() {
		return
	}
	f.said[slug] = err.Error()
	if slug == "" {
		f.say(err.Error())
		return
	}
	f.say(fmt.Sprintf("board %s: %v", slug, err))
}
