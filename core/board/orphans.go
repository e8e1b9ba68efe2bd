package board

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Orphan is a running card whose claim is broken: the lock or the expiry is
// NULL, so nobody can ever renew the claim or see it expire.
type Orphan struct {
	Task          string
	ClaimLock     *string
	ClaimExpires  *int64
	WorkerPID     *int64
	WorkerStarted *string
	LastHeartbeat *int64
	CurrentRun    *int64
	// OpenRun is the card's open run: the current one, or one that the card
	// lost its pointer to.
	OpenRun *int64
	// RunWorkerPID and RunWorkerStarted are the worker that the open run names.
	RunWorkerPID     *int64
	RunWorkerStarted *string
	// RunStarted is when that run, or failing it the card, started.
	RunStarted int64
	Review     bool // the run was claimed from review
	WaitsFor   bool // a parent is unfinished
	// NoClaimRepairs counts earlier repairs of a card found without any claim,
	// since a worker was last started for it or a person last unblocked it.
	NoClaimRepairs int
	// Odd says that a number of the claim has a type that cannot be used.
	Odd bool

	mark Mark // of the board when it was seen
}

// Release says where an orphan goes. Shape names the divergence for the event.
type Release struct {
	Orphan Orphan
	Shape  string
	To     core.Status // Ready, Review, Todo or Blocked
}

// orphanWhere is the condition that makes a card an orphan. It is also the
// guard of the repair.
const orphanWhere = "status = 'running' AND (claim_lock IS NULL OR claim_expires IS NULL)"

// Orphans lists the running cards whose claim is broken, in order of insertion.
func (b *Board) Orphans(ctx context.Context) ([]Orphan, error) {
	var out []Orphan
	err := b.look(ctx, func(r *reader) error {
		if err := r.schema.lackingError(b.path); err != nil {
			return err
		}
		err := r.each(ctx, r.schema.orphanQuery(""), nil, func(rows *sql.Rows) error {
			o, err := scanOrphan(rows)
			out = append(out, o)
			return err
		})
		if err != nil {
			return err
		}
		mark, err := b.markLocked(ctx)
		for i := range out {
			out[i].mark = mark
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find orphans: %w", err)
	}
	return out, nil
}

// orphanQuery selects orphans with all that a decision about them needs. A
// card without a pointer is given its newest open run, if it has one.
func (s schema) orphanQuery(more string) string {
	number := func(c string) string { return s.integer("tasks", c, "NULL") }
	return `WITH orphan AS MATERIALIZED (
		SELECT rowid AS place, id, claim_lock, ` + number("claim_expires") + ` AS claim_expires, ` + number("worker_pid") + ` AS worker_pid,
			` + s.text("tasks", "worker_started_at", "NULL") + ` AS worker_started_at, ` + number("last_heartbeat_at") + ` AS last_heartbeat_at,
			` + number("current_run_id") + ` AS current_run_id, ` + number("started_at") + ` AS started_at,
			` + s.odd("tasks", "claim_expires", "worker_pid", "last_heartbeat_at", "current_run_id") + ` AS odd
		FROM tasks WHERE ` + orphanWhere + more + `),
	held AS MATERIALIZED (
		SELECT o.*, coalesce(
			(SELECT r.id FROM task_runs AS r WHERE r.id = o.current_run_id AND r.task_id = o.id AND r.ended_at IS NULL),
			(SELECT max(r.id) FROM task_runs AS r WHERE r.task_id = o.id AND r.ended_at IS NULL)) AS open_run
		FROM orphan AS o)
	SELECT h.id, CAST(h.claim_lock AS TEXT), h.claim_expires, h.worker_pid, h.worker_started_at, h.last_heartbeat_at, h.current_run_id,
		h.open_run,
		(SELECT ` + s.integer("task_runs", "worker_pid", "NULL") + ` FROM task_runs WHERE id = h.open_run),
		(SELECT ` + s.text("task_runs", "worker_started_at", "NULL") + ` FROM task_runs WHERE id = h.open_run),
		coalesce((SELECT CAST(r.started_at AS INTEGER) FROM task_runs AS r WHERE r.id = h.open_run), h.started_at, 0),
		EXISTS (SELECT 1 FROM task_events AS e WHERE e.run_id = h.open_run AND e.kind = 'claimed'
			AND json_valid(e.payload) AND json_extract(e.payload, '$.source_status') = 'review'),
		EXISTS (SELECT 1 FROM task_links AS l JOIN tasks AS p ON p.id = l.parent_id
			WHERE l.child_id = h.id AND p.status NOT IN ('done', 'archived')),
		(SELECT count(*) FROM task_events AS e WHERE e.task_id = h.id AND e.kind = 'reconciled' AND json_valid(e.payload)
			AND json_extract(e.payload, '$.reason') = 'orphaned_running' AND json_extract(e.payload, '$.claim_lock') IS NULL AND json_extract(e.payload, '$.claim_expires') IS NULL
			AND e.id > coalesce((SELECT max(x.id) FROM task_events AS x
				WHERE x.task_id = h.id AND x.kind IN ('spawned', 'unblocked')), 0)),
		h.odd
	FROM held AS h ORDER BY h.place`
}

func scanOrphan(row scanner) (Orphan, error) {
	var o Orphan
	var odd string
	err := row.Scan(&o.Task, &o.ClaimLock, &o.ClaimExpires, &o.WorkerPID, &o.WorkerStarted, &o.LastHeartbeat, &o.CurrentRun,
		&o.OpenRun, &o.RunWorkerPID, &o.RunWorkerStarted, &o.RunStarted, &o.Review, &o.WaitsFor, &o.NoClaimRepairs, &odd)
	o.Odd = odd != ""
	return o, err
}

// ReleaseOrphans repairs many cards in one transaction, set by set: the claim
// is cleared, the open run ends as reclaimed, and each card gets a comment and
// an event that keeps what was overwritten. A card that is no longer what the
// caller saw is left alone. It returns the ids that were repaired.
func (b *Board) ReleaseOrphans(ctx context.Context, releases []Release) ([]string, error) {
	if len(releases) == 0 {
		return nil, nil
	}
	var done []string
	err := b.write(ctx, fmt.Sprintf("reconcile %d cards", len(releases)), func(t *tx) error {
		same, err := t.stillOrphans(releases)
		if err != nil {
			return err
		}
		changed, err := t.clearClaims(same)
		if err != nil {
			return err
		}
		var moved []Release
		for _, r := range same {
			if changed[r.Orphan.Task] {
				moved = append(moved, r)
				done = append(done, r.Orphan.Task)
			}
		}
		if err := t.endOrphanRuns(moved); err != nil {
			return err
		}
		return t.recordReleases(moved)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// stillOrphans keeps those releases whose card reads under the write lock just
// as it was seen. While nobody has committed since, that is all of them.
func (t *tx) stillOrphans(releases []Release) ([]Release, error) {
	mark, err := t.board.Mark(t.ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(releases, func(r Release) bool { return r.Orphan.mark != mark }) {
		return releases, nil
	}
	ids := make([]string, len(releases))
	for i, r := range releases {
		ids[i] = r.Orphan.Task
	}
	rows, err := t.query(t.schema.orphanQuery(" AND id IN (SELECT value FROM json_each(?))"), jsonList(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	now := map[string]Orphan{}
	for rows.Next() {
		o, err := scanOrphan(rows)
		if err != nil {
			return nil, err
		}
		now[o.Task] = o
	}
	var same []Release
	for _, r := range releases {
		if o, found := now[r.Orphan.Task]; found && r.Orphan.same(o) {
			same = append(same, r)
		}
	}
	return same, rows.Err()
}

// same reports whether nothing that the decision rested on has changed.
func (o Orphan) same(p Orphan) bool {
	return equal(o.ClaimLock, p.ClaimLock) && equal(o.ClaimExpires, p.ClaimExpires) &&
		equal(o.WorkerPID, p.WorkerPID) && equal(o.WorkerStarted, p.WorkerStarted) &&
		equal(o.LastHeartbeat, p.LastHeartbeat) && equal(o.CurrentRun, p.CurrentRun) && equal(o.OpenRun, p.OpenRun) &&
		equal(o.RunWorkerPID, p.RunWorkerPID) && equal(o.RunWorkerStarted, p.RunWorkerStarted) &&
		o.Review == p.Review && o.WaitsFor == p.WaitsFor && o.NoClaimRepairs == p.NoClaimRepairs && o.Odd == p.Odd
}

// equal compares two values that may be NULL.
func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// clearClaims moves the cards out of running and returns which ones moved.
func (t *tx) clearClaims(releases []Release) (map[string]bool, error) {
	byTarget := map[core.Status][]string{}
	for _, r := range releases {
		byTarget[r.To] = append(byTarget[r.To], r.Orphan.Task)
	}
	changed := map[string]bool{}
	for _, to := range []core.Status{core.Ready, core.Review, core.Todo, core.Blocked} {
		if len(byTarget[to]) == 0 {
			continue
		}
		set := "status = ?, claim_lock = NULL, claim_expires = NULL, worker_pid = NULL, last_heartbeat_at = NULL, current_run_id = NULL"
		if t.schema.has("tasks", "worker_started_at") {
			set += ", worker_started_at = NULL"
		}
		ids, err := t.texts("UPDATE tasks SET "+set+" WHERE id IN (SELECT value FROM json_each(?)) AND "+orphanWhere+" RETURNING id",
			string(to), jsonList(byTarget[to]))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			changed[id] = true
		}
	}
	return changed, nil
}

// endOrphanRuns closes the runs behind the cards. The metadata keeps what the
// event keeps.
func (t *tx) endOrphanRuns(releases []Release) error {
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range releases {
		if r.Orphan.OpenRun == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "[%d,%s]", *r.Orphan.OpenRun, scalar(pythonJSON(r.payload(t.now))))
	}
	if b.Len() == 1 {
		return nil
	}
	b.WriteByte(']')
	_, err := t.exec(`UPDATE task_runs SET status = 'reclaimed', outcome = 'reclaimed', error = ?, ended_at = ?, claim_expires = NULL, metadata = j.metadata
		FROM (SELECT json_extract(value, '$[0]') AS run, json_extract(value, '$[1]') AS metadata FROM json_each(?)) AS j
		WHERE task_runs.id = j.run AND task_runs.ended_at IS NULL`,
		"orphaned running card (broken claim bookkeeping)", t.now, b.String())
	return err
}

// recordReleases writes one comment and one event for each card, and a second
// event for one that is blocked because the same thing keeps happening to it.
func (t *tx) recordReleases(releases []Release) error {
	var comments, events [][]any
	for _, r := range releases {
		comments = append(comments, []any{r.Orphan.Task, "dispatcher", r.comment(), t.now})
		events = append(events, []any{r.Orphan.Task, r.Orphan.OpenRun, "reconciled", pythonJSON(r.payload(t.now)), t.now})
		if r.To == core.Blocked {
			events = append(events, []any{r.Orphan.Task, nil, "gave_up", pythonJSON(r.gaveUp()), t.now})
		}
	}
	if t.schema["task_comments"] != nil {
		if err := t.insertAll("task_comments", []string{"task_id", "author", "body", "created_at"}, comments); err != nil {
			return err
		}
	}
	return t.insertAll("task_events", []string{"task_id", "run_id", "kind", "payload", "created_at"}, events)
}

// payload is that of the event, Hermes' keys first.
func (r Release) payload(now int64) fields {
	o := r.Orphan
	return fields{
		{"reason", "orphaned_running"}, {"claim_lock", o.ClaimLock}, {"claim_expires", o.ClaimExpires}, {"worker_pid", o.WorkerPID},
		{"now", now}, {"shape", r.Shape}, {"worker_started_at", o.WorkerStarted}, {"last_heartbeat_at", o.LastHeartbeat},
		{"current_run_id", o.CurrentRun},
	}
}

// NoClaimLimit is how often in a row a card may be found running without any
// claim before it is blocked: some script keeps forcing its status.
const NoClaimLimit = 3

func (r Release) gaveUp() fields {
	phase := core.Ready
	if r.Orphan.Review {
		phase = core.Review
	}
	return fields{
		{"failures", r.Orphan.NoClaimRepairs + 1}, {"effective_limit", NoClaimLimit}, {"limit_source", "dispatcher"},
		{"error", r.comment()}, {"trigger_outcome", "reclaimed"}, {"retry_status", string(phase)}, {"sticky", true}, {"shape", r.Shape},
	}
}

// comment is the note for a person.
func (r Release) comment() string {
	what := map[string]string{
		"no_claim":            "it was marked running, but nobody had claimed it",
		"lock_without_expiry": "its claim had a lock but no expiry, so it could never be renewed or run out",
		"expiry_without_lock": "its claim had an expiry but no lock, so nobody could be its owner",
	}[r.Shape]
	if r.To == core.Blocked {
		return "Reconciled: " + what + ". This was found " + strconv.Itoa(r.Orphan.NoClaimRepairs+1) +
			" times in a row without a worker ever being started, so the card is blocked until a person has looked."
	}
	return "Reconciled: " + what + ". No live worker was found behind it; the card went back to " + string(r.To) + "."
}

// insertAll adds many rows with few statements.
func (t *tx) insertAll(table string, columns []string, rows [][]any) error {
	const chunk = 100
	one := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	head := "INSERT INTO " + table + "(" + strings.Join(columns, ", ") + ") VALUES "
	for len(rows) > 0 {
		n := 1
		if len(rows) >= chunk {
			n = chunk
		}
		args := make([]any, 0, n*len(columns))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := t.exec(head+one+strings.Repeat(", "+one, n-1), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// jsonList is a parameter for json_each: SQLite takes it whatever its length.
func jsonList(ids []string) string {
	out, err := json.Marshal(ids)
	if err != nil {
		return "[]"
	}
	return string(out)
}
