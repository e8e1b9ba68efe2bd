package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// DefaultClaimTTL is how many seconds a claim lasts where nobody says
// otherwise.
const DefaultClaimTTL = 900

// ClaimRequest asks for a card.
type ClaimRequest struct {
	Target
	Lock string // who claims, as "host:pid" of the claimer
	TTL  int64  // seconds; 0 means DefaultClaimTTL
	// Fresh takes what an earlier worker left on the card off it: heartbeat, pid
	// and fingerprint. Without it they stay, as Hermes leaves them. A dispatcher
	// sets it, so that its new worker is never judged by an old heartbeat.
	Fresh bool
	// Caps limit how many cards may run; claims by hand have none.
	Caps Caps
	// Before, where given, is called with the number of the new run before the
	// claim commits. Its error undoes the claim.
	Before func(run int64) error
}

// Claimed is a claim that was granted.
type Claimed struct {
	Task    core.Task // as it is now
	Run     int64
	Lock    string
	Expires int64 // epoch seconds
	Review  bool  // the card was claimed from review
}

// Claim takes a ready card: it becomes running and a run is opened. A card with
// an unfinished parent is refused with ErrOpenParents and, if it was ready, put
// back to todo; the refusal is recorded on the card.
func (b *Board) Claim(ctx context.Context, r ClaimRequest) (Claimed, error) {
	var claimed Claimed
	err := b.write(ctx, fmt.Sprintf("claim task %q", r.ID), func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		open, err := t.openParents(task.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return t.rejectClaim(task, r.Target, open)
		}
		if err := only(task, "claimed", core.Ready); err != nil {
			return err
		}
		if err := t.repairDangling(task, "invariant recovery on re-claim"); err != nil {
			return err
		}
		claimed, err = t.claim(task, r)
		return err
	})
	return claimed, err
}

// ClaimReview takes a card that waits for its reviewer: it becomes running and
// a run of the reviewer is opened. A card with an unfinished parent goes back
// to todo.
func (b *Board) ClaimReview(ctx context.Context, r ClaimRequest) (Claimed, error) {
	var claimed Claimed
	err := b.write(ctx, fmt.Sprintf("claim task %q for review", r.ID), func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		if err := only(task, "claimed for review", core.Review); err != nil {
			return err
		}
		open, err := t.openParents(task.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return t.rejectReview(task, r.Target, open)
		}
		claimed, err = t.claim(task, r)
		return err
	})
	return claimed, err
}

// claim makes the card running and opens its run.
func (t *tx) claim(task *core.Task, r ClaimRequest) (Claimed, error) {
	if err := t.mayClaim(task, r); err != nil {
		return Claimed{}, err
	}
	from := task.Status
	expires := t.now + ttl(r.TTL)
	set := fields{{"status", string(core.Running)}, {"claim_lock", r.Lock}, {"claim_expires", expires}}
	if task.StartedAt == nil && !task.IsOdd("started_at") {
		set = append(set, field{"started_at", t.now})
	}
	if r.Fresh {
		set = append(set, field{"worker_pid", nil}, field{"worker_started_at", nil}, field{"last_heartbeat_at", nil})
	}
	if err := t.change(task, set); err != nil {
		return Claimed{}, err
	}
	run, err := t.openRun(task, r.Lock, expires)
	if err != nil {
		return Claimed{}, err
	}
	if _, err := t.updateTask(task.ID, fields{{"current_run_id", run}}, "1"); err != nil {
		return Claimed{}, err
	}
	said := fields{{"lock", r.Lock}, {"expires", expires}, {"run_id", run}}
	if from == core.Review {
		said = append(said, field{"source_status", string(from)})
	}
	if err := t.event(task.ID, &run, "claimed", r.by(said...)); err != nil {
		return Claimed{}, err
	}
	if r.Before != nil {
		if err := r.Before(run); err != nil {
			return Claimed{}, err
		}
	}
	now, _, err := t.task(task.ID)
	now.Generation = t.board.Generation()
	return Claimed{Task: now, Run: run, Lock: r.Lock, Expires: expires, Review: from == core.Review}, err
}

// mayClaim holds what stands against any claim.
func (t *tx) mayClaim(task *core.Task, r ClaimRequest) error {
	if r.Lock == "" {
		return invalid("a claim needs the name of its claimer")
	}
	if err := t.schema.lackingError(t.board.path); err != nil {
		return err
	}
	if task.ClaimLock != nil {
		return refused("it is claimed already by %q", *task.ClaimLock)
	}
	if err := readable(task, "current_run_id"); err != nil {
		return err
	}
	return r.Caps.check(t, task)
}

// rejectClaim records that a card was asked for too early.
func (t *tx) rejectClaim(task *core.Task, target Target, open []string) error {
	if task.Status == core.Ready {
		if err := t.change(task, fields{{"status", string(core.Todo)}}); err != nil {
			return err
		}
	}
	if err := t.event(task.ID, nil, "claim_rejected", target.by(field{"reason", "parents_not_done"})); err != nil {
		return err
	}
	return kept{waitsFor(open)}
}

// rejectReview sends a card back whose parent was reopened while it waited for
// its reviewer.
func (t *tx) rejectReview(task *core.Task, target Target, open []string) error {
	if task.ClaimLock != nil {
		return waitsFor(open)
	}
	if err := t.change(task, fields{{"status", string(core.Todo)}}); err != nil {
		return err
	}
	said := target.by(field{"reason", "parent_reopened"}, field{"source_status", string(core.Review)})
	if err := t.event(task.ID, nil, "dependency_wait", said); err != nil {
		return err
	}
	return kept{waitsFor(open)}
}

func ttl(seconds int64) int64 {
	if seconds == 0 {
		return DefaultClaimTTL
	}
	return max(seconds, 1)
}
