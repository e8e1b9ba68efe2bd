package lane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// Exit codes with a meaning between an agent, its runner and the dispatcher.
const (
	exitOK     = 0
	exitFailed = 1
	exitLater  = 75 // nobody's failure: a quota, a board or disk that cannot be used; or durable, but not applied yet
	exitConfig = 78 // it cannot work: credentials, model, no program
)

// How long an agent has to end after it was told to, and how long what it left
// running may hold its output open after it ended by itself. A dispatcher that
// tells the runner to end gives it five seconds: the first must be less.
const (
	endGrace  = 3 * time.Second
	pipeDelay = 5 * time.Second
)

// attempt is one run of an agent's program.
type attempt struct {
	argv  []string
	stdin string // the prompt, where the route gives it so
	dir   string
	env   []string // complete
	log   io.Writer
	limit <-chan time.Time // the moment at which the agent's time is up; nil: never
	kill  func()           // ends all that the agent has started
	after func(time.Duration) <-chan time.Time
}

// ended is how an attempt went.
type ended struct {
	code     int // exit code; -1 for a signal
	stdout   []byte
	tail     []byte // the last bytes of everything it printed
	timedOut bool
	stopped  bool // because the run was lost, or the runner was told to end
}

// run starts the program and follows it to its end. An error says that it could
// not be started at all.
func (a attempt) run(ctx context.Context) (ended, error) {
	cmd := exec.Command(a.argv[0], a.argv[1:]...)
	cmd.Dir, cmd.Env = a.dir, a.env
	if a.stdin != "" {
		cmd.Stdin = strings.NewReader(a.stdin)
	}
	out, tail := &ring{limit: keptOutput}, &ring{limit: quotaTail}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(out, tail, a.log), io.MultiWriter(tail, a.log)
	cmd.WaitDelay = pipeDelay
	if err := cmd.Start(); err != nil {
		return ended{}, fmt.Errorf("start the agent: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("waiting for the agent failed: %v", r)
			}
		}()
		done <- cmd.Wait()
	}()
	var e ended
	select {
	case <-done:
	case <-a.limit:
		e.timedOut = true
		a.end(cmd, done)
	case <-ctx.Done():
		e.stopped = true
		a.end(cmd, done)
	}
	e.code, e.stdout, e.tail = -1, out.bytes(), tail.bytes()
	if cmd.ProcessState != nil {
		e.code = cmd.ProcessState.ExitCode()
	}
	return e, nil
}

// end tells the agent to end, and ends whatever is left of it after a grace.
func (a attempt) end(cmd *exec.Cmd, done <-chan error) {
	_ = cmd.Process.Signal(syscall.SIGTERM) // the handle is held, so it is nobody else
	select {
	case <-done:
		a.kill()
	case <-a.after(endGrace):
		_ = cmd.Process.Kill()
		a.kill() // or what it has started holds its output open
		<-done
	}
}

// argv is the command line of a route with the prompt where the route wants it.
func argv(route home.Route, program, prompt, promptFile string) []string {
	out := []string{program}
	for _, part := range route.Command[1:] {
		switch route.Prompt {
		case home.PromptArg:
			part = strings.ReplaceAll(part, "{prompt}", prompt)
		case home.PromptFile:
			part = strings.ReplaceAll(part, "{prompt_file}", promptFile)
		}
		out = append(out, part)
	}
	return out
}

// codeOf is the exit code for an agent that could not be started: what the
// machine lacks just now is nobody's failure.
func codeOf(err error) int {
	for _, e := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO} {
		if errors.Is(err, e) {
			return exitLater
		}
	}
	return exitFailed
}

// quota reports whether the attempt met a quota or rate limit.
func (e ended) quota(r home.Route) bool {
	return e.code == exitLater || r.Quota != nil && r.Quota.Match(e.tail)
}
