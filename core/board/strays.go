package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Stray is bookkeeping that belongs to no card at work: a lock on a card that
// does not run, an open run that is nobody's current run, a pointer to a run
// that is not open.
type Stray struct {
	Task    string
	Missing bool // no card has this id
	Status  core.Status

	ClaimLock     *string
	ClaimExpires  *int64
	WorkerPID     *int64
	WorkerStarted *string
	CurrentRun    *int64
	Claimed       bool // running with lock and expiry
	Points        bool // CurrentRun is an open run of this card
	Odd           bool // a number of the claim has a type that cannot be used

	// Run is the open run that is astray; nil where only the card's own columns are.
	Run *core.Run
}

// Strays lists stray bookkeeping in order of insertion: first cards, then runs.
// Cards in a status that we do not know are left out: they are never written.
func (b *Board) Strays(ctx context.Context) ([]Stray, error) {
	var out []Stray
	err := b.look(ctx, func(r *reader) error {
		if err := r.schema.lackingError(b.path); err != nil {
			return err
		}
		if err := r.strayCards(ctx, &out); err != nil {
			return err
		}
		return r.strayRuns(ctx, &out)
	})
	if err != nil {
		return nil, fmt.Errorf("find stray locks and runs: %w", err)
	}
	return out, nil
}

// resting are the statuses in which a card holds neither lock nor run.
const resting = "'triage', 'todo', 'scheduled', 'ready', 'blocked', 'review', 'done', 'archived'"

// strayColumns are the card's columns of a stray, for a table named t.
func (s schema) strayColumns() string {
	number := func(c string) string {
		return fmt.Sprintf("CASE typeof(t.%[1]s) WHEN 'integer' THEN t.%[1]s WHEN 'real' THEN CAST(t.%[1]s AS INTEGER) END", c)
	}
	fingerprint := "NULL"
	if s.has("tasks", "worker_started_at") {
		fingerprint = "CAST(t.worker_started_at AS TEXT)"
	}
	return "t.id, CAST(t.status AS TEXT), CAST(t.claim_lock AS TEXT), " + number("claim_expires") + ", " + number("worker_pid") + ", " +
		fingerprint + ", " + number("current_run_id") + `,
		t.status = 'running' AND t.claim_lock IS NOT NULL AND t.claim_expires IS NOT NULL,
		EXISTS (SELECT 1 FROM task_runs AS o WHERE o.id = t.current_run_id AND o.task_id = t.id AND o.ended_at IS NULL),
		typeof(t.claim_expires) IN ('text', 'blob') OR typeof(t.worker_pid) IN ('text', 'blob') OR typeof(t.current_run_id) IN ('text', 'blob')`
}

// dest lists where a row of strayColumns goes.
func (s *Stray) dest() []any {
	return []any{&s.Task, &s.Status, &s.ClaimLock, &s.ClaimExpires, &s.WorkerPID, &s.WorkerStarted, &s.CurrentRun, &s.Claimed, &s.Points, &s.Odd}
}

// strayCards are resting cards with a lock or a pointer. A pointer to an open
// run of the card itself comes with that run. Nearly every card rests, so the
// index on the status would only be in the way; and nearly none has a lock or a
// pointer, so these are looked at first.
func (r *reader) strayCards(ctx context.Context, out *[]Stray) error {
	query := "SELECT " + r.schema.strayColumns() + " FROM tasks AS t WHERE (t.claim_lock IS NOT NULL OR t.current_run_id IS NOT NULL) AND +t.status IN (" + resting + `)
		AND (t.claim_lock IS NOT NULL OR t.current_run_id IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM task_runs AS r WHERE r.id = t.current_run_id AND r.task_id = t.id AND r.ended_at IS NULL)) ORDER BY t.rowid`
	return r.each(ctx, query, nil, func(rows *sql.Rows) error {
		var s Stray
		err := rows.Scan(s.dest()...)
		*out = append(*out, s)
		return err
	})
}

// strayRuns are open runs that are not the current run of a running card, the
// newest first: a card that lost its pointer gets that one back.
func (r *reader) strayRuns(ctx context.Context, out *[]Stray) error {
	var runs []core.Run
	query := "SELECT " + r.schema.runColumns() + ` FROM task_runs WHERE status = 'running' AND ended_at IS NULL AND NOT EXISTS (
		SELECT 1 FROM tasks AS t WHERE t.id = task_runs.task_id AND (t.current_run_id = task_runs.id AND t.status = 'running'
			OR t.status NOT IN ('running', ` + resting + `))) ORDER BY id DESC`
	err := r.each(ctx, query, nil, func(rows *sql.Rows) error {
		run, err := scanRun(rows)
		runs = append(runs, run)
		return err
	})
	if err != nil {
		return err
	}
	for i := range runs {
		s := Stray{Task: runs[i].TaskID, Run: &runs[i]}
		err := r.conn.QueryRowContext(ctx, "SELECT "+r.schema.strayColumns()+" FROM tasks AS t WHERE t.id = ?", runs[i].TaskID).Scan(s.dest()...)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			s.Task, s.Missing = runs[i].TaskID, true
		case err != nil:
			return err
		}
		*out = append(*out, s)
	}
	return nil
}

// Mending is what is done about a stray. Shape names it for the event.
type Mending struct {
	Stray Stray
	Shape string
	// Point gives a running card its lost pointer back instead of ending the run.
	Point bool
}

// Mend clears stray locks and pointers and ends stray runs, in one transaction.
// What changed since it was seen is left alone. It returns the ids of the cards
// that were mended.
func (b *Board) Mend(ctx context.Context, mendings []Mending) ([]string, error) {
	if len(mendings) == 0 {
		return nil, nil
	}
	var done []string
	err := b.write(ctx, fmt.Sprintf("mend %d strays", len(mendings)), func(t *tx) error {
		done = nil
		for _, m := range mendings {
			changed, err := t.mend(m)
			if err != nil {
				return err
			}
			if changed {
				done = append(done, m.Stray.Task)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (t *tx) mend(m Mending) (bool, error) {
	s := m.Stray
	var run *int64
	changed := false
	var err error
	switch {
	case m.Point:
		run = &s.Run.ID
		changed, err = t.updateTask(s.Task, fields{{"current_run_id", s.Run.ID}}, s.guard(t.schema), s.seen()...)
	case s.Run != nil:
		run = &s.Run.ID
		changed, err = t.endStray(s)
	default:
		set := fields{{"claim_lock", nil}, {"claim_expires", nil}, {"worker_pid", nil}, {"worker_started_at", nil}, {"current_run_id", nil}}
		changed, err = t.updateTask(s.Task, set, s.guard(t.schema), s.seen()...)
	}
	if err != nil || !changed {
		return false, err
	}
	return true, t.event(s.Task, run, "reconciled", m.payload(t.now))
}

// guard is the condition that the card's columns are what was seen; seen are its
// arguments.
func (s Stray) guard(sc schema) string {
	number := func(c string) string { return sc.integer("tasks", c, "NULL") }
	return "status = ? AND claim_lock IS ? AND " + number("claim_expires") + " IS ? AND " + number("worker_pid") + " IS ? AND " +
		number("current_run_id") + " IS ?"
}

func (s Stray) seen() []any {
	return []any{string(s.Status), s.ClaimLock, s.ClaimExpires, s.WorkerPID, s.CurrentRun}
}

// endStray ends the open run, and takes it off its card where the card rests and
// points to it. No result and no summary is invented.
func (t *tx) endStray(s Stray) (bool, error) {
	if !s.Missing && s.Status != core.Running && equal(s.CurrentRun, &s.Run.ID) {
		ok, err := t.updateTask(s.Task, fields{{"current_run_id", nil}}, s.guard(t.schema), s.seen()...)
		if err != nil || !ok {
			return false, err
		}
	}
	n, err := t.update("task_runs", fields{
		{"status", "reclaimed"}, {"outcome", "reclaimed"}, {"error", "open run of no card at work"}, {"ended_at", t.now}, {"claim_expires", nil},
	}, "id = ? AND ended_at IS NULL", s.Run.ID)
	return n == 1, err
}

// payload keeps what was overwritten.
func (m Mending) payload(now int64) fields {
	s := m.Stray
	reason := "stale_lock"
	if s.Run != nil || s.ClaimLock == nil {
		reason = "dangling_run"
	}
	said := fields{
		{"reason", reason}, {"claim_lock", s.ClaimLock}, {"claim_expires", s.ClaimExpires}, {"worker_pid", s.WorkerPID}, {"now", now},
		{"shape", m.Shape}, {"worker_started_at", s.WorkerStarted}, {"current_run_id", s.CurrentRun},
	}
	if s.Run != nil {
		said = append(said, field{"run_claim_lock", s.Run.ClaimLock}, field{"run_worker_pid", s.Run.WorkerPID}, field{"run_claim_expires", s.Run.ClaimExpires})
	}
	return said
}
