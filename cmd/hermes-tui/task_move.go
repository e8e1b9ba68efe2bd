package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func (a *app) blockCommand() *cobra.Command {
	var reason *string
	var run *int64
	var kind string
	cmd := &cobra.Command{
		Use:   "block ID...",
		Short: "Stop work on running or ready cards until somebody decides",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if kind != "" && !slices.Contains(board.BlockKinds, kind) {
				return usage(fmt.Errorf("--kind %q is unknown; there are %s", kind, strings.Join(board.BlockKinds, ", ")))
			}
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				_, err := b.Block(ctx, board.BlockRequest{Target: a.workerTarget(s.Task.ID, run), Reason: reason, Kind: kind})
				return done{said: "blocked"}, err
			})
		},
	}
	cmd.Flags().Var(textFlag{&reason}, "reason", "why, for whoever decides")
	cmd.Flags().StringVar(&kind, "kind", "", "kind of block: "+strings.Join(board.BlockKinds, ", "))
	runFlag(cmd, &run)
	return cmd
}

func (a *app) unblockCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unblock ID...",
		Short: "Let blocked or scheduled cards go on where they left off",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				_, err := b.Unblock(ctx, a.target(s.Task.ID))
				return done{said: "unblocked"}, err
			})
		},
	}
}

func (a *app) promoteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "promote ID...",
		Short: "Make todo or blocked cards ready",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				return done{said: "promoted"}, b.Promote(ctx, a.target(s.Task.ID), nil)
			})
		},
	}
}

func (a *app) scheduleCommand() *cobra.Command {
	var reason *string
	cmd := &cobra.Command{
		Use:   "schedule ID...",
		Short: "Park cards until they are unblocked",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				return done{said: "scheduled"}, b.Schedule(ctx, a.workerTarget(s.Task.ID, nil), reason)
			})
		},
	}
	cmd.Flags().Var(textFlag{&reason}, "reason", "what the cards wait for")
	return cmd
}

func (a *app) reviewCommand() *cobra.Command {
	var summary *string
	var run *int64
	var reviewer string
	var force bool
	cmd := &cobra.Command{
		Use:   "review ID",
		Short: "Hand a running or ready card to a reviewer",
		Args:  exactArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				err := b.RequestReview(ctx, board.ReviewRequest{
					Target: a.workerTarget(s.Task.ID, run), Summary: summary, Reviewer: reviewer, Force: force, Saw: &s.Sighting,
				})
				return done{said: "handed to review"}, insist(err)
			})
		},
	}
	cmd.Flags().Var(textFlag{&summary}, "summary", "what was done")
	cmd.Flags().StringVar(&reviewer, "reviewer", "", "profile that reviews (default: whoever asked for changes last)")
	cmd.Flags().BoolVar(&force, "force", false, "take the card from a worker that lives")
	runFlag(cmd, &run)
	return cmd
}

func (a *app) changesCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "changes ID --reason TEXT",
		Short: "Send a card under review back to whoever did the work",
		Args:  exactArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			if strings.TrimSpace(reason) == "" {
				return usage(fmt.Errorf("--reason is required: say what has to change"))
			}
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				who, err := b.RequestChanges(ctx, a.workerTarget(s.Task.ID, nil), reason)
				return done{said: "sent back to " + orNobody(who)}, err
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what has to change (required)")
	return cmd
}

func (a *app) reopenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reopen ID...",
		Short: "Take cards back from review to whoever did the work",
		Args:  atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				_, err := b.ReopenReview(ctx, a.target(s.Task.ID))
				return done{said: "reopened"}, err
			})
		},
	}
}

func (a *app) deleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID...",
		Short: "Remove cards with their history for good",
		Long: "Removes cards with their links, comments, events and runs for good; attachments stay. A running card is\n" +
			"refused: nothing would be left to find its worker by. Archive or requeue it first.",
		Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				if s.Task.Status == core.Running {
					return done{}, fmt.Errorf("delete task %q: %w: the card is running; archive or requeue it first", s.Task.ID, core.ErrRefused)
				}
				seen, t := s.Task.See(), a.target(s.Task.ID)
				t.Seen = &seen
				return done{said: "deleted"}, b.Delete(ctx, t)
			})
		},
	}
}

// runFlag adds the flag of a worker that speaks for one run.
func runFlag(cmd *cobra.Command, run **int64) {
	cmd.Flags().Var(numberFlag{run, 1}, "run", "run that speaks; refused unless it is the card's current one")
}

func orNobody(profile string) string {
	if profile == "" {
		return "nobody"
	}
	return profile
}
