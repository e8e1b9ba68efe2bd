package board

import "github.com/hermes-tui/hermes-tui/core"

// ending is how a run ends.
type ending struct {
	outcome core.Outcome
	// status of a run that was open; empty stands for the outcome's name, which
	// a synthesized run carries in any case.
	status   string
	summary  *string
	error    *string
	metadata *string // JSON text
}

// openRun starts an attempt at a card that was just claimed.
func (t *tx) openRun(task *core.Task, lock string, expires int64) (int64, error) {
	return t.insert("task_runs", fields{
		{"task_id", task.ID}, {"profile", orNull(task.Assignee)}, {"step_key", task.StepKey}, {"status", "running"},
		{"claim_lock", lock}, {"claim_expires", expires}, {"max_runtime_seconds", task.MaxRuntime}, {"started_at", t.now},
	})
}

// endRun ends the current run of a card and takes the pointer to it off the
// card. It returns nil where no run was open. The ended run keeps lock, pid and
// fingerprint: they are all that is left to know its worker by.
func (t *tx) endRun(task *core.Task, e ending) (*int64, error) {
	run := task.CurrentRun
	if run == nil {
		return nil, nil
	}
	status := e.status
	if status == "" {
		status = string(e.outcome)
	}
	n, err := t.update("task_runs", fields{
		{"status", status}, {"outcome", string(e.outcome)}, {"summary", e.summary}, {"error", e.error},
		{"metadata", e.metadata}, {"ended_at", t.now}, {"claim_expires", nil},
	}, "id = ? AND task_id = ? AND ended_at IS NULL", *run, task.ID)
	if err != nil {
		return nil, err
	}
	if _, err := t.updateTask(task.ID, fields{{"current_run_id", nil}}, "1"); err != nil {
		return nil, err
	}
	task.CurrentRun = nil
	if n == 0 {
		return nil, nil
	}
	return run, nil
}

// endOrTell ends the current run or, where none is open but there is something
// to tell, records a run without duration so that the history keeps it.
func (t *tx) endOrTell(task *core.Task, e ending, profile string, tell bool) (*int64, error) {
	run, err := t.endRun(task, e)
	if err != nil || run != nil || !tell {
		return run, err
	}
	return t.tellRun(task, e, profile)
}

// tellRun records a run that began and ended now.
func (t *tx) tellRun(task *core.Task, e ending, profile string) (*int64, error) {
	if t.schema["task_runs"] == nil {
		return nil, nil
	}
	id, err := t.insert("task_runs", fields{
		{"task_id", task.ID}, {"profile", orNull(profile)}, {"step_key", task.StepKey},
		{"status", string(e.outcome)}, {"outcome", string(e.outcome)},
		{"summary", e.summary}, {"error", e.error}, {"metadata", e.metadata},
		{"started_at", t.now}, {"ended_at", t.now},
	})
	return &id, err
}

// repairDangling closes a run that a card still points to although it does not
// run. Normally there is none.
func (t *tx) repairDangling(task *core.Task, note string) error {
	if task.CurrentRun == nil {
		return nil
	}
	_, err := t.exec(`UPDATE task_runs SET status = 'reclaimed', outcome = 'reclaimed', summary = COALESCE(summary, ?),
		ended_at = ?, claim_lock = NULL, claim_expires = NULL, worker_pid = NULL
		WHERE id = ? AND task_id = ? AND ended_at IS NULL`, note, t.now, *task.CurrentRun, task.ID)
	return err
}
