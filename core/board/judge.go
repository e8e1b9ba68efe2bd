package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// resultFacts is all of the board that a decision about a result rests on.
type resultFacts struct {
	task    *core.Task // nil: no such card
	run     *core.Run  // nil: no such run of this card
	newest  int64      // id of the card's newest run
	parents []string   // unfinished
	// turn is the newest event that may be a person's decision about the card.
	turn *core.Event
	// loop is the event by which this run's own block brought the card to triage.
	loop *core.Event
}

// turnKinds are the events that may stand for a person's decision.
const turnKinds = "('blocked', 'scheduled', 'archived', 'status', 'descendant_invalidated')"

// givenUp are the outcomes by which a program, and nobody else, ends a run.
var givenUp = []core.Outcome{
	core.Crashed, core.TimedOut, core.Stale, core.Reclaimed, core.GaveUp, core.SpawnFailed, core.RateLimited,
}

// decide says what is to become of a result. The first rule that fits wins.
func (f resultFacts) decide(r RunResult) Decision {
	if f.task == nil {
		return Decision{Judgement: ResultForeign, Reason: "the board has no such card"}
	}
	if why := f.foreign(r); why != "" {
		return Decision{Judgement: ResultForeign, Reason: why}
	}
	if d, has := f.hasResult(r); has {
		return d
	}
	superseded := func(format string, args ...any) Decision {
		return Decision{Judgement: ResultSuperseded, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case f.newest > f.run.ID:
		return superseded("the card has a newer run, %d", f.newest)
	case slices.Contains([]core.Status{core.Done, core.Archived, core.Scheduled}, f.task.Status) || !f.task.Status.Known():
		return superseded("the card is %s", f.task.Status)
	case f.task.IsOdd("current_run_id"):
		return Decision{Judgement: ResultWaiting, Reason: "the card's current_run_id is no number"}
	case f.runs():
		return f.complete(r, RunningRun)
	case f.run.EndedAt == nil:
		return Decision{Judgement: ResultWaiting, Reason: fmt.Sprintf("run %d is open, but the card is %s with %s; the reconciler puts that right first",
			f.run.ID, f.task.Status, runName(f.task.CurrentRun))}
	case r.Blocked:
		return superseded("its worker wanted the card blocked, but the run has ended")
	case f.task.CurrentRun != nil:
		return superseded("the card has %s", runName(f.task.CurrentRun))
	}
	if why := f.decidedOtherwise(r); why != "" {
		return superseded("%s", why)
	}
	return f.complete(r, EndedRun)
}

// foreign says why a result is not one of this board's runs.
func (f resultFacts) foreign(r RunResult) string {
	switch {
	case f.run == nil:
		return "the board has no such run of this card"
	case r.RunStarted != nil && *r.RunStarted != f.run.StartedAt:
		return fmt.Sprintf("the run started at %d, the one of the result at %d", f.run.StartedAt, *r.RunStarted)
	case r.ClaimLock != nil && f.run.ClaimLock != nil && *r.ClaimLock != *f.run.ClaimLock:
		// An older Hermes clears the lock of a run that ends, so NULL says nothing.
		return fmt.Sprintf("the run was claimed as %q, the one of the result as %q", *f.run.ClaimLock, *r.ClaimLock)
	}
	return ""
}

// hasResult reports whether the run has ended with a result already.
func (f resultFacts) hasResult(r RunResult) (Decision, bool) {
	d := Decision{Judgement: ResultAlready}
	switch {
	case f.run.Outcome == core.Completed:
		if r.Blocked || orEmpty(f.run.Summary) != r.told() {
			d.Another, d.Reason = true, "the run was completed with another result"
		}
		return d, true
	case r.Blocked && f.run.Outcome == core.OutcomeBlocked && orEmpty(f.run.Summary) == orEmpty(r.Reason):
		return d, true
	}
	return d, false
}

// told is what the run's summary is when this result completes it.
func (r RunResult) told() string {
	if r.Summary != nil {
		return *r.Summary
	}
	return orEmpty(r.Result)
}

// complete holds against a completion what a board has against any.
func (f resultFacts) complete(r RunResult, guard string) Decision {
	switch {
	case r.Blocked:
	case !says(r.Result) && !says(r.Summary):
		return Decision{Judgement: ResultEmpty, Reason: "there is neither a result nor a summary"}
	case f.task.Contract != "" && f.task.Contract != localContract:
		return Decision{Judgement: ResultSuperseded, Reason: fmt.Sprintf("the card has the completion contract %q, which only Hermes can check", f.task.Contract)}
	case len(f.parents) > 0:
		return Decision{Judgement: ResultWaiting, Reason: "the card waits for " + strings.Join(f.parents, ", ")}
	}
	return Decision{Judgement: ResultApplied, Guard: guard}
}

// decidedOtherwise says who may have decided about the card since the run ended.
// In doubt it was a person, whose word counts more than a late result.
func (f resultFacts) decidedOtherwise(r RunResult) string {
	switch {
	case slices.Contains(givenUp, f.run.Outcome):
		if f.turn == nil || 0 < f.turn.CreatedAt && f.turn.CreatedAt < *f.run.EndedAt {
			return ""
		}
		return fmt.Sprintf("after the run ended, the card got the event %q", f.turn.Kind)
	case f.run.Outcome != core.OutcomeBlocked:
		return fmt.Sprintf("the run ended as %q", f.run.Outcome)
	case f.task.Status == core.Triage && f.loop != nil && unsigned(f.loop) && (f.turn == nil || f.turn.ID < f.loop.ID):
		return ""
	case f.turn != nil && f.blockedAfterwards(r):
		return ""
	}
	return "somebody blocked the card"
}

// blockedAfterwards reports whether the card was blocked by a program that did
// not know that the run had finished: the newest turn is the block of this very
// run, it names no person, and the record was durable before it.
func (f resultFacts) blockedAfterwards(r RunResult) bool {
	e := f.turn
	return e.Kind == "blocked" && e.RunID != nil && *e.RunID == f.run.ID && unsigned(e) && r.WrittenAt <= e.CreatedAt
}

// unsigned reports whether an event names no person.
func unsigned(e *core.Event) bool {
	return parsePayload(&e.Payload)["actor"] == nil
}

// mayAccept holds what stands even against a person's word.
func (f resultFacts) mayAccept(r RunResult, d Decision) error {
	switch {
	case d.Judgement == ResultForeign:
		return refused("%s", d.Reason)
	case r.Blocked:
		return refused("its worker wanted the card blocked; block the card yourself if that is still needed")
	case f.task.CurrentRun != nil && !f.runs():
		return because(ErrLiveWorker, "%s is open; stop its worker or requeue the card first", runName(f.task.CurrentRun))
	case f.task.Status == core.Running && !f.runs():
		return refused("the card is running without a run; reconcile it first")
	case f.run.EndedAt == nil && !f.runs():
		return refused("%s", d.Reason)
	case !f.task.Status.Known():
		return refused("the card is %s, a status that this program does not know", f.task.Status)
	case len(f.parents) > 0:
		return waitsFor(f.parents)
	}
	switch d := f.complete(r, ""); d.Judgement {
	case ResultEmpty:
		return ErrNoEvidence
	case ResultSuperseded:
		return because(ErrContract, "%q", f.task.Contract)
	}
	return nil
}

// asker reads rows inside a transaction, of a reader or a writer.
type asker interface {
	first(query string, args []any, scan func(scanner) error) (bool, error)
}

// first hands the first row of a query to scan and reports whether there is one.
func (t *tx) first(query string, args []any, scan func(scanner) error) (bool, error) {
	rows, err := t.query(query, args...)
	return firstOf(rows, err, scan)
}

// looking is a reader inside its transaction.
type looking struct {
	ctx  context.Context
	r    *reader
	path string
}

func (l looking) first(query string, args []any, scan func(scanner) error) (bool, error) {
	rows, err := l.r.conn.QueryContext(l.ctx, query, args...)
	return firstOf(rows, err, scan)
}

func firstOf(rows *sql.Rows, err error, scan func(scanner) error) (bool, error) {
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	return true, scan(rows)
}

func (t *tx) resultFacts(r RunResult) (resultFacts, error) {
	return readResultFacts(t, t.schema, t.board.path, r)
}

func (l looking) resultFacts(r RunResult) (resultFacts, error) {
	return readResultFacts(l, l.r.schema, l.path, r)
}

// readResultFacts reads what a decision about a result needs, and the events
// only where they matter.
func readResultFacts(a asker, s schema, path string, r RunResult) (resultFacts, error) {
	var f resultFacts
	if err := s.lackingError(path); err != nil {
		return f, err
	}
	var task core.Task
	found, err := a.first("SELECT "+s.taskColumns()+" FROM tasks WHERE id = ?", []any{r.Task}, func(row scanner) (err error) {
		task, err = scanTask(row)
		return err
	})
	if err != nil || !found {
		return f, err
	}
	f.task = &task
	var run core.Run
	query := "SELECT " + s.runColumns() + ", (SELECT max(n.id) FROM task_runs AS n WHERE n.task_id = ?2) FROM task_runs WHERE id = ?1 AND task_id = ?2"
	found, err = a.first(query, []any{r.Run, r.Task}, func(row scanner) (err error) {
		run, err = scanRun(also{row, &f.newest})
		return err
	})
	if err != nil || !found {
		return f, err
	}
	f.run = &run
	if s["task_links"] != nil {
		var names string
		_, err = a.first("SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT p.id "+openParentsOf("?")+" ORDER BY p.id)", []any{r.Task},
			func(row scanner) error { return row.Scan(&names) })
		if err != nil {
			return f, err
		}
		f.parents = strings.Fields(names)
	}
	if run.EndedAt == nil || task.CurrentRun != nil {
		return f, nil
	}
	if f.turn, err = newestEvent(a, s, "task_id = ? AND kind IN "+turnKinds, r.Task); err != nil {
		return f, err
	}
	f.loop, err = newestEvent(a, s, "task_id = ? AND run_id = ? AND kind = 'block_loop_detected'", r.Task, r.Run)
	return f, err
}

func newestEvent(a asker, s schema, where string, args ...any) (*core.Event, error) {
	var e core.Event
	found, err := a.first("SELECT "+s.eventColumns()+" FROM task_events WHERE "+where+" ORDER BY id DESC LIMIT 1", args, func(row scanner) (err error) {
		e, err = scanEvent(row)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return &e, nil
}

// also scans one more column behind those of another scan.
type also struct {
	scanner
	more any
}

func (a also) Scan(dest ...any) error { return a.scanner.Scan(append(dest, a.more)...) }

// errUnneeded ends a transaction in which nothing had to be changed.
var errUnneeded = errors.New("nothing to change")

func unlessUnneeded(err error) error {
	if errors.Is(err, errUnneeded) {
		return nil
	}
	return err
}
