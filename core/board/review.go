package board

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// ReviewRequest hands a card to a reviewer.
type ReviewRequest struct {
	Target
	Summary  *string
	Metadata json.RawMessage // a JSON object for the run
	// Reviewer becomes the owner of the card. Empty means the reviewer who asked
	// for changes last; on a first review the owner stays.
	Reviewer string
	// Force takes the card from a live worker.
	Force bool
	// Saw is what stands behind the card; see ErrLiveWorker.
	Saw *core.Sighting
}

// RequestReview moves a running or ready card to review.
func (b *Board) RequestReview(ctx context.Context, r ReviewRequest) error {
	metadata, err := parseMetadata(r.Metadata)
	if err != nil {
		return fmt.Errorf("request a review of task %q: %w", r.ID, err)
	}
	return b.write(ctx, fmt.Sprintf("request a review of task %q", r.ID), func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		if err := only(task, "handed to a reviewer", core.Running, core.Ready); err != nil {
			return err
		}
		open, err := t.openParents(task.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return waitsFor(open)
		}
		if err := fence(task, r.Target, r.Force, r.Saw); err != nil {
			return err
		}
		return t.requestReview(task, r, metadata)
	})
}

// requestReview writes the rows of a handoff that nothing stands against.
func (t *tx) requestReview(task *core.Task, r ReviewRequest, metadata metadata) error {
	reviewer, err := t.reviewer(task.ID, r.Reviewer)
	if err != nil {
		return err
	}
	implementer, err := t.implementer(task, reviewer)
	if err != nil {
		return err
	}
	set := unclaimed(field{"status", string(core.Review)})
	if reviewer != "" {
		set = append(set, field{"assignee", reviewer})
	}
	if err := t.change(task, set); err != nil {
		return err
	}
	run, err := t.endOrTell(task, ending{
		outcome: core.ReviewRequested, status: "review", summary: r.Summary, metadata: metadata.text(),
	}, implementer, given(r.Summary) || metadata != nil)
	if err != nil {
		return err
	}
	said := fields{
		{"summary", firstLine(r.Summary, 400)}, {"implementer", orNull(implementer)}, {"reviewer", orNull(reviewer)},
	}
	if artifacts := metadata.artifacts(); len(artifacts) > 0 {
		said = append(said, field{"artifacts", artifacts})
	}
	return t.event(task.ID, run, "review_requested", r.by(said...))
}

// reviewer is who reviews: whom the request names, or who asked for changes
// last, or nobody in particular.
func (t *tx) reviewer(id, named string) (string, error) {
	if name := profileName(named); name != "" || t.schema["task_runs"] == nil {
		return name, nil
	}
	var run int64
	found, err := t.row("SELECT id FROM task_runs WHERE task_id = ? AND outcome = 'changes_requested' ORDER BY id DESC LIMIT 1",
		[]any{id}, &run)
	if err != nil || !found {
		return "", err
	}
	said, err := t.newestPayload(id, "changes_requested", &run)
	if err != nil {
		return "", err
	}
	if said.text("reviewer") == "" {
		return "", refused("who asked for changes last is not recorded; name the reviewer")
	}
	return profileName(said.text("reviewer")), nil
}

// implementer is who did the work: the profile of the run, or else the owner
// unless that is the reviewer.
func (t *tx) implementer(task *core.Task, reviewer string) (string, error) {
	if task.CurrentRun != nil {
		var profile *string
		if _, err := t.row("SELECT CAST(profile AS TEXT) FROM task_runs WHERE id = ?", []any{*task.CurrentRun}, &profile); err != nil {
			return "", err
		}
		if profile != nil {
			return *profile, nil
		}
	}
	if task.Assignee == reviewer {
		return "", nil
	}
	return task.Assignee, nil
}

// RequestChanges ends the run of a reviewer and hands the card back to the one
// who did the work, whom it returns. The reason is required. Failures are kept:
// a review says nothing about them.
func (b *Board) RequestChanges(ctx context.Context, target Target, reason string) (string, error) {
	what := fmt.Sprintf("request changes on task %q", target.ID)
	if reason = strip(reason); reason == "" {
		return "", fmt.Errorf("%s: %w", what, invalid("a reason is required"))
	}
	var implementer string
	err := b.write(ctx, what, func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "sent back by its reviewer", core.Running); err != nil {
			return err
		}
		if implementer, err = t.handedBy(task); err != nil {
			return err
		}
		return t.requestChanges(task, target, implementer, reason)
	})
	return implementer, err
}

// handedBy returns who handed a card over that its reviewer works on now.
func (t *tx) handedBy(task *core.Task) (string, error) {
	phase, err := t.phase(task)
	if err != nil {
		return "", err
	}
	if phase != core.Review {
		return "", refused("%s was not claimed from review", runName(task.CurrentRun))
	}
	said, err := t.newestPayload(task.ID, "review_requested", nil)
	if err != nil {
		return "", err
	}
	if said.text("implementer") == "" {
		return "", refused("who handed the card over is not recorded")
	}
	return said.text("implementer"), nil
}

// requestChanges writes the rows of a review that asks for more.
func (t *tx) requestChanges(task *core.Task, target Target, implementer, reason string) error {
	reviewer := profileName(task.Assignee)
	to, err := t.landing(task.ID)
	if err != nil {
		return err
	}
	err = t.change(task, unclaimed(
		field{"status", string(to)}, field{"assignee", implementer}, field{"worker_started_at", nil}))
	if err != nil {
		return err
	}
	run, err := t.endRun(task, ending{outcome: core.ChangesRequested, status: string(to), summary: &reason})
	if err != nil {
		return err
	}
	return t.event(task.ID, run, "changes_requested", target.by(
		field{"reason", reason}, field{"implementer", implementer}, field{"reviewer", orNull(reviewer)}, field{"status", string(to)}))
}

// ReopenReview takes a card back from review to whoever did the work, so that
// new comments are worked on. It returns the status that the card has now.
func (b *Board) ReopenReview(ctx context.Context, target Target) (core.Status, error) {
	var to core.Status
	err := b.write(ctx, fmt.Sprintf("take task %q back from review", target.ID), func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		if err := only(task, "taken back from review", core.Review); err != nil {
			return err
		}
		if err := t.repairDangling(task, "invariant recovery on review reopen"); err != nil {
			return err
		}
		if to, err = t.landing(task.ID); err != nil {
			return err
		}
		handoff, err := t.newestPayload(task.ID, "review_requested", nil)
		if err != nil {
			return err
		}
		return t.reopenReview(task, target, to, handoff.text("implementer"))
	})
	return to, err
}

func (t *tx) reopenReview(task *core.Task, target Target, to core.Status, implementer string) error {
	set := unclaimed(field{"status", string(to)}, field{"current_run_id", nil}, field{"worker_started_at", nil})
	if implementer != "" {
		set = append(set, field{"assignee", implementer})
	}
	if err := t.change(task, set); err != nil {
		return err
	}
	var said fields
	if to != core.Ready || implementer != "" {
		said = fields{{"status", string(to)}}
	}
	if implementer != "" {
		said = append(said, field{"implementer", implementer})
	}
	return t.event(task.ID, nil, "review_reopened", target.by(said...))
}
