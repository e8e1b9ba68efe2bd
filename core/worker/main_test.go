package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/process"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "worker-start":
			os.Exit(RunBarrier(os.Args[2:]))
		case "dispatcher":
			dispatcher(os.Args[2])
		}
	}
	os.Exit(m.Run())
}

// dispatcher starts a worker, says so, and stays at the barrier until it is
// killed.
func dispatcher(dir string) {
	d, err := both(context.Background(), starterIn(dir), specIn(dir, "echo ran > ran"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(d.PID)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func starterIn(dir string) *Starter {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &Starter{
		Self: self, Args: []string{"worker-start"},
		Env:   []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir},
		Table: &process.Table{Host: "here"}, Children: process.NewChildren(time.Now),
		Sleep:       func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		RotateBytes: 1 << 20, Backups: 1,
	}
}

// specIn is a lane that runs a shell script in its workspace.
func specIn(dir, script string) Spec {
	return Spec{
		Task: core.Task{ID: "t_1"}, Run: 7, Lock: "here:1", Profile: "cli-auto",
		Lane: []string{"/bin/sh", "-c", script},
		Board: Board{Slug: "default", DB: filepath.Join(dir, "kanban.db"), Workspaces: filepath.Join(dir, "workspaces"),
			Logs: filepath.Join(dir, "logs"), StateRoot: filepath.Join(dir, "state")},
	}
}

// both prepares the workspace and starts the worker in it.
func both(ctx context.Context, s *Starter, spec Spec) (*Started, error) {
	at, err := s.Prepare(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.Start(ctx, spec, at)
}

// workspace is where the workers of these tests work.
func workspace(dir string) string { return filepath.Join(dir, "workspaces", "t_1") }

// start starts a worker that is gone when the test ends.
func start(t *testing.T, s *Starter, spec Spec) *Started {
	t.Helper()
	d, err := both(t.Context(), s, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.gate.Close()
		select {
		case <-d.reaped:
		default:
			_ = syscall.Kill(-int(d.PID), syscall.SIGKILL) // not reaped, so still ours
			<-d.reaped
		}
	})
	return d
}

func fifo(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// until looks again and again; the test's own time limit ends what never comes.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-t.Context().Done():
			t.Fatal("never: " + what)
		case <-tick.C:
		}
	}
}

// firstLine is what a helper process says first.
func firstLine(t *testing.T, r io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return strings.TrimSpace(line)
}
