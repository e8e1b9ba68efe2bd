package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func (a *app) listCommand() *cobra.Command {
	var f board.Filter
	var statuses []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the cards of the board",
		Long:  "Lists cards by status. Archived cards are left out unless asked for.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, s := range statuses {
				status := core.Status(s)
				if !status.Known() {
					return usage(fmt.Errorf("--status %q is unknown; there are %s", s, join(core.Statuses)))
				}
				f.Statuses = append(f.Statuses, status)
			}
			return a.list(cmd.Context(), f)
		},
	}
	cmd.Flags().StringSliceVar(&statuses, "status", nil, "only cards of this status (repeatable)")
	cmd.Flags().StringVar(&f.Assignee, "assignee", "", "only cards of this profile or lane")
	cmd.Flags().BoolVar(&f.Archived, "archived", false, "archived cards too")
	return cmd
}

func (a *app) list(ctx context.Context, f board.Filter) error {
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	if a.flags.json {
		rows, err := b.Rows(ctx, f)
		if err != nil {
			return err
		}
		a.printJSON(map[string]any{"tasks": rows})
		return nil
	}
	s, err := b.Snapshot(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"ID", "STATUS", "PRI", "AGE", "ASSIGNEE", "TITLE"}}
	for _, column := range s.Columns {
		for _, c := range column.Cards {
			if wanted(f, c) {
				rows = append(rows, []string{
					c.ID, string(c.Status), strconv.FormatInt(c.Priority, 10), age(s.TakenAt, c.CreatedAt), orDash(c.Assignee), c.Title,
				})
			}
		}
	}
	if len(rows) == 1 {
		a.say(fmt.Sprintf("no such cards on board %s (%q)", a.place.Slug, b.Path()))
		return nil
	}
	a.write([]byte(tabulate(rows, a.columns())))
	return nil
}

// wanted is the filter of the listing for cards that were read already.
func wanted(f board.Filter, c *core.Card) bool {
	if f.Assignee != "" && c.Assignee != f.Assignee {
		return false
	}
	if len(f.Statuses) > 0 {
		return slices.Contains(f.Statuses, c.Status)
	}
	return f.Archived || c.Status != core.Archived
}

// columns is the width of the terminal that the answer goes to, in cells, or 0
// where it goes elsewhere.
func (a *app) columns() int {
	f, ok := a.out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}

func join(statuses []core.Status) string {
	var names []string
	for _, s := range statuses {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
