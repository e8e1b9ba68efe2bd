package process

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Bounds of what is remembered of ended children, as in Hermes.
const (
	keepExits   = 4096
	keepExitFor = 600 * time.Second
)

// Exit is how a process ended.
type Exit struct {
	Code   int            // exit code; -1 when a signal ended it
	Signal syscall.Signal // 0 when it ended by itself
}

// String says it in words for a person.
func (e Exit) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("killed by signal %d", int(e.Signal))
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Children reaps the processes that this program started, each by its own pid:
// a wait for any child would steal the exits that other parts wait for.
type Children struct {
	now func() time.Time

	mu    sync.Mutex
	exits map[int64]record
	open  map[int64]bool // started, and not yet known to have ended
}

type record struct {
	exit Exit
	at   time.Time
}

// NewChildren returns an empty registry. now tells the age of what it remembers.
func NewChildren(now func() time.Time) *Children {
	return &Children{now: now, exits: map[int64]record{}, open: map[int64]bool{}}
}

// Watch waits for a started command in the background and remembers how it
// ended. The channel is closed once the child is reaped and remembered. Nobody
// else may wait for the command.
func (c *Children) Watch(cmd *exec.Cmd) <-chan struct{} {
	pid := int64(cmd.Process.Pid)
	c.mu.Lock()
	delete(c.exits, pid) // of an earlier process with this number
	c.open[pid] = true
	c.mu.Unlock()
	reaped := make(chan struct{})
	go func() {
		defer close(reaped)
		defer func() {
			// Whatever fails in here, the exit is unknown then, which the next
			// look at the process and its log make up for.
			_ = recover()
		}()
		defer c.closed(pid)
		_ = cmd.Wait() // the state says it all
		if cmd.ProcessState != nil {
			c.remember(pid, exitOf(cmd.ProcessState.Sys().(syscall.WaitStatus)))
		}
	}()
	return reaped
}

func (c *Children) closed(pid int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, pid)
}

// Open reports whether this is a child of ours of which it is not yet known that
// it ended. For a moment the system says so before its exit is remembered.
func (c *Children) Open(pid int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[pid]
}

func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal()}
	}
	return Exit{Code: status.ExitStatus()}
}

func (c *Children) remember(pid int64, exit Exit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if len(c.exits) >= keepExits {
		c.forget(now)
	}
	c.exits[pid] = record{exit: exit, at: now}
}

// forget makes room: what is too old goes, and the oldest in any case.
func (c *Children) forget(now time.Time) {
	oldest, at := int64(0), now
	for p, r := range c.exits {
		if now.Sub(r.at) > keepExitFor {
			delete(c.exits, p)
		} else if !r.at.After(at) {
			oldest, at = p, r.at
		}
	}
	if len(c.exits) >= keepExits {
		delete(c.exits, oldest)
	}
}

// Exit returns how a child of ours ended. It is forgotten after ten minutes,
// and earlier when there are thousands.
func (c *Children) Exit(pid int64) (Exit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, found := c.exits[pid]
	if !found || c.now().Sub(r.at) > keepExitFor {
		return Exit{}, false
	}
	return r.exit, true
}
