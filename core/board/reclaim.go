package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// ReclaimRequest takes a card back from its claimer.
type ReclaimRequest struct {
	Target
	Reason *string
	// Saw names the worker that was looked at before this decision. The card is
	// left alone where it names another one by now.
	Saw core.Sighting
	// Stop reports what was done to that worker. Whether a card may be taken
	// back although its worker was not stopped is the caller's decision.
	Stop core.Termination
	// KeepFailures leaves the failures in a row as they are. A person's reclaim
	// forgets them.
	KeepFailures bool
	// SaysDead is what could not be told about the worker where a person gave
	// the word that none lives; the event keeps it. Empty where nobody had to.
	SaysDead string
}

// Reclaim releases a running or claimed card: its run ends as reclaimed and it
// returns to the phase it was claimed from. Reclaim returns the status that the
// card has now.
func (b *Board) Reclaim(ctx context.Context, r ReclaimRequest) (core.Status, error) {
	var to core.Status
	err := b.write(ctx, fmt.Sprintf("take back task %q", r.ID), func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		to, err = t.reclaim(task, r)
		return err
	})
	return to, err
}

func (t *tx) reclaim(task *core.Task, r ReclaimRequest) (core.Status, error) {
	if err := reclaimable(task); err != nil {
		return "", err
	}
	if err := checkWorker(task, r.Saw); err != nil {
		return "", err
	}
	to, err := t.phase(task)
	if err != nil {
		return "", err
	}
	lock := task.ClaimLock
	set := unclaimed(field{"status", string(to)}, field{"worker_started_at", nil})
	if !r.KeepFailures {
		set = append(set, field{"consecutive_failures", 0}, field{"last_failure_error", nil})
	}
	if err := t.change(task, set); err != nil {
		return "", err
	}
	report := terminationFields(r.Stop)
	run, err := t.endRun(task, ending{
		outcome: core.Reclaimed, error: new(reclaimError(r.Reason, lock)), metadata: new(pythonJSON(report)),
	})
	if err != nil {
		return "", err
	}
	said := append(fields{
		{"manual", true}, {"reason", r.Reason}, {"prev_lock", lock}, {"retry_status", string(to)},
	}, report...)
	if r.SaysDead != "" {
		said = append(said, field{"operator_says_dead", true}, field{"unknown", r.SaysDead})
	}
	return to, t.event(task.ID, run, "reclaimed", r.by(said...))
}

// reclaimable refuses a card that nobody holds.
func reclaimable(task *core.Task) error {
	if task.Status != core.Running && task.ClaimLock == nil {
		return refused("the card is %s and nobody has claimed it", task.Status)
	}
	return only(task, "reclaimed", core.Running, core.Ready, core.Blocked)
}

// reclaimError is the error text of a run that was taken back.
func reclaimError(reason, lock *string) string {
	switch {
	case given(reason):
		return "manual_reclaim: " + *reason
	case lock != nil:
		return "manual_reclaim lock=" + *lock
	}
	return "manual_reclaim without a lock"
}
