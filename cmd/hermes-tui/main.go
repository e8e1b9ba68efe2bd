// Command hermes-tui is a terminal board for cards that agents work on, with
// the dispatcher built in. This package is flags, wiring and exit codes; what
// the commands do lives in core, ui and demo.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
)

func main() {
	os.Exit(run(os.Args[1:], home.System(), os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit code.
func run(args []string, env home.Env, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := newApp(env, in, out, errOut)
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := fang.Execute(ctx, root,
		fang.WithVersion(version()),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}), // printed below, in our words and shape
	)
	return a.finish(err)
}

// rootCommand puts the command line together. Without a command the board is
// shown on screen.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hermes-tui",
		Short: "A terminal board for cards that agents work on, with the dispatcher built in",
		Long: "Shows and drives the kanban boards of Hermes Agent: every card live, workers started for\n" +
			"ready cards, zombies repaired, finished results never lost.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.screen(cmd.Context()) },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.flags.board, "board", "", "board of this home (default: the active one)")
	flags.StringVar(&a.flags.db, "db", "", "board file to use instead of a board of this home")
	flags.BoolVar(&a.flags.json, "json", false, "print JSON on standard output")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(a.commands()...)
	return root
}

// noArgs and its kind refuse surplus words as wrong usage, so that the exit
// code is 2 and not 1.
func noArgs(cmd *cobra.Command, args []string) error { return usage(cobra.NoArgs(cmd, args)) }

func atLeastOneArg(cmd *cobra.Command, args []string) error {
	return usage(cobra.MinimumNArgs(1)(cmd, args))
}

func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return usage(cobra.ExactArgs(n)(cmd, args)) }
}

func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func isUsage(err error) bool {
	var u usageError
	return errors.As(err, &u)
}
