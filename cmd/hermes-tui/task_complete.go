package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
)

func (a *app) completeCommand() *cobra.Command {
	var c board.Completion
	var file, metadata string
	var run *int64
	cmd := &cobra.Command{
		Use:   "complete ID...",
		Short: "Finish cards and let go of what waits for them",
		Long: "Finishes running, ready, blocked or reviewed cards. A result or a summary is needed, except for an approved\n" +
			"review. A card with a worker that lives is refused, unless --run names its run or --force takes it.",
		Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, ids []string) (err error) {
			if c.Result, err = a.textOrFile("result", c.Result, file); err != nil {
				return err
			}
			if c.Metadata, err = jsonObject("metadata", metadata); err != nil {
				return err
			}
			return a.act(cmd.Context(), ids, func(ctx context.Context, b *board.Board, s operator.Standing) (done, error) {
				request := c
				request.Target, request.Saw = a.workerTarget(s.Task.ID, run), &s.Sighting
				return done{said: "completed"}, insist(b.Complete(ctx, request))
			})
		},
	}
	f := cmd.Flags()
	f.Var(textFlag{&c.Result}, "result", "what came out of it")
	f.StringVar(&file, "result-file", "", "file with the result, - for standard input (at most 4 MiB)")
	f.Var(textFlag{&c.Summary}, "summary", "what was done, in a line")
	f.StringVar(&metadata, "metadata", "", "JSON object for the run")
	f.StringArrayVar(&c.CreatedCards, "created", nil, "id of a card that was created by this work (repeatable)")
	f.BoolVar(&c.Force, "force", false, "take the card from a worker that lives")
	runFlag(cmd, &run)
	return cmd
}
