// Command hermes-tui is a terminal board for cards that agents work on, with
// the dispatcher built in. This package is flags, wiring and exit codes; what
// the commands do lives in core, ui and demo.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/worker"
	"github.com/hermes-tui/hermes-tui/demo"
)

func main() {
	os.Exit(start(os.Args[1:], home.System(), os.Stdin, os.Stdout, os.Stderr))
}

// start tells apart what this program is: the barrier of a worker, a fake agent
// of the demo, or a command for a person. The first two are started by this
// program itself and take no flags.
func start(args []string, env home.Env, in io.Reader, out, errOut io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case dispatch.BarrierCommand:
			return worker.RunBarrier(args[1:])
		case demo.AgentCommand:
			return playAgent(context.Background(), args[1:], env)
		}
	}
	if lane, ok := dispatch.LaneOf(args); ok {
		return runLane(lane, env)
	}
	return run(args, env, in, out, errOut)
}

// run executes one command line and returns its exit code.
func run(args []string, env home.Env, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return runContext(ctx, args, env, in, out, errOut)
}

// runContext is run until ctx ends.
func runContext(ctx context.Context, args []string, env home.Env, in io.Reader, out, errOut io.Writer) int {
	a := newApp(env, in, out, errOut)
	if err := sane(args); err != nil {
		a.flags.json = asksJSON(args)
		return a.finish(err)
	}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := fang.Execute(ctx, root,
		fang.WithVersion(version()),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}), // printed below, in our words and shape
	)
	// A flag that makes no sense may stand before --json.
	a.flags.json = a.flags.json || isUsage(err) && asksJSON(args)
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
	a.plainFlag(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// How a number is parsed is nobody's business.
		words, _, _ := strings.Cut(err.Error(), ": strconv.")
		return usage(fmt.Errorf("%s; see: %s --help", words, cmd.CommandPath()))
	})
	root.AddCommand(a.commands()...)
	return root
}

// plainFlag lets a command that shows a screen tell it line by line.
func (a *app) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.flags.plain, "plain", false, "line by line: for screen readers and terminals that cannot move the cursor")
}

// sane refuses words that no Hermes could read back from a board.
func sane(args []string) error {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return usage(fmt.Errorf("the argument %q is no UTF-8 text", arg))
		}
	}
	return nil
}

// asksJSON finds the flag in a command line that could not be understood.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json")
}

// noArgs and its kind refuse too many or too few words as wrong usage, so that
// the exit code is 2 and not 1.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasAvailableSubCommands() {
		hint := ""
		cmd.SuggestionsMinimumDistance = 2
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf(" (%s?)", strings.Join(near, ", "))
		}
		return usage(fmt.Errorf("unknown command %q%s; see: %s --help", args[0], hint, cmd.CommandPath()))
	}
	return usage(fmt.Errorf("unexpected %q; see: %s --help", args[0], cmd.CommandPath()))
}

func atLeastOneArg(cmd *cobra.Command, args []string) error { return atLeast(1)(cmd, args) }

func atLeast(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= n {
			return nil
		}
		return usage(fmt.Errorf("something is missing; write: %s", cmd.UseLine()))
	}
}

func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(fmt.Errorf("unexpected %q; write: %s", args[n], cmd.UseLine()))
		}
		return atLeast(n)(cmd, args)
	}
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
