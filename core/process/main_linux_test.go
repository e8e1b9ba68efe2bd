package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// program is the variable that turns the test binary into a worker.
const program = "PROCESS_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(program) {
	case "":
		os.Exit(m.Run())
	case "wait":
		ready()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		ready()
	case "family":
		// A worker that heeds TERM, with a child in the background that does not.
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), program+"=stubborn")
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		_ = cmd.Wait()
	case "exit":
		code, _ := strconv.Atoi(os.Getenv("CODE"))
		os.Exit(code)
	}
	os.Exit(0)
}

// ready says so and stays until the test goes away.
func ready() {
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// child starts the test binary as a program and waits until it is ready. It is
// reaped by the registry, as workers are.
func child(t *testing.T, what string, session bool, env ...string) (pid int64, reaped <-chan struct{}) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append([]string{program + "=" + what}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	in, hold, err := os.Pipe() // held here, so that it outlives the child's death
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = in
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	in.Close()
	reaped = NewChildren(time.Now).Watch(cmd)
	t.Cleanup(func() {
		hold.Close() // everything that descends from it ends with it
		_ = cmd.Process.Kill()
		<-reaped
	})
	if line, err := bufio.NewReader(r).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the program said %q: %v", line, err)
	}
	return int64(cmd.Process.Pid), reaped
}

// poll is a wait of a stop: it gives the processes a moment, whatever was asked.
func poll(ctx context.Context, _ time.Duration) error {
	timer := time.NewTimer(2 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
