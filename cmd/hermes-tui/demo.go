package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/demo"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

func (a *app) demoCommand() *cobra.Command {
	var length time.Duration
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it all on a board in a temporary folder, with agents that crash and cards that are zombies",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), length, keep) },
	}
	cmd.Flags().DurationVar(&length, "for", 20*time.Second, "without a terminal: how long to play")
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the folder and print where it is")
	return cmd
}

// demo builds the world, plays it on the screen or as text, and takes away all
// that it made, whatever happened.
func (a *app) demo(ctx context.Context, length time.Duration, keep bool) (err error) {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program, which plays the agents: %w", err)
	}
	world, err := demo.Build(ctx, a.env, program, busyCommand)
	if err != nil {
		return err
	}
	if keep {
		a.say("the demo's folder is " + world.Dir)
	} else {
		defer func() { err = errors.Join(err, world.Remove()) }()
	}
	// Everything from here on happens in the demo's home.
	a.home, a.place, a.env = world.Home, world.Place, world.Home.Env()
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	if err := demo.Deal(ctx, b); err != nil {
		return err
	}
	dispatcher, err := a.dispatcher(b)
	if err != nil {
		return err
	}
	story := &demo.Story{World: world, Board: b, Dispatcher: dispatcher, Operator: a.operator(b), Clean: text.Clean}
	defer func() {
		// The agents must end although the person, or a signal, has ended the demo.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		err = errors.Join(err, story.End(end, stopper(table()), now()))
		a.close()
	}()
	if a.terminal() {
		return a.show(ctx, b, screenOptions{Tick: story.Tick, Why: dispatcher.Why, Interval: demo.Interval, Name: "demo", Dispatch: true})
	}
	return story.Play(ctx, a.out, length, demo.Clock{Now: now, Sleep: sleep})
}

// playAgent is a fake agent of the demo, as a process of its own.
func playAgent(ctx context.Context, args []string, env home.Env) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "this command is started by the demo and is of no use by hand")
		return exitUsage
	}
	agent := demo.Agent{
		Env: env, Out: os.Stdout, Clock: demo.Clock{Now: now, Sleep: sleep},
		// The parent is the runner that started this process and waits for it.
		KillRunner: func() error { return syscall.Kill(os.Getppid(), syscall.SIGKILL) },
	}
	return agent.Run(ctx, args[0])
}
