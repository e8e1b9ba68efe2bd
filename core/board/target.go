package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Target names the card of a request and what must still be true of it.
type Target struct {
	ID string
	// Seen is what a person or a pass had before its eyes when it decided; nil
	// takes the card as it is now.
	Seen *core.Seen
	// Run is the run that a worker speaks for. Unless it is the card's current
	// run the request is refused; nil asks for no particular run.
	Run *int64
	// Actor is the person who asks. It is added to the event as its last key;
	// empty for programs.
	Actor string
}

// find reads the card of a request and checks all that the target asks for.
func (t *tx) find(target Target) (*core.Task, error) {
	task, err := t.findSeen(target)
	if err != nil {
		return nil, err
	}
	return task, target.checkRun(task)
}

// findSeen reads the card of a request and checks only what the person saw.
func (t *tx) findSeen(target Target) (*core.Task, error) {
	task, found, err := t.task(target.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, core.ErrNotFound
	}
	task.Generation = t.board.Generation()
	return &task, target.checkSeen(&task)
}

// checkSeen compares the card with what the caller decided from.
func (g Target) checkSeen(task *core.Task) error {
	s := g.Seen
	switch {
	case s == nil:
		return nil
	case s.Generation != task.Generation:
		return fmt.Errorf("%w: the board file was replaced since it was looked at", core.ErrChanged)
	case s.Status != task.Status:
		return changed("it was %s and is now %s", s.Status, task.Status)
	case !equal(s.RunID, task.CurrentRun):
		return changed("it had %s and has now %s", runName(s.RunID), runName(task.CurrentRun))
	case !equal(s.ClaimLock, task.ClaimLock):
		return changed("it had %s and has now %s", lockName(s.ClaimLock), lockName(task.ClaimLock))
	}
	return nil
}

// checkRun refuses a worker whose run is not the current one any more.
func (g Target) checkRun(task *core.Task) error {
	if g.Run == nil || equal(g.Run, task.CurrentRun) {
		return nil
	}
	return changed("%s is not its current run; the card is %s with %s", runName(g.Run), task.Status, runName(task.CurrentRun))
}

// checkWorker compares the worker that was looked at, or stopped, with the one
// that the card names.
func checkWorker(task *core.Task, saw core.Sighting) error {
	if err := readable(task, "worker_pid"); err != nil {
		return err
	}
	if equal(saw.PID, task.WorkerPID) && equal(saw.Fingerprint, task.WorkerStarted) {
		return nil
	}
	return changed("its worker was %s and is now %s", workerName(saw.PID), workerName(task.WorkerPID))
}

// readable refuses to decide anything from a number that holds something else.
func readable(task *core.Task, column string) error {
	if task.IsOdd(column) {
		return refused("its %s is no number; look at the row and correct it first", column)
	}
	return nil
}

// by adds the person who asks to a payload.
func (g Target) by(payload ...field) fields {
	if g.Actor != "" {
		payload = append(payload, field{"actor", g.Actor})
	}
	return payload
}

// change sets columns of a card that this transaction has read. The statement
// names the status, lock and run that were read, so that it is a
// compare-and-set by itself. A row that a trigger of the board keeps as it is
// makes the whole request refused: nothing is reported of a row that did not
// change.
func (t *tx) change(task *core.Task, set fields) error {
	s := t.schema
	guard := s.text("tasks", "status", "NULL") + " IS ? AND " + s.text("tasks", "claim_lock", "NULL") + " IS ? AND " +
		s.integer("tasks", "current_run_id", "NULL") + " IS ?"
	done, err := t.updateTask(task.ID, set, guard, string(task.Status), task.ClaimLock, task.CurrentRun)
	if err != nil {
		return err
	}
	if !done {
		return refused("the board did not take the change; something in it protects this card")
	}
	return nil
}

// unclaimed clears the claim of a card that is not worked on any more. The
// fingerprint of the worker stays, as Hermes leaves it.
func unclaimed(set ...field) fields {
	return append(fields{{"claim_lock", nil}, {"claim_expires", nil}, {"worker_pid", nil}}, set...)
}

// only refuses a card whose status is not among those a transition starts from.
func only(task *core.Task, verb string, from ...core.Status) error {
	if slices.Contains(from, task.Status) {
		return nil
	}
	names := make([]string, len(from))
	for i, s := range from {
		names[i] = string(s)
	}
	return refused("the card is %s; only %s cards can be %s", task.Status, strings.Join(names, " or "), verb)
}

func refused(why string, args ...any) error { return because(core.ErrRefused, why, args...) }
func changed(how string, args ...any) error { return because(core.ErrChanged, how, args...) }
func invalid(why string, args ...any) error { return because(core.ErrInvalid, why, args...) }

// because puts the words for a person behind one of the reasons of core.
func because(reason error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", reason, fmt.Sprintf(format, args...))
}

func runName(run *int64) string {
	if run == nil {
		return "no run"
	}
	return fmt.Sprintf("run %d", *run)
}

func lockName(lock *string) string {
	if lock == nil {
		return "no claim"
	}
	return fmt.Sprintf("the claim %q", *lock)
}

func workerName(pid *int64) string {
	if pid == nil {
		return "nobody"
	}
	return fmt.Sprintf("pid %d", *pid)
}
