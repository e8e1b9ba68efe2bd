package process

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
)

// ErrNoProcess: no process has this id. Every other error of a Table means that
// it could not be told, which is never a reason to think that a process died.
var ErrNoProcess = errors.New("no such process")

// Table is the process table of this machine.
type Table struct {
	// Host is the host name in our claim locks. A lock of another host speaks of
	// processes that cannot be seen from here.
	Host string
	// Proc is read instead of /proc, so that faults can be played; nil is the
	// real system. Systems without /proc do not look at it.
	Proc fs.FS
}

// Facts is what the system says of one process at one moment.
type Facts struct {
	Zombie  bool  // it has ended; only its entry waits for the parent
	Start   int64 // see Identity.Start
	Group   int64 // process group
	Session int64
}

// maxPID is above any process id that a supported system gives out. Numbers
// outside of 1..maxPID have special meanings to kill, or none.
const maxPID = 1<<31 - 1

// Look returns what the system says of the process. The error wraps
// ErrNoProcess when there is none.
func (t *Table) Look(pid int64) (Facts, error) {
	if pid <= 0 || pid > maxPID {
		return Facts{}, fmt.Errorf("look at process %d: %w", pid, ErrNoProcess)
	}
	facts, err := t.look(pid)
	if err != nil {
		return Facts{}, fmt.Errorf("look at process %d: %w", pid, err)
	}
	return facts, nil
}

// Fingerprint returns the identity of a living process as it is stored on a
// board, or Unverified when it cannot be read.
func (t *Table) Fingerprint(pid int64) string {
	facts, err := t.Look(pid)
	if err != nil || facts.Zombie {
		return Unverified
	}
	epoch, err := t.epoch()
	if err != nil {
		return Unverified
	}
	return epoch + "|" + strconv.FormatInt(facts.Start, 10)
}

// Names reports whether the process names the task: in its environment as
// HERMES_KANBAN_TASK, or in its arguments as "work kanban task ID". An error
// means that it could not be read in full and that what was read does not
// name it.
func (t *Table) Names(pid int64, task string) (bool, error) {
	args, env, err := t.words(pid)
	if namesTask(args, env, task) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read what process %d was started with: %w", pid, err)
	}
	return false, nil
}

func namesTask(args, env []string, task string) bool {
	if task == "" {
		return false
	}
	for _, e := range env {
		if e == "HERMES_KANBAN_TASK="+task {
			return true
		}
	}
	// The id must end where the text says, or t_1 would be found in t_12.
	_, rest, found := strings.Cut(" "+strings.Join(args, " ")+" ", " work kanban task "+task)
	return found && !strings.ContainsAny(rest[:1], idBytes)
}

const idBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// Member is a process that belongs to a group or session.
type Member struct {
	PID   int64
	Start int64 // see Identity.Start
}

// living visits the processes that live. An error means that some may have been
// left out.
func (t *Table) living(visit func(pid int64, f Facts)) error {
	pids, err := t.pids()
	if err != nil {
		return fmt.Errorf("list the processes: %w", err)
	}
	for _, pid := range pids {
		facts, err := t.Look(pid)
		if errors.Is(err, ErrNoProcess) {
			continue // ended since the list was read
		}
		if err != nil {
			return err
		}
		if !facts.Zombie {
			visit(pid, facts)
		}
	}
	return nil
}

// members returns the living processes that want accepts. An error means that
// the list may be incomplete.
func (t *Table) members(want func(Facts) bool) ([]Member, error) {
	var found []Member
	err := t.living(func(pid int64, f Facts) {
		if want(f) {
			found = append(found, Member{PID: pid, Start: f.Start})
		}
	})
	return found, err
}

// Left returns the living processes of the worker's own group and session, the
// worker itself included. A worker of another boot has none. Neither has one
// whose pid was given away: the system gives no pid out again while a group or
// session has its number.
func (t *Table) Left(w Worker) ([]Member, error) { return t.Leftovers()(w) }

// Leftovers answers as Left does, for any number of workers from one reading of
// the table, which the first question makes. A worker that dies after it may
// seem to have left itself behind; whoever stops what is left looks again.
func (t *Table) Leftovers() func(Worker) ([]Member, error) {
	read := sync.OnceValues(t.families)
	return func(w Worker) ([]Member, error) {
		if w.PID == nil || *w.PID <= 1 {
			return nil, nil
		}
		if s := t.judge(w); s.verdict == aliveOther || s.epoch == otherEpoch {
			return nil, nil
		}
		families, err := read()
		return families[*w.PID], err
	}
}

// families are the living processes by the number of their group and of their
// session.
func (t *Table) families() (map[int64][]Member, error) {
	found := map[int64][]Member{}
	err := t.living(func(pid int64, f Facts) {
		m := Member{PID: pid, Start: f.Start}
		found[f.Group] = append(found[f.Group], m)
		if f.Session != f.Group {
			found[f.Session] = append(found[f.Session], m)
		}
	})
	return found, err
}
