package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

func (a *app) boardsCommand() *cobra.Command {
	list := func(*cobra.Command, []string) error { return a.listBoards() }
	cmd := &cobra.Command{
		Use:   "boards",
		Short: "List, create, switch and archive the boards of this home",
		Args:  noArgs,
		RunE:  list,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the boards; the active one has a *", Args: noArgs, RunE: list},
		a.createBoardCommand(),
		&cobra.Command{
			Use: "switch SLUG", Short: "Make a board the active one, for Hermes as well", Args: exactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return a.switchBoard(args[0]) },
		},
		&cobra.Command{
			Use: "archive SLUG", Short: "Put a board away with all its files", Args: exactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return a.archiveBoard(args[0]) },
		},
	)
	return cmd
}

func (a *app) createBoardCommand() *cobra.Command {
	var m home.Meta
	cmd := &cobra.Command{
		Use:   "create SLUG",
		Short: "Create a board",
		Args:  exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.createBoard(cmd.Context(), args[0], m)
		},
	}
	cmd.Flags().StringVar(&m.Name, "name", "", "name to show (default: from the slug)")
	cmd.Flags().StringVar(&m.Description, "description", "", "what the board is for")
	return cmd
}

// ownHome finds the home for a command that writes to it.
func (a *app) ownHome() (*home.Home, error) {
	h, err := home.Find(a.env)
	if err != nil {
		return nil, err
	}
	return h, a.mayWrite(h)
}

func (a *app) createBoard(ctx context.Context, slug string, m home.Meta) error {
	h, err := a.ownHome()
	if err != nil {
		return err
	}
	place, err := h.Create(slug, m, now())
	if err != nil {
		return err
	}
	return a.makeBoard(ctx, h, place)
}

// listedBoard is a board as scripts get it.
type listedBoard struct {
	Slug    string `json:"slug"`
	Name    string `json:"name"`
	Active  bool   `json:"active"`
	DB      string `json:"db"`
	Missing bool   `json:"missing"` // the file is not there yet
}

func (a *app) listBoards() error {
	h, err := home.Find(a.env)
	if err != nil {
		return err
	}
	active, notice := h.Active()
	if notice != "" {
		a.say(notice)
	}
	places, err := h.Boards()
	if err != nil {
		return err
	}
	boards := each(places, func(p home.Board) listedBoard {
		_, err := os.Stat(p.DB)
		return listedBoard{Slug: p.Slug, Name: p.Meta.Name, Active: p.Slug == active, DB: p.DB, Missing: errors.Is(err, fs.ErrNotExist)}
	})
	if a.flags.json {
		a.printJSON(map[string]any{"boards": boards})
		return nil
	}
	var rows [][]string
	for _, b := range boards {
		mark, where := " ", b.DB
		if b.Active {
			mark = "*"
		}
		if b.Missing {
			where += " (not created yet)"
		}
		rows = append(rows, []string{mark, b.Slug, b.Name, where})
	}
	a.write([]byte(tabulate(rows, 0)))
	return nil
}

func (a *app) switchBoard(slug string) error {
	h, err := a.ownHome()
	if err != nil {
		return err
	}
	if err := h.SwitchTo(slug); err != nil {
		return noBoard(err)
	}
	active, notice := h.Active()
	if notice != "" {
		a.say(notice)
	}
	if want, err := home.ParseSlug(slug); err == nil && active != want {
		a.say(fmt.Sprintf("HERMES_KANBAN_BOARD is set and still wins here: %s", active))
	}
	return a.answer(map[string]any{"active": active}, "active board: "+active)
}

// archiveBoard moves a board away, unless somebody works with it.
func (a *app) archiveBoard(slug string) error {
	h, err := a.ownHome()
	if err != nil {
		return err
	}
	place, err := h.Board(slug)
	if err != nil {
		return noBoard(err)
	}
	for _, path := range []string{place.LoopLock(), place.DispatchLock()} {
		held, err := home.Held(path)
		if err != nil {
			return fmt.Errorf("archive board %q: %w", place.Slug, err)
		}
		if held {
			return fmt.Errorf("archive board %q: a dispatcher works on it, end it first: %w: %q", place.Slug, home.ErrHeld, path)
		}
	}
	where, err := h.Archive(place.Slug, now())
	if err != nil {
		return err
	}
	return a.answer(map[string]any{"board": place.Slug, "archived": where}, "archived board "+place.Slug+" to "+where)
}

// answer prints one value or one line.
func (a *app) answer(v any, line string) error {
	if a.flags.json {
		a.printJSON(v)
	} else {
		a.print("%s", text.Clean(line))
	}
	return nil
}

// missing is an error that says in its own words that there is no board.
type missing struct{ error }

func (m missing) Unwrap() []error { return []error{board.ErrMissing, m.error} }

// noBoard says of a board that this home does not have what is said of one whose
// file is missing.
func noBoard(err error) error {
	if errors.Is(err, home.ErrNoBoard) {
		return missing{err}
	}
	return err
}
