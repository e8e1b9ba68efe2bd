package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/demo"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

func (a *app) demoCommand() *cobra.Command {
	var o playing
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it all on a board in a temporary folder, with agents that crash and cards that are zombies",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.flags.json {
				return usage(errors.New("the demo is a story for people; leave --json out, or see its board with --keep and snapshot"))
			}
			if o.length <= 0 {
				return usage(fmt.Errorf("%s is no time to play; write for example --for 20s", o.length))
			}
			if cmd.Flags().Changed("seed") {
				a.newID = seededID(o.seed)
			}
			return a.demo(cmd.Context(), o)
		},
	}
	a.plainFlag(cmd)
	f := cmd.Flags()
	f.DurationVar(&o.length, "for", 20*time.Second, "without a terminal: how long to play")
	f.Uint64Var(&o.seed, "seed", 0, "deal the cards with the ids that belong to this number")
	f.BoolVar(&o.keep, "keep", false, "keep the folder and print where it is")
	return cmd
}

// playing is what the command line says about the demo.
type playing struct {
	length time.Duration
	seed   uint64
	keep   bool
}

// seededID makes the same ids in the same order for the same seed.
func seededID(seed uint64) func() string {
	dice := rand.New(rand.NewPCG(seed, seed))
	return func() string { return fmt.Sprintf("t_%08x", dice.Uint32()) }
}

// demo builds the world, plays it on the screen or as text, and takes away all
// that it made, whatever happened.
func (a *app) demo(ctx context.Context, o playing) (err error) {
	// A reader that has seen enough ends the story and not this program, which
	// has to clean up first.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGPIPE)
	defer stop()
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program, which plays the agents: %w", err)
	}
	world, err := demo.Build(ctx, a.env, program, busyCommand)
	if err != nil {
		return err
	}
	if o.keep {
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
	if err := demo.Deal(ctx, b, hostName()); err != nil {
		return err
	}
	dispatcher, err := a.dispatcher(b)
	if err != nil {
		return err
	}
	lock, err := a.loopLock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	story := &demo.Story{World: world, Board: b, Dispatcher: dispatcher, Operator: a.operator(b), Clean: text.Clean}
	defer func() {
		// The agents must end although the person, or a signal, has ended the demo.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		err = errors.Join(err, story.End(end, stopper(table()), now()))
		a.close()
	}()
	if a.terminal() || a.plain() {
		return a.show(ctx, b, screenOptions{Tick: story.Tick, Why: dispatcher.Why, Interval: demo.Interval, Name: "demo", Dispatch: true})
	}
	return story.Play(ctx, a.out, o.length, demo.Clock{Now: now, Sleep: sleep})
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
