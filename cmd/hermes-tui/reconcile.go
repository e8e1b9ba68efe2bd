package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// lockWait is how long a repair outside a tick waits for a tick to end.
const lockWait = 5 * time.Second

// tickLock keeps ticks away until it is released.
func (a *app) tickLock(ctx context.Context) (*home.Lock, error) {
	lock, err := home.WaitLock(ctx, a.place.DispatchLock(), lockWait, sleep)
	if errors.Is(err, home.ErrHeld) {
		return nil, fmt.Errorf("a dispatcher holds the board: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("keep ticks away meanwhile: %w", err)
	}
	return lock, nil
}

func (a *app) reconcileCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "reconcile [TASK...]",
		Short: "Compare running cards with reality and repair what broke",
		Long: "Finds cards whose recorded state has lost touch with reality and releases them for another\n" +
			"attempt. A card with a live worker, or one that nobody can judge, is held and listed.",
		RunE: func(cmd *cobra.Command, ids []string) error { return a.reconcile(cmd, ids, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only list the findings, write nothing")
	return cmd
}

// reconciled is what the command prints as JSON.
type reconciled struct {
	Reconciled []string            `json:"reconciled"`
	Findings   []reconcile.Finding `json:"findings"`
}

func (a *app) reconcile(cmd *cobra.Command, ids []string, dryRun bool) error {
	ctx := cmd.Context()
	b, err := a.openFor(ctx, dryRun)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := b.Task(ctx, id); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		ids = nil
	}
	pass, answer := a.reconciler(b), reconciled{Reconciled: []string{}}
	if dryRun {
		plan, err := pass.Plan(ctx, ids)
		if err != nil {
			return err
		}
		answer.Findings = plan.Findings
		return a.printFindings(answer, true)
	}
	lock, err := a.tickLock(ctx)
	if err != nil {
		return err
	}
	done, findings, err := pass.Run(ctx, ids)
	answer.Reconciled, answer.Findings = append(answer.Reconciled, done...), findings
	if err := errors.Join(err, lock.Release()); err != nil {
		return err
	}
	return a.printFindings(answer, false)
}

func (a *app) printFindings(answer reconciled, plan bool) error {
	if a.flags.json {
		a.printJSON(answer)
		return nil
	}
	if len(answer.Findings) == 0 {
		a.print("nothing to reconcile")
		return nil
	}
	for _, f := range answer.Findings {
		a.print("%-12s %-20s %-8s %s (%s)", text.Clean(f.Task), f.Kind, f.Action, text.Clean(f.Reason), text.Clean(f.Evidence))
	}
	if plan {
		a.print("%s, nothing written", core.Count(len(answer.Findings), "finding"))
		return nil
	}
	a.print("%s, %d repaired", core.Count(len(answer.Findings), "finding"), len(answer.Reconciled))
	return nil
}
