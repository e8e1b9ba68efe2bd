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
		endBySignal()
	}
	return code
}

// endBySignal ends this process by the signal that told it to end, which tells
// the dispatcher what it was. The signal arrives at any of our threads: nothing
// may leave first, with an exit code that says something else.
func endBySignal() {
	signal.Reset(syscall.SIGTERM)
	_ = syscall.Kill(pid(), syscall.SIGTERM)
	time.Sleep(time.Minute)
}
