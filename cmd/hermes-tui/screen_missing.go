package main

import (
	"context"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui"
)

// absent is a board whose file is not there.
type absent struct{ err error }

func (a absent) Poll(context.Context) (bool, error)                   { return false, a.err }
func (a absent) Snapshot(context.Context) (*core.Snapshot, error)     { return nil, a.err }
func (a absent) Detail(context.Context, string) (*core.Detail, error) { return nil, a.err }
func (a absent) Generation() int                                      { return 0 }

// screenWithoutBoard says that the board is missing and what can be done: make
// it, where its home is ours to make it in, or open another one.
func (a *app) screenWithoutBoard(ctx context.Context, missing error) error {
	sat := &seats{}
	defer sat.leave()
	deps := ui.Deps{
		Board: absent{missing}, BoardName: a.place.Slug, BoardPath: a.place.DB, Now: time.Now,
		NoTick: "there is no board", Boards: a.countBoards,
		Open: func(ctx context.Context, slug string) (ui.Deps, error) { return sat.move(ctx, a, slug) },
	}
	if !a.home.DelegatedChild() {
		deps.Create = func(ctx context.Context) (ui.Deps, error) {
			if err := a.makeFile(ctx, a.home, a.place); err != nil {
				return ui.Deps{}, err
			}
			return sat.sit(ctx, a, a.place)
		}
	}
	return a.run(ctx, deps, screenOptions{})
}
