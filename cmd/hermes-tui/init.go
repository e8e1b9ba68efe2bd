package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// initWait is how long the creation of a board waits for another program that
// opens or creates it, as Hermes does.
const initWait = 10 * time.Second

func (a *app) initCommand() *cobra.Command {
	var upgrade bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Create the board",
		Long: "Creates the board of this home, or the one that --board or --db names. A board that is there already is\n" +
			"left alone; --upgrade adds the tables and columns that an old one lacks, and nothing else.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if upgrade {
				return a.upgrade(cmd.Context())
			}
			return a.initBoard(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&upgrade, "upgrade", false, "add what an old board lacks")
	return cmd
}

func (a *app) initBoard(ctx context.Context) error {
	h, err := home.Find(a.env)
	if err != nil {
		return err
	}
	if err := a.mayWrite(h); err != nil {
		return err
	}
	place, err := a.placeToMake(h)
	if err != nil {
		return err
	}
	return a.makeBoard(ctx, h, place)
}

// placeToMake is where the new board goes. A board that is only named in
// passing, and is not there, is not taken for another one.
func (a *app) placeToMake(h *home.Home) (home.Board, error) {
	pinned := strings.TrimSpace(a.env.Get("HERMES_KANBAN_DB"))
	switch {
	case a.flags.db != "":
		return h.BoardAt(a.flags.db, a.flags.board)
	case a.flags.board == "":
		slug, notice := h.Active()
		if notice != "" {
			return home.Board{}, fmt.Errorf("%w: %s only to look at; say which board to create: --board SLUG", core.ErrRefused, notice)
		}
		return h.Board(slug)
	}
	place, err := h.Board(a.flags.board)
	switch {
	case !errors.Is(err, home.ErrNoBoard):
		return place, err
	case pinned != "":
		return h.BoardAt(pinned, a.flags.board)
	}
	return h.Create(a.flags.board, home.Meta{}, now())
}

// makeBoard creates the database of a board whose folder this home owns or the
// person named.
func (a *app) makeBoard(ctx context.Context, h *home.Home, place home.Board) error {
	if err := a.makeFile(ctx, h, place); err != nil {
		return err
	}
	if a.flags.json {
		a.printJSON(map[string]any{"board": place.Slug, "db": place.DB, "created": true})
		return nil
	}
	a.print("created board %s: %s", place.Slug, text.Clean(place.DB))
	return nil
}

// makeFile is makeBoard without a word.
func (a *app) makeFile(ctx context.Context, h *home.Home, place home.Board) error {
	if _, err := os.Lstat(place.DB); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = board.ErrExists
		}
		return fmt.Errorf("create board %q: %w; nothing was changed (--upgrade adds what an old board lacks)", place.DB, err)
	}
	// The folder of a file that was named by its path is the person's business.
	if own := filepath.Dir(place.DB); own == h.Root {
		if err := os.MkdirAll(own, 0o755); err != nil {
			return fmt.Errorf("create the home of the board: %w", err)
		}
	}
	a.home, a.place = h, place
	return a.underInitLock(ctx, func() error { return board.Create(ctx, place.DB, a.busy(busyCommand)) })
}

func (a *app) upgrade(ctx context.Context) error {
	if err := a.locate(); err != nil {
		return err
	}
	if err := a.mayWrite(a.home); err != nil {
		return err
	}
	// Something that is no board is refused before a lock file is made beside it.
	b, err := a.open(ctx, busyCommand)
	if err == nil {
		err = b.Close()
	}
	if err != nil && !errors.Is(err, board.ErrInterrupted) {
		return err
	}
	added := []string{}
	err = a.underInitLock(ctx, func() error {
		more, err := board.Upgrade(ctx, a.place.DB, a.busy(busyCommand))
		added = append(added, more...)
		return err
	})
	switch {
	case err != nil:
		return err
	case a.flags.json:
		a.printJSON(map[string]any{"board": a.place.Slug, "db": a.place.DB, "added": added})
	case len(added) == 0:
		a.print("board %s lacks nothing", a.place.Slug)
	default:
		a.print("added to board %s: %s", a.place.Slug, strings.Join(added, ", "))
	}
	return nil
}

// underInitLock keeps Hermes and others from creating the same board.
func (a *app) underInitLock(ctx context.Context, do func() error) error {
	lock, err := home.WaitLock(ctx, a.place.InitLock(), initWait, sleep)
	if err != nil {
		return fmt.Errorf("another program is opening or creating the board: %w", err)
	}
	return errors.Join(do(), lock.Release())
}
