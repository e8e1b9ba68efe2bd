package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func (a *app) claimCommand() *cobra.Command {
	var ttl *int64
	var review bool
	cmd := &cobra.Command{
		Use:   "claim ID",
		Short: "Take a ready card to work on it by hand",
		Long: "Makes a ready card running and opens a run; no worker is started. Name the run in heartbeat, complete and\n" +
			"block. The claim expires; heartbeat --extend renews it.",
		Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				claim := b.Claim
				if review {
					claim = b.ClaimReview
				}
				c, err := claim(ctx, board.ClaimRequest{Target: a.target(s.Task.ID), Lock: claimer(), TTL: a.ttl(ttl)})
				if err != nil {
					return done{}, err
				}
				return done{
					said: fmt.Sprintf("claimed as run %d until %s", c.Run, moment(c.Expires)),
					run:  &c.Run, lock: c.Lock, expires: c.Expires,
				}, nil
			})
		},
	}
	cmd.Flags().Var(secondsFlag{&ttl}, "ttl", "how long the claim lasts, such as 30m (default: HERMES_KANBAN_CLAIM_TTL_SECONDS)")
	cmd.Flags().BoolVar(&review, "review", false, "take a card that waits for its reviewer")
	return cmd
}

// ttl is how long a claim lasts, in seconds.
func (a *app) ttl(given *int64) int64 {
	if given != nil {
		return *given
	}
	return a.timing().ClaimTTL
}

func (a *app) heartbeatCommand() *cobra.Command {
	var run *int64
	var note string
	var extend bool
	cmd := &cobra.Command{
		Use:   "heartbeat ID",
		Short: "Record a sign of life of whoever works on a running card",
		Args:  exactArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				target := a.workerTarget(s.Task.ID, run)
				if err := b.Heartbeat(ctx, target, note); err != nil || !extend {
					return done{said: "is alive"}, err
				}
				lock, err := a.heldLock(s.Task)
				if err != nil {
					return done{}, err
				}
				until, err := b.ExtendClaim(ctx, target, lock, a.ttl(nil))
				return done{said: "is alive, claimed until " + moment(until), lock: lock, expires: until}, err
			})
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "what is being done")
	cmd.Flags().BoolVar(&extend, "extend", false, "make the claim last for another full time")
	runFlag(cmd, &run)
	return cmd
}

// heldLock is the lock that whoever calls holds the card by: the one its
// dispatcher told it, else that of the card. A claim by hand has no process that
// could be asked, so the person's word counts; a run that is named still guards.
func (a *app) heldLock(task core.Task) (string, error) {
	if lock := a.env.Get("HERMES_KANBAN_CLAIM_LOCK"); lock != "" && a.env.Get("HERMES_KANBAN_TASK") == task.ID {
		return lock, nil
	}
	if task.ClaimLock == nil {
		return "", fmt.Errorf("extend the claim on task %q: %w: nobody has claimed it", task.ID, core.ErrRefused)
	}
	return *task.ClaimLock, nil
}
