package board

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// QuarantineLimit is how many journals of a card may be quarantined without a
// completed run between before the card is blocked: each costs a whole attempt.
const QuarantineLimit = 3

// Reasons of a quarantine that are nobody's failed attempt and do not count.
const (
	QuarantineByHand     = "by-hand"
	QuarantineLeftBehind = "left-behind" // a temporary file whose writer is gone
	QuarantineConflict   = "conflict"    // a second result of a run that has one
)

// QuarantineNote tells a card that a journal of one of its runs was put aside.
type QuarantineNote struct {
	Task   string
	Run    int64
	File   string // its name in the quarantine
	Reason string // a word such as "malformed-payload"
	Actor  string // the person who did it, or empty
	// Saw is the worker that was looked at and found not to live. Only with it
	// is the run taken back.
	Saw *core.Sighting
	// Unfinished completes a quarantine that was cut off after the file was moved:
	// nothing is written if the card was told of this file.
	Unfinished bool
}

// QuarantineEffect is what a note did to its card.
type QuarantineEffect struct {
	Told      bool
	Reclaimed bool
	Blocked   bool
}

// NoteQuarantine tells a card of a quarantined journal. If the card is working
// on that very run and nobody is behind it, the run is taken back so that the
// card may be tried again; its failures stay as they are. A card that this
// happens to for the third time without a completed run between is blocked. The
// error wraps core.ErrChanged where another worker is recorded than was looked
// at. A card that is not there is told nothing.
func (b *Board) NoteQuarantine(ctx context.Context, n QuarantineNote) (QuarantineEffect, error) {
	var done QuarantineEffect
	err := b.writeOrLeave(ctx, fmt.Sprintf("note the quarantined journal of run %d on task %q", n.Run, n.Task), func(t *tx) (bool, error) {
		task, found, err := t.task(n.Task)
		if err != nil || !found {
			return false, err
		}
		if n.Unfinished {
			if told, err := t.toldOf(n); told || err != nil {
				return false, err
			}
		}
		if done.Reclaimed = n.Saw != nil && worksOn(&task, n.Run); done.Reclaimed {
			if err := checkWorker(&task, *n.Saw); err != nil {
				return false, err
			}
		}
		run, err := t.runOf(n)
		if err != nil {
			return false, err
		}
		said := fields{{"file", n.File}, {"reason", n.Reason}, {"run", n.Run}}
		if err := t.event(task.ID, run, "journal_quarantined", Target{Actor: n.Actor}.by(said...)); err != nil {
			return false, err
		}
		done.Told = true
		if !done.Reclaimed {
			return true, nil
		}
		phase, err := t.takeBack(&task, n)
		if err != nil {
			return false, err
		}
		done.Blocked, err = t.stopRetrying(&task, phase, n)
		return true, err
	})
	if err != nil {
		return QuarantineEffect{}, err
	}
	return done, nil
}

// toldOf reports whether the card was told of this file before.
func (t *tx) toldOf(n QuarantineNote) (bool, error) {
	count, err := t.number(`SELECT count(*) FROM task_events WHERE task_id = ? AND kind = 'journal_quarantined'
		AND json_valid(payload) AND json_extract(payload, '$.file') = ?`, n.Task, n.File)
	return count > 0, err
}

// runOf is the run for the event, nil where the board has no such run of the card.
func (t *tx) runOf(n QuarantineNote) (*int64, error) {
	if t.schema["task_runs"] == nil {
		return nil, nil
	}
	count, err := t.number("SELECT count(*) FROM task_runs WHERE id = ? AND task_id = ?", n.Run, n.Task)
	if err != nil || count == 0 {
		return nil, err
	}
	return &n.Run, nil
}

// worksOn reports whether the run is the one that the card is working on.
func worksOn(task *core.Task, run int64) bool {
	return task.Status == core.Running && task.CurrentRun != nil && *task.CurrentRun == run
}

func (n QuarantineNote) why() string {
	return fmt.Sprintf("terminal journal recovery failed (%s); exact run may retry", n.Reason)
}

// takeBack ends exactly the run of the journal as reclaimed.
func (t *tx) takeBack(task *core.Task, n QuarantineNote) (core.Status, error) {
	return t.reclaim(task, ReclaimRequest{
		Target: Target{ID: n.Task, Run: &n.Run}, Reason: new(n.why()), Saw: *n.Saw, KeepFailures: true,
		Stop: core.Termination{PrevPID: n.Saw.PID},
	})
}

// stopRetrying blocks a card whose journals keep being unusable.
func (t *tx) stopRetrying(task *core.Task, phase core.Status, n QuarantineNote) (bool, error) {
	times, err := t.number(`SELECT count(*) FROM task_events WHERE task_id = ?1 AND kind = 'journal_quarantined'
		AND json_valid(payload) AND json_extract(payload, '$.reason') NOT IN (?2, ?3, ?4)
		AND id > coalesce((SELECT max(c.id) FROM task_events AS c WHERE c.task_id = ?1 AND c.kind IN ('completed', 'unblocked')), 0)`,
		task.ID, QuarantineByHand, QuarantineLeftBehind, QuarantineConflict)
	if err != nil || times < QuarantineLimit {
		return false, err
	}
	blocked, err := t.updateTask(task.ID, fields{{"status", string(core.Blocked)}}, "status = ? AND claim_lock IS NULL", string(phase))
	if err != nil || !blocked {
		return false, err
	}
	return true, t.event(task.ID, nil, "gave_up", fields{
		{"failures", times}, {"effective_limit", QuarantineLimit}, {"limit_source", "dispatcher"}, {"error", n.why()},
		{"trigger_outcome", string(core.Reclaimed)}, {"retry_status", string(phase)}, {"sticky", true}, {"shape", "journal_quarantined"},
	})
}

// QuarantineReasons returns why the journals of a card were put aside, by their
// names in the quarantine, as the card was told.
func (b *Board) QuarantineReasons(ctx context.Context, task string) (map[string]string, error) {
	reasons := map[string]string{}
	err := b.look(ctx, func(r *reader) error {
		if r.schema["task_events"] == nil {
			return nil
		}
		rows, err := r.conn.QueryContext(ctx, `SELECT CAST(payload AS TEXT) FROM task_events WHERE task_id = ? AND kind = 'journal_quarantined' ORDER BY id`, task)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text *string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			if p := parsePayload(text); p.text("file") != "" {
				reasons[p.text("file")] = p.text("reason")
			}
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read why journals of task %q were put aside: %w", task, err)
	}
	return reasons, nil
}

// NoteReplayable tells a card once for each run that its result is safe though
// not on the board yet. why names the kind of trouble. The note is a comment.
func (b *Board) NoteReplayable(ctx context.Context, task string, run int64, why string) error {
	const marker = "terminal replayable=True"
	return b.writeOrLeave(ctx, fmt.Sprintf("note on task %q that its result is safe", task), func(t *tx) (bool, error) {
		if _, err := t.findSeen(Target{ID: task}); err != nil {
			return false, err
		}
		if t.schema["task_comments"] == nil {
			return false, nil
		}
		start := fmt.Sprintf("The result of run %d is safe in its journal, but not on the board yet; %s", run, marker)
		count, err := t.number("SELECT count(*) FROM task_comments WHERE task_id = ? AND substr(body, 1, ?) = ?", task, len(start), start)
		if err != nil || count > 0 {
			return false, err
		}
		_, err = t.insert("task_comments", fields{
			{"task_id", task}, {"author", "dispatcher"}, {"body", start + " (" + why + "). The next replay applies it."}, {"created_at", t.now},
		})
		return true, err
	})
}

// RunRef names a run of a card.
type RunRef struct {
	Task string
	Run  int64
}

// NotCompleted returns those of the runs that the board knows and that have not
// ended as completed, in the order given.
func (b *Board) NotCompleted(ctx context.Context, runs []RunRef) ([]RunRef, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	open := map[int64]string{}
	err := b.look(ctx, func(r *reader) error {
		if r.schema["task_runs"] == nil {
			return nil
		}
		ids := make([]int64, len(runs))
		for i, run := range runs {
			ids[i] = run.Run
		}
		rows, err := r.conn.QueryContext(ctx, `SELECT r.id, r.task_id FROM json_each(?) AS j CROSS JOIN task_runs AS r ON r.id = j.value
			WHERE coalesce(r.outcome, '') <> 'completed'`, string(scalar(ids)))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var task string
			if err := rows.Scan(&id, &task); err != nil {
				return err
			}
			open[id] = task
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("look for runs without their result: %w", err)
	}
	var out []RunRef
	for _, run := range runs {
		if open[run.Run] == run.Task {
			out = append(out, run)
		}
	}
	return out, nil
}
