package lane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// Bounds of what is kept of an agent's output, in bytes, and of the time that
// pipes of its descendants may stay open after it has ended.
const (
	keptOutput = 8 << 20
	quotaTail  = 4000
	pipeDelay  = 5 * time.Second
)

// Exit codes with a meaning between an agent, its runner and the dispatcher.
const (
	exitOK     = 0
	exitFailed = 1
	exitLater  = 75 // quota or rate limit; or: durable, but not applied yet
	exitConfig = 78 // it cannot work: credentials, model, no program
)

// attempt is one run of an agent's program.
type attempt struct {
	route  home.Route
	prompt string
	dir    string
	env    []string // complete
	log    io.Writer
	limit  time.Duration // 0: none
	// promptFile is where the prompt lies for a route that wants a file.
	promptFile string
	// kill ends all that the agent has started, after it was told to end.
	kill  func()
	after func(time.Duration) <-chan time.Time
}

// ended is how an attempt went.
type ended struct {
	code     int // exit code; -1 for a signal
	stdout   []byte
	tail     []byte // the last bytes of everything it printed
	timedOut bool
	stopped  bool // because the run was lost
}

// run starts the program and follows it to its end. An error says that it could
// not be started at all.
func (a attempt) run(ctx context.Context) (ended, error) {
	argv := a.argv()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = a.dir, a.env
	if a.route.Prompt == home.PromptStdin {
		cmd.Stdin = strings.NewReader(a.prompt)
	}
	out, tail := &ring{limit: keptOutput}, &ring{limit: quotaTail}
	shared := &locked{w: io.MultiWriter(a.log, tail)}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(out, shared), shared
	cmd.WaitDelay = pipeDelay
	if err := cmd.Start(); err != nil {
		return ended{}, fmt.Errorf("start the agent of route %q: %w", a.route.Name, err)
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
	var limit <-chan time.Time
	if a.limit > 0 {
		limit = a.after(a.limit)
	}
	e := ended{}
	select {
	case <-done:
	case <-limit:
		e.timedOut = true
		a.end(cmd, done)
	case <-ctx.Done():
		e.stopped = true
		a.end(cmd, done)
	}
	e.code, e.stdout, e.tail = cmd.ProcessState.ExitCode(), out.bytes(), tail.bytes()
	return e, nil
}

// end tells the agent to end, and ends whatever is left of it after a grace.
func (a attempt) end(cmd *exec.Cmd, done <-chan error) {
	_ = cmd.Process.Signal(syscall.SIGTERM) // the handle is held, so it is nobody else
	select {
	case <-done:
	case <-a.after(pipeDelay):
		_ = cmd.Process.Kill()
		<-done
	}
	a.kill()
}

// argv puts the prompt where the route wants it.
func (a attempt) argv() []string {
	argv := make([]string, len(a.route.Command))
	for i, part := range a.route.Command {
		switch a.route.Prompt {
		case home.PromptArg:
			part = strings.ReplaceAll(part, "{prompt}", a.prompt)
		case home.PromptFile:
			part = strings.ReplaceAll(part, "{prompt_file}", a.promptFile)
		}
		argv[i] = part
	}
	return argv
}

// quota reports whether the attempt met a quota or rate limit.
func (e ended) quota(r home.Route) bool {
	return e.code == exitLater || r.Quota != nil && r.Quota.Match(e.tail)
}

// readResult takes the result from the file, which wins, or from the output.
func (e ended) readResult(file string, format home.OutputFormat) (Result, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return FindResult(e.stdout, format)
	case err != nil:
		return Result{}, fmt.Errorf("read the agent's result file: %w", err)
	case !info.Mode().IsRegular():
		return Result{}, fmt.Errorf("%w: its result file is no regular file", ErrNoResult)
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Result{}, fmt.Errorf("read the agent's result file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, searched))
	if err != nil {
		return Result{}, fmt.Errorf("read the agent's result file: %w", err)
	}
	return ParseResult(bytes.TrimSpace(data))
}

// ring keeps the last bytes that were written to it.
type ring struct {
	limit int
	buf   []byte
}

func (r *ring) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	// Let it grow to twice its size before it is cut, so that cutting is rare.
	if len(r.buf) > 2*r.limit {
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-r.limit:]...)
	}
	return len(p), nil
}

func (r *ring) bytes() []byte { return r.buf[max(0, len(r.buf)-r.limit):] }

// locked lets two streams write to one writer.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A log that cannot be written, on a full disk, must not end the agent.
	_, _ = l.w.Write(p)
	return len(p), nil
}
