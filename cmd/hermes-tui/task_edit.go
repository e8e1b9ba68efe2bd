package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func (a *app) editCommand() *cobra.Command {
	var r board.EditRequest
	var bodyFile string
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change title, text or priority of a card, or the result of a finished one",
		Args:  exactArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) (err error) {
			if r.Body, err = a.textOrFile("body", r.Body, bodyFile); err != nil {
				return err
			}
			if r.Title == nil && r.Body == nil && r.Priority == nil && r.Result == nil {
				return usage(fmt.Errorf("say what to change: --title, --body, --priority or --result"))
			}
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				r.Target = a.target(s.Task.ID)
				return done{said: "edited"}, b.Edit(ctx, r)
			})
		},
	}
	f := cmd.Flags()
	f.Var(textFlag{&r.Title}, "title", "new title")
	f.Var(textFlag{&r.Body}, "body", "new text")
	f.StringVar(&bodyFile, "body-file", "", "file with the new text, - for standard input (at most 4 MiB)")
	f.Var(numberFlag{&r.Priority, -1 << 62}, "priority", "new priority, higher first")
	f.Var(textFlag{&r.Result}, "result", "corrected result of a finished card")
	return cmd
}

func (a *app) commentCommand() *cobra.Command {
	var author string
	cmd := &cobra.Command{
		Use:   "comment ID TEXT|-",
		Short: "Add a comment to a card",
		Args:  exactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := args[1]
			if body == "-" {
				var err error
				if body, err = a.readText("-"); err != nil {
					return err
				}
			}
			if author == "" {
				author = a.actor()
			}
			return a.act(cmd.Context(), args[:1], func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				n, err := b.Comment(ctx, a.target(s.Task.ID), author, body)
				return done{said: fmt.Sprintf("has comment %d", n)}, err
			})
		},
	}
	cmd.Flags().StringVar(&author, "author", "", "who says it (default: you)")
	return cmd
}

func (a *app) linkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "link PARENT CHILD",
		Short: "Make a card, the child, wait for another one",
		Args:  exactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.actOnChild(cmd.Context(), args, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				_, err := b.Link(ctx, args[0], a.workerTarget(s.Task.ID, nil))
				return done{said: "waits for " + args[0]}, err
			})
		},
	}
}

func (a *app) unlinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unlink PARENT CHILD",
		Short: "Let a card wait no longer for another one",
		Args:  exactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.act(cmd.Context(), args[1:], func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				removed, err := b.Unlink(ctx, args[0], a.target(s.Task.ID))
				if err == nil && !removed {
					return done{said: "did not wait for " + args[0]}, nil
				}
				return done{said: "does not wait for " + args[0] + " any more"}, err
			})
		},
	}
}

// actOnChild acts on the second of two cards and says where the first is if it
// is not on this board.
func (a *app) actOnChild(ctx context.Context, args []string, do action) error {
	return a.act(ctx, args[1:], func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
		if _, err := b.Task(ctx, args[0]); err != nil {
			return done{}, a.elsewhere(ctx, args[0], err)
		}
		return do(ctx, b, s)
	})
}
