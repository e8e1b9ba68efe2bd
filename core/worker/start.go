package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core/process"
)

// Why a worker that was let go is not known to run.
var (
	// ErrNotStarted: the program was not started, and will not be.
	ErrNotStarted = errors.New("the worker's program was not started")
	// ErrUnconfirmed: the word to go was given, and it could not be learned in
	// time whether the program runs. It may, so the run must be treated as such.
	ErrUnconfirmed = errors.New("the worker was let go, but did not confirm it")
)

// Starter starts workers. All fields are needed, except where it says so.
type Starter struct {
	// Self is the absolute path of this program, and Args what makes it call
	// RunBarrier with the arguments that follow.
	Self string
	Args []string
	// Env is the environment of this program, in the form of os.Environ.
	Env      []string
	Table    *process.Table
	Children *process.Children
	// Sleep waits for the duration or until ctx ends.
	Sleep func(context.Context, time.Duration) error
	// RotateBytes and Backups are kanban.worker_log_rotate_bytes and
	// kanban.worker_log_backup_count.
	RotateBytes int64
	Backups     int
}

// Started is a worker that waits at the barrier. Its identity goes onto the
// board, then it is released; or it is aborted.
type Started struct {
	PID         int64
	Fingerprint string // process.Unverified where it could not be read

	gate   *os.File // write end; closing it without a word gives up
	status *os.File
	reaped <-chan struct{}
}

// Prepare makes the folder that the worker is to work in. Its errors begin with
// "workspace: " where they are about the card's workspace.
func (s *Starter) Prepare(ctx context.Context, spec Spec) (Workspace, error) {
	if err := spec.check(); err != nil {
		return Workspace{}, fmt.Errorf("start a worker: %w", err)
	}
	return resolveWorkspace(ctx, spec, s.Env)
}

// Start starts the barrier in a workspace that was prepared; the worker's program
// does not run yet. An error means that no process was started.
func (s *Starter) Start(ctx context.Context, spec Spec, at Workspace) (*Started, error) {
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	cmd, err := s.command(spec, at)
	if err != nil {
		return nil, fmt.Errorf("start a worker for card %q: %w", spec.Task.ID, err)
	}
	started, err := s.launch(ctx, spec, cmd)
	if err != nil {
		return nil, fmt.Errorf("start a worker for card %q: %w", spec.Task.ID, err)
	}
	return started, nil
}

// command builds the barrier that becomes the worker.
func (s *Starter) command(spec Spec, at Workspace) (*exec.Cmd, error) {
	argv, env := HermesCommand(spec, at, s.Env)
	if len(spec.Lane) > 0 {
		argv, env = LaneCommand(spec, at, s.Env)
	}
	program, err := FindProgram(argv[0], env)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(s.Self)
	cmd.Args = slices.Concat([]string{s.Self}, s.Args, []string{program}, argv)
	cmd.Env, cmd.Dir = env, at.Path
	// A session of its own: it outlives our terminal, and its number finds all
	// that descends from it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, nil
}

// launch hands over the log, the lease and the pipes, and starts the barrier.
func (s *Starter) launch(ctx context.Context, spec Spec, cmd *exec.Cmd) (*Started, error) {
	var given files // the child has its own copies, so these are closed in any case
	defer given.close()
	lease, err := RunDir{spec.Board.StateRoot, spec.Board.Slug}.takeLease(ctx, spec.Task.ID, spec.Run, s.Sleep)
	if err != nil {
		return nil, err
	}
	given.add(lease)
	log, err := openLog(spec.Board.Logs, spec.Task.ID, spec.Run, s.RotateBytes, s.Backups)
	if err != nil {
		return nil, err
	}
	given.add(log)
	gateRead, gate, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	given.add(gateRead)
	status, statusWrite, err := os.Pipe()
	if err != nil {
		gate.Close()
		return nil, err
	}
	given.add(statusWrite)
	cmd.Stdout, cmd.Stderr = log, log // stdin stays /dev/null
	cmd.ExtraFiles = []*os.File{gateFD - 3: gateRead, leaseFD - 3: lease, statusFD - 3: statusWrite}
	if err := cmd.Start(); err != nil {
		gate.Close()
		status.Close()
		return nil, err
	}
	pid := int64(cmd.Process.Pid)
	// Read before anybody reaps it, so that the number cannot be another's.
	fingerprint := s.Table.Fingerprint(pid)
	return &Started{PID: pid, Fingerprint: fingerprint, gate: gate, status: status, reaped: s.Children.Watch(cmd)}, nil
}

type files []*os.File

func (f *files) add(file *os.File) { *f = append(*f, file) }

func (f *files) close() {
	for _, file := range *f {
		file.Close()
	}
}

// Release lets the worker go, after its identity was committed, and waits until
// its program has taken over or could not. An error wraps ErrNotStarted or
// ErrUnconfirmed. A worker that dies in the same moment counts as started; its
// death is seen like any other.
func (s *Started) Release(ctx context.Context) error {
	defer s.status.Close()
	_, err := s.gate.Write([]byte{goByte})
	s.gate.Close()
	if err != nil {
		s.wait(ctx)
		return fmt.Errorf("%w: process %d did not wait at the barrier: %w", ErrNotStarted, s.PID, err)
	}
	// The barrier's end of the pipe closes by itself when the program takes over.
	stop := context.AfterFunc(ctx, func() { _ = s.status.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	said, err := io.ReadAll(io.LimitReader(s.status, 4096))
	switch {
	case len(said) > 0:
		s.wait(ctx)
		return fmt.Errorf("%w: %s", ErrNotStarted, said)
	case err != nil:
		return fmt.Errorf("%w: process %d: %w", ErrUnconfirmed, s.PID, err)
	}
	return nil
}

// Abort closes the barrier: the process ends with ExitAborted, and no program of
// a worker was ever started. It returns when the process is reaped; an error
// means that ctx ended before. Even then it will never start anything.
func (s *Started) Abort(ctx context.Context) error {
	s.gate.Close()
	s.status.Close()
	return s.wait(ctx)
}

func (s *Started) wait(ctx context.Context) error {
	select {
	case <-s.reaped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for process %d to end: %w", s.PID, ctx.Err())
	}
}
