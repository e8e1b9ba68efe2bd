package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// Interval is the time between two ticks of the demo's dispatcher.
const Interval = 2 * time.Second

// Story is the demo at play: before a tick it may break something, as the field
// would, and the tick then shows what becomes of it.
type Story struct {
	World      *World
	Board      *board.Board
	Dispatcher *dispatch.Dispatcher
	Operator   *operator.Operator
	Clean      func(string) string // makes text from a card harmless to print

	tick int
	seen int64 // newest event that was told
}

// Tick plays one step: the fault of the moment, then the dispatcher.
func (s *Story) Tick(ctx context.Context) (*dispatch.Report, error) {
	s.tick++
	if s.tick == 4 {
		d := dealer{ctx: ctx, b: s.Board}
		id := d.card(board.NewTask{Title: "Rotate the log files", Assignee: "writer", Priority: 2})
		d.note(s.Board.MarkRunning(ctx, id, board.Damage{}))
		if d.err != nil {
			return dispatch.NewReport(), fmt.Errorf("play the demo: %w", d.err)
		}
	}
	return s.Dispatcher.Tick(ctx, dispatch.Options{})
}

// Play tells the story without a screen for the given time: it prints each event
// as it happens and at the end the board. It acts for the person too.
func (s *Story) Play(ctx context.Context, out io.Writer, length time.Duration, clock Clock) error {
	fmt.Fprintf(out, "A board in a temporary folder, agents that are real processes, and three zombies.\n\n")
	start := clock.Now()
	for clock.Now()-start < int64(length/time.Second) && ctx.Err() == nil {
		if _, err := s.Tick(ctx); err != nil {
			return err
		}
		if s.tick == 5 {
			if err := s.requeueStuck(ctx, out); err != nil {
				return err
			}
		}
		if err := s.tell(ctx, out, start); err != nil {
			return err
		}
		_ = clock.Sleep(ctx, Interval)
	}
	// What agents did after the last tick belongs to the story.
	if err := s.tell(context.WithoutCancel(ctx), out, start); err != nil {
		return err
	}
	return s.printBoard(context.WithoutCancel(ctx), out)
}

// requeueStuck is the person's part: let go of a card that somebody claimed by
// hand and never worked on.
func (s *Story) requeueStuck(ctx context.Context, out io.Writer) error {
	snapshot, err := s.Board.Snapshot(ctx)
	if err != nil {
		return err
	}
	for id, card := range snapshot.ByID {
		if card.Title != stuckTitle || card.Status != core.Running || card.WorkerPID != 0 {
			continue
		}
		standing, err := s.Operator.Look(ctx, id)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "      you press r on %q: %s\n", card.Title, standing.Sighting.Evidence)
		if _, err := s.Operator.Requeue(ctx, standing, false, "nobody is working on it"); err != nil {
			return err
		}
	}
	return nil
}

// tell prints the events that are new.
func (s *Story) tell(ctx context.Context, out io.Writer, start int64) error {
	snapshot, err := s.Board.Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, e := range snapshot.Events {
		if e.ID <= s.seen || e.Kind == "heartbeat" {
			continue
		}
		title := e.TaskID
		if card := snapshot.ByID[e.TaskID]; card != nil {
			title = card.Title
		}
		fmt.Fprintf(out, "%3d s  %-21s  %s\n", max(e.CreatedAt-start, 0), s.Clean(e.Kind), s.Clean(title))
	}
	s.seen = snapshot.NewestEvent
	return nil
}

// printBoard prints every column with its cards.
func (s *Story) printBoard(ctx context.Context, out io.Writer) error {
	snapshot, err := s.Board.Snapshot(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe board at the end:\n")
	for _, column := range snapshot.Columns {
		if len(column.Cards) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s (%d)\n", strings.ToUpper(string(column.Status)), len(column.Cards))
		for _, c := range column.Cards {
			owner := "nobody"
			if c.Assignee != "" {
				owner = s.Clean(c.Assignee)
			}
			fmt.Fprintf(out, "  %-11s %-32s %s\n", s.Clean(c.ID), s.Clean(c.Title), owner)
		}
	}
	return nil
}

// Stopper ends a worker that is proven to be ours.
type Stopper interface {
	Stop(ctx context.Context, w process.Worker) core.Termination
}

// End stops the agents that still work. Each is proven to be the worker of its
// card before it gets a signal.
func (s *Story) End(ctx context.Context, stopper Stopper, now int64) error {
	cards, err := s.Board.RunningCards(ctx)
	if err != nil {
		return fmt.Errorf("stop the demo's agents: %w", err)
	}
	for _, c := range cards {
		if c.Task.WorkerPID == nil || c.Run == nil {
			continue
		}
		report := stopper.Stop(ctx, process.Worker{
			TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock,
			RunStarted: c.Run.StartedAt, Now: now,
		})
		if !report.Terminated {
			err = errors.Join(err, fmt.Errorf("the agent with pid %d could not be stopped", *c.Task.WorkerPID))
		}
	}
	return err
}
