package home

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// found returns a home below a temporary folder, seen with these variables.
// "@" in a value is that folder, which is also the user's home.
func found(t *testing.T, vars ...string) (*Home, string) {
	t.Helper()
	dir := t.TempDir()
	env := Env{UserHome: dir, Cwd: filepath.Join(dir, "cwd")}
	for _, v := range vars {
		env.Vars = append(env.Vars, at(dir, v))
	}
	h, err := Find(env)
	if err != nil {
		t.Fatal(err)
	}
	return h, dir
}

func at(dir, text string) string {
	out := ""
	for _, r := range text {
		if r == '@' {
			out += dir
		} else {
			out += string(r)
		}
	}
	return out
}

// put writes a file and the folders above it.
func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tree lists everything below dir, to see that nothing came into being.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMain turns the test program into another process that holds a lock, for
// the tests that need one.
func TestMain(m *testing.M) {
	if path := os.Getenv("HOLD_LOCK"); path != "" {
		os.Exit(hold(path))
	}
	os.Exit(m.Run())
}

func hold(path string) int {
	l, err := TryLock(path)
	if errors.Is(err, ErrHeld) {
		fmt.Println("held")
		return 0
	}
	if err == nil {
		err = l.WriteHolder(Holder{PID: os.Getpid(), Started: 1000})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("locked")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
	return 0
}

// holder starts a process that tries to lock path and returns it with its
// answer. It ends with the test at the latest.
func holder(t *testing.T, path string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOLD_LOCK="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // a test may have killed and awaited it
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, line[:len(line)-1]
}
