package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/lane"
)

// runLane is the worker of a lane, as a process of its own. A TERM ends its agent
// and with it the work.
func runLane(args []string, env home.Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	code := lane.Main(ctx, args, lane.System{
		Env: env, Log: os.Stdout, PID: int64(pid()), Host: hostName(), Now: now, After: time.After,
	})
	if code == lane.ToldToEnd {
		// Ending by the signal itself tells the dispatcher what it was.
		signal.Reset(syscall.SIGTERM)
		_ = syscall.Kill(pid(), syscall.SIGTERM)
	}
	return code
}
