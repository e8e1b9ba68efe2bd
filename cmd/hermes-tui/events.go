package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// followEvery is how often a command that follows something looks again.
const followEvery = 250 * time.Millisecond

func (a *app) eventsCommand() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Print the newest events of the board",
		Long:  "Prints the newest events, oldest first. With --follow it goes on until it is ended; with --json it then\nprints one event per line.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := a.open(cmd.Context(), busyCommand)
			if err != nil {
				return err
			}
			if follow {
				return a.followEvents(cmd.Context(), b)
			}
			return a.printEvents(cmd.Context(), b)
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "go on and print what happens")
	return cmd
}

func (a *app) printEvents(ctx context.Context, b *board.Board) error {
	s, err := b.Snapshot(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		a.printJSON(map[string]any{"events": each(s.Events, boardEvent)})
		return nil
	}
	var rows [][]string
	for _, e := range s.Events {
		rows = append(rows, eventRow(e))
	}
	a.write([]byte(tabulate(rows, a.columns())))
	return nil
}

// followEvents prints what happens until it is told to end. That the board is
// busy for a while ends nothing.
func (a *app) followEvents(ctx context.Context, b *board.Board) error {
	last, generation := int64(0), b.Generation()
	for due := true; a.unsaid == nil; {
		if due {
			s, err := b.Snapshot(ctx)
			switch {
			case ctx.Err() != nil:
				return nil
			case errors.Is(err, board.ErrBusy):
			case err != nil:
				return err
			default:
				if g := b.Generation(); g != generation {
					generation, last = g, 0 // another file, whose events have numbers of their own
				}
				last = a.printNew(s.Events, last)
			}
			due = errors.Is(err, board.ErrBusy)
		}
		if sleep(ctx, followEvery) != nil {
			return nil
		}
		change, err := b.Poll(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, board.ErrBusy):
			return err
		}
		due = due || change != board.Same
	}
	return nil
}

// printNew prints the events after the last one that was printed and returns the
// new last one. More than a snapshot holds cannot be shown, and is said.
func (a *app) printNew(events []core.Event, last int64) int64 {
	if len(events) == 0 {
		return last
	}
	if first := events[0].ID; last > 0 && first > last+1 {
		a.say(fmt.Sprintf("events %d to %d went by too fast to be shown", last+1, first-1))
	}
	for _, e := range events {
		switch {
		case e.ID <= last:
		case a.flags.json:
			a.printJSON(boardEvent(e))
		default:
			a.write([]byte(tabulate([][]string{eventRow(e)}, a.columns())))
		}
	}
	return max(last, events[len(events)-1].ID)
}

// boardEvent is an event that has to say of which card it is.
func boardEvent(e core.Event) shownEvent {
	s := showEvent(e)
	s.Task = e.TaskID
	return s
}

// eventRow has widths of its own, so that events that come one by one line up.
func eventRow(e core.Event) []string {
	return []string{
		moment(e.CreatedAt), fmt.Sprintf("%-10s", text.Clean(e.TaskID)), fmt.Sprintf("%-18s", text.Clean(e.Kind)),
		told(e.Payload),
	}
}
