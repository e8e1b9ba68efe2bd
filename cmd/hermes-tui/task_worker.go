package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/process"
)

func (a *app) requeueCommand() *cobra.Command {
	var reason string
	var dead bool
	cmd := &cobra.Command{
		Use:   "requeue ID...",
		Short: "Put cards back in the queue, after looking what stands behind them",
		Long: "Releases claimed or running cards for another attempt. A worker that is proven to be the card's own is\n" +
			"stopped first; where nobody can tell whether one lives, nothing happens without --assume-dead.",
		Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				_, err := a.operator(b).Requeue(ctx, s, dead, reason)
				return done{said: "requeued"}, err
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the card's history")
	cmd.Flags().BoolVar(&dead, "assume-dead", false, "your word that no worker lives where nothing proves it")
	return cmd
}

// stopCommand stops workers and leaves the cards to the next tick.
func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop ID...",
		Short: "Stop the workers of cards, and nothing else",
		Long:  "Stops the worker of each card where it is proven to be the card's own. The card stays as it is; the next\ntick finds its worker dead.",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				_, err := a.operator(b).StopWorker(ctx, s.Task.ID)
				return done{said: "has no worker any more"}, err
			})
		},
	}
}

func (a *app) archiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "archive ID...",
		Short: "Put cards away; the worker of a running card is stopped",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, a.archive)
		},
	}
}

// archive puts a card away and then stops its worker: no other worker can be
// started for an archived card.
func (a *app) archive(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
	gone, err := b.Archive(ctx, a.target(s.Task.ID), &s.Sighting)
	if err != nil || !gone.WasRunning {
		return done{said: "archived"}, err
	}
	stop := a.operator(b).Stopper.Stop(ctx, workerOf(s))
	// The stop is told although the person has lost patience with it.
	if err := b.RecordArchiveTermination(context.WithoutCancel(ctx), gone, stop); err != nil {
		return done{}, err
	}
	if s.Task.WorkerPID == nil || stop.Terminated {
		return done{said: "archived"}, nil
	}
	return done{}, fmt.Errorf("task %q is archived, but its worker, pid %d, was not stopped (%s); look at it yourself",
		s.Task.ID, *s.Task.WorkerPID, s.Sighting.Evidence)
}

func (a *app) assignCommand() *cobra.Command {
	var reclaim, dead bool
	cmd := &cobra.Command{
		Use:   "assign ID... PROFILE|none",
		Short: "Give cards to a profile, or to nobody",
		Args:  atLeast(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, profile := args[:len(args)-1], args[len(args)-1]
			if profile == "none" {
				profile = ""
			}
			err := a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				d := done{said: "assigned to " + orNobody(profile)}
				if reclaim && (s.Task.Status == core.Running || s.Task.ClaimLock != nil) {
					return d, a.reassign(ctx, b, s, profile, dead)
				}
				return d, b.Assign(ctx, a.target(s.Task.ID), profile)
			})
			a.noteUnknown(profile)
			return err
		},
	}
	cmd.Flags().BoolVar(&reclaim, "reclaim", false, "take a running card from its worker, which is stopped")
	cmd.Flags().BoolVar(&dead, "assume-dead", false, "with --reclaim: your word that no worker lives where nothing proves it")
	return cmd
}

// reassign takes a card from its worker and gives it away, by the same rules as
// a requeue.
func (a *app) reassign(ctx context.Context, b *board.Board, s operator.Standing, profile string, dead bool) error {
	id, seen := s.Task.ID, s.Task.See()
	r := board.ReclaimRequest{Target: a.target(id), Saw: s.Sighting, Reason: new("reassign")}
	r.Seen = &seen
	if s.NeedsDeadWord {
		if !dead {
			return fmt.Errorf("reassign task %q: %w: %s; say so (--assume-dead) if you know that none does", id, operator.ErrCannotTell, s.Unknown())
		}
		r.SaysDead = s.Unknown()
	}
	r.Stop = a.operator(b).Stopper.Stop(ctx, workerOf(s))
	if s.Sighting.Verdict == core.AliveOurs && !r.Stop.Terminated {
		return fmt.Errorf("reassign task %q: %w", id, operator.ErrSurvives)
	}
	return b.Reassign(ctx, r, profile)
}

// workerOf is the worker that the card names.
func workerOf(s operator.Standing) process.Worker {
	w := process.Worker{
		TaskID: s.Task.ID, PID: s.Task.WorkerPID, Fingerprint: s.Task.WorkerStarted, Lock: s.Task.ClaimLock,
		Heartbeat: s.Task.LastHeartbeat, Now: now(),
	}
	if s.Run != nil {
		w.RunStarted = s.Run.StartedAt
	}
	return w
}

// noteUnknown tells of an assignee for whom no worker can be started here. That
// is no mistake where a person or another machine takes such cards.
func (a *app) noteUnknown(assignee string) {
	assignee = strings.ToLower(strings.TrimSpace(assignee))
	if assignee != "" && a.home != nil && !a.knows()(assignee) {
		a.say(fmt.Sprintf("note: %q is neither a profile nor a lane here, so no worker will be started", assignee))
	}
}

// insist names the flag that takes a card from a live worker.
func insist(err error) error {
	if errors.Is(err, board.ErrLiveWorker) {
		return fmt.Errorf("%w (--force)", err)
	}
	return err
}
