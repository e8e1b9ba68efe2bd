package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// newTask is a card to be made together with those flags that have to be
// understood first.
type newTask struct {
	board.NewTask
	body      *string
	bodyFile  string
	workspace string
}

func (a *app) createCommand() *cobra.Command {
	var n newTask
	cmd := &cobra.Command{
		Use:   "create TITLE",
		Short: "Make a card",
		Long: "Makes a card. It is ready at once, unless it waits for --parent cards, or starts in triage or blocked.\n" +
			"With --idempotency-key a card that has the key already is returned, so that a script can be run again.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.understand(&n, args); err != nil {
				return err
			}
			return a.create(cmd.Context(), n.NewTask)
		},
	}
	f := cmd.Flags()
	f.StringVar(&n.Title, "title", "", "title (or give it as the one argument)")
	f.Var(textFlag{&n.body}, "body", "text of the card")
	f.StringVar(&n.bodyFile, "body-file", "", "file with the text, - for standard input (at most 4 MiB)")
	f.StringVar(&n.Assignee, "assignee", "", "profile or lane that works on it")
	f.Int64Var(&n.Priority, "priority", 0, "higher first")
	f.StringArrayVar(&n.Parents, "parent", nil, "id of a card that it waits for (repeatable)")
	f.BoolVar(&n.Triage, "triage", false, "somebody has to look at it first")
	f.BoolVar(&n.Blocked, "blocked", false, "start blocked")
	f.StringVar(&n.Tenant, "tenant", "", "tenant (default: that of the first parent that has one)")
	f.StringVar(&n.IdempotencyKey, "idempotency-key", "", "return the card that has this key, if there is one")
	f.StringVar(&n.workspace, "workspace", "scratch", "scratch, dir:PATH, worktree or worktree:PATH")
	f.StringVar(&n.BranchName, "branch", "", "branch of the worktree")
	f.StringArrayVar(&n.Skills, "skill", nil, "skill of the worker (repeatable; default: those of the profile)")
	f.StringVar(&n.Model, "model", "", "model of the worker")
	f.StringVar(&n.Provider, "provider", "", "provider of the model")
	f.Var(secondsFlag{&n.MaxRuntime}, "max-runtime", "how long one run may take, such as 90m")
	f.Var(numberFlag{&n.MaxRetries, 1}, "max-retries", "failures in a row that block it")
	f.BoolVar(&n.GoalMode, "goal", false, "work towards a goal in several turns")
	f.Var(numberFlag{&n.GoalMaxTurns, 1}, "goal-turns", "at most so many turns (with --goal)")
	return cmd
}

// understand turns words and flags into a request.
func (a *app) understand(n *newTask, args []string) error {
	switch {
	case len(args) > 1:
		return usage(fmt.Errorf("unexpected %q; put the title in quotes", args[1]))
	case len(args) == 1 && n.Title != "":
		return usage(errors.New("give the title as --title or as the argument, not both"))
	case len(args) == 1:
		n.Title = args[0]
	}
	switch {
	case strings.TrimSpace(n.Title) == "":
		return usage(errors.New(`a title is required; write: hermes-tui task create "What is to be done"`))
	case n.Triage && n.Blocked:
		return usage(errors.New("a card starts in triage or blocked; give --triage or --blocked, not both"))
	case n.GoalMaxTurns != nil && !n.GoalMode:
		return usage(errors.New("--goal-turns needs --goal"))
	}
	body, err := a.textOrFile("body", n.body, n.bodyFile)
	if err != nil {
		return err
	}
	if body != nil {
		n.Body = *body
	}
	n.CreatedBy = a.actor()
	if a.flags.board == "" && a.flags.db == "" {
		// The environment chose the board; if it is that of a worker, its card is
		// on the same one.
		n.CreatorTask = a.env.Get("HERMES_KANBAN_TASK")
	}
	return a.understandWorkspace(n)
}

func (a *app) understandWorkspace(n *newTask) error {
	kind, path, named := strings.Cut(n.workspace, ":")
	n.WorkspaceKind = kind
	switch {
	case kind == "scratch" && !named, kind == "worktree" && !named:
		return nil
	case kind != "dir" && kind != "worktree" || path == "":
		return usage(fmt.Errorf("--workspace %q is none of scratch, dir:PATH, worktree, worktree:PATH", n.workspace))
	}
	path, err := a.env.Abs(path)
	n.WorkspacePath = path
	return usage(err)
}

func (a *app) create(ctx context.Context, n board.NewTask) error {
	b, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	made, err := b.CreateTask(ctx, n)
	if errors.Is(err, core.ErrNotFound) {
		return a.missingParent(ctx, b, n.Parents, err)
	}
	if err != nil {
		return err
	}
	a.noteUnknown(n.Assignee)
	switch {
	case a.flags.json:
		a.printJSON(struct {
			ID       string      `json:"id"`
			Status   core.Status `json:"status"`
			Existing bool        `json:"existing"`
		}{made.ID, made.Status, made.Found})
	case made.Found:
		a.print("%s has that key already (%s)", text.Clean(made.ID), text.Clean(string(made.Status)))
	default:
		a.print("%s created (%s)", text.Clean(made.ID), made.Status)
	}
	return nil
}

// missingParent says where the first missing parent is.
func (a *app) missingParent(ctx context.Context, b *board.Board, parents []string, err error) error {
	for _, id := range parents {
		if _, gone := b.Task(ctx, id); errors.Is(gone, core.ErrNotFound) {
			return fmt.Errorf("nothing was created: parent %w", a.elsewhere(ctx, id, gone))
		}
	}
	return err
}
