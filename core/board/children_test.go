package board_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"database/sql"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// The test binary plays other programs: with these in its environment it does
// what roles says to the file, and runs no test.
const (
	childRole = "HERMES_TUI_TEST_CHILD"
	childPath = "HERMES_TUI_TEST_PATH"
)

func init() {
	if role := os.Getenv(childRole); role != "" {
		if err := roles[role](os.Getenv(childPath)); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

var roles = map[string]func(path string) error{
	// commits a card and stays connected
	"connected": func(path string) error {
		return play(path, "INSERT INTO tasks(id, title, status, created_at) VALUES('t_0000cafe', 'from a child', 'ready', 5)")
	},
	// the same after a checkpoint, which leaves the -wal empty
	"checkpointed": func(path string) error {
		return play(path, "INSERT INTO tasks(id, title, status, created_at) VALUES('t_0000cafe', 'from a child', 'ready', 5)",
			"PRAGMA wal_checkpoint(TRUNCATE)")
	},
	// stands in the middle of a transaction that has already written to the file
	"writing": func(path string) error {
		return play(path, "PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "UPDATE tasks SET body = printf('%.*c', 9000, 'z'), priority = 99")
	},
	// creates one board after the other in the folder until it is killed
	"creating": func(dir string) error {
		for i := 0; ; i++ {
			sub := filepath.Join(dir, strconv.Itoa(i))
			if err := os.Mkdir(sub, 0o700); err != nil {
				return err
			}
			if err := board.Create(context.Background(), filepath.Join(sub, "kanban.db"), time.Second); err != nil {
				return err
			}
			fmt.Println("ready")
		}
	},
	"looking": look,
}

// play executes statements on one connection, says so and waits to be killed.
func play(path string, statements ...string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// sighting is what a looking child saw.
type sighting struct {
	Facts board.Facts
	Cards int
	Error string
}

func look(path string) error {
	var saw sighting
	b, err := board.Open(context.Background(), path, options())
	if err == nil {
		saw.Facts = b.Facts()
		for range 20 {
			if _, perr := b.Poll(context.Background()); perr != nil {
				err = perr
			}
		}
		if s, serr := b.Snapshot(context.Background()); serr != nil {
			err = serr
		} else {
			saw.Cards = len(s.ByID)
		}
		if qerr := b.QuickCheck(context.Background()); qerr != nil {
			err = qerr
		}
		_ = b.Close()
	}
	if err != nil {
		saw.Error = err.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(saw)
}

// child starts the test binary in a role and waits until it is ready. It is
// killed when the test ends, or by the returned function.
func child(t *testing.T, role, path string) (kill func()) {
	t.Helper()
	cmd := exec.Command(executable(t))
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			_ = stdin.Close()
		}
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != "ready\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return kill
}

// lookAs looks at the board in a process of another user.
func lookAs(t *testing.T, uid uint32, path string) sighting {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	data, err := os.ReadFile(executable(t))
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(openFolder(t), "looker")
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Dir = "/"
	cmd.Env = []string{childRole + "=looking", childPath + "=" + path}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, complaint.String())
	}
	var saw sighting
	if err := json.Unmarshal(out, &saw); err != nil {
		t.Fatal(err)
	}
	return saw
}

// openFolder is a folder that every user can enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hermes-tui-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
