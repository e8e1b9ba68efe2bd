package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/board"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the board, as it is at this moment, to a new file",
		Long:  "Copies the board through SQLite, so that nothing is missing of what others have just written. A file that is\nthere already is never overwritten.",
		Args:  exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dest, err := a.env.Abs(args[0])
			if err != nil {
				return usage(err)
			}
			b, err := a.open(cmd.Context(), busyCommand)
			if err != nil {
				return err
			}
			err = b.Backup(cmd.Context(), dest)
			if errors.Is(err, board.ErrExists) {
				return fmt.Errorf("%w; name a file that is not there yet", err)
			}
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"board": a.place.Slug, "db": b.Path(), "backup": dest}, "copied to "+dest)
		},
	}
}
