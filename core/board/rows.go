package board

import (
	"database/sql"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// scanner is a row of either *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// taskNumbers are the columns of tasks that hold numbers.
var taskNumbers = []string{
	"priority", "created_at", "started_at", "completed_at", "claim_expires", "consecutive_failures",
	"worker_pid", "max_runtime_seconds", "last_heartbeat_at", "current_run_id", "max_retries",
	"goal_mode", "goal_max_turns", "block_recurrences",
}

// taskColumns is the select list that scanTask reads.
func (s schema) taskColumns() string {
	text := func(c string) string { return s.text("tasks", c, "NULL") }
	number := func(c string) string { return s.integer("tasks", c, "NULL") }
	return strings.Join([]string{
		text("id"), text("title"), text("body"), text("assignee"), text("status"), number("priority"),
		text("created_by"), number("created_at"), number("started_at"), number("completed_at"),
		text("workspace_kind"), text("workspace_path"), text("branch_name"), text("project_id"),
		text("claim_lock"), number("claim_expires"), text("tenant"), text("result"), text("idempotency_key"),
		number("consecutive_failures"), number("worker_pid"), text("worker_started_at"), text("last_failure_error"),
		number("max_runtime_seconds"), number("last_heartbeat_at"), number("current_run_id"), text("current_step_key"),
		text("skills"), text("model_override"), text("provider_override"), text("reasoning_effort"),
		number("max_retries"), number("goal_mode"), number("goal_max_turns"), text("session_id"),
		text("block_kind"), number("block_recurrences"), text("completion_contract"),
		s.odd("tasks", taskNumbers...),
	}, ", ")
}

// scanTask reads a row selected by taskColumns.
func scanTask(row scanner) (core.Task, error) {
	var t core.Task
	var title, body, assignee, status, createdBy, kind, path, branch, project, tenant, key sql.NullString
	var lastError, skills, model, provider, effort, session, contract, odd sql.NullString
	var priority, created, failures, goal, recurrences sql.NullInt64
	err := row.Scan(
		&t.ID, &title, &body, &assignee, &status, &priority,
		&createdBy, &created, &t.StartedAt, &t.CompletedAt,
		&kind, &path, &branch, &project,
		&t.ClaimLock, &t.ClaimExpires, &tenant, &t.Result, &key,
		&failures, &t.WorkerPID, &t.WorkerStarted, &lastError,
		&t.MaxRuntime, &t.LastHeartbeat, &t.CurrentRun, &t.StepKey,
		&skills, &model, &provider, &effort,
		&t.MaxRetries, &goal, &t.GoalMaxTurns, &session,
		&t.BlockKind, &recurrences, &contract,
		&odd,
	)
	t.Title, t.Body, t.Assignee, t.Status = title.String, body.String, strings.TrimSpace(assignee.String), core.Status(status.String)
	t.Priority, t.CreatedBy, t.CreatedAt = priority.Int64, createdBy.String, created.Int64
	t.WorkspaceKind, t.WorkspacePath, t.BranchName, t.ProjectID = kind.String, path.String, branch.String, project.String
	t.Tenant, t.IdempotencyKey, t.Failures, t.LastError = tenant.String, key.String, failures.Int64, lastError.String
	t.Skills, t.Model, t.Provider, t.ReasoningEffort = skills.String, model.String, provider.String, effort.String
	t.GoalMode, t.SessionID, t.BlockCount, t.Contract = goal.Int64 != 0, session.String, recurrences.Int64, contract.String
	t.Odd = strings.Fields(odd.String)
	return t, err
}

// runColumns is the select list that scanRun reads.
func (s schema) runColumns() string {
	text := func(c string) string { return s.text("task_runs", c, "NULL") }
	number := func(c string) string { return s.integer("task_runs", c, "NULL") }
	return strings.Join([]string{
		number("id"), text("task_id"), text("profile"), text("status"), text("claim_lock"), number("claim_expires"),
		number("worker_pid"), text("worker_started_at"), number("max_runtime_seconds"), number("last_heartbeat_at"),
		number("started_at"), number("ended_at"), text("outcome"), text("summary"), text("metadata"), text("error"),
	}, ", ")
}

// scanRun reads a row selected by runColumns.
func scanRun(row scanner) (core.Run, error) {
	var r core.Run
	var task, profile, status, outcome sql.NullString
	var started sql.NullInt64
	err := row.Scan(&r.ID, &task, &profile, &status, &r.ClaimLock, &r.ClaimExpires, &r.WorkerPID, &r.WorkerStarted,
		&r.MaxRuntime, &r.LastHeartbeat, &started, &r.EndedAt, &outcome, &r.Summary, &r.Metadata, &r.Error)
	r.TaskID, r.Profile, r.Status, r.Outcome = task.String, profile.String, status.String, core.Outcome(outcome.String)
	r.StartedAt = started.Int64
	return r, err
}

// eventColumns is the select list that scanEvent reads.
func (s schema) eventColumns() string {
	return "id, " + s.text("task_events", "task_id", "NULL") + ", " + s.integer("task_events", "run_id", "NULL") + ", " +
		s.text("task_events", "kind", "NULL") + ", " + s.text("task_events", "payload", "NULL") + ", " +
		s.integer("task_events", "created_at", "NULL")
}

// scanEvent reads a row selected by eventColumns.
func scanEvent(row scanner) (core.Event, error) {
	var e core.Event
	var task, kind, payload sql.NullString
	var created sql.NullInt64
	err := row.Scan(&e.ID, &task, &e.RunID, &kind, &payload, &created)
	e.TaskID, e.Kind, e.Payload, e.CreatedAt = task.String, kind.String, payload.String, created.Int64
	return e, err
}

// task reads one card inside the transaction; found is false when there is none.
func (t *tx) task(id string) (task core.Task, found bool, err error) {
	rows, err := t.query("SELECT "+t.schema.taskColumns()+" FROM tasks WHERE id = ?", id)
	if err != nil {
		return task, false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return task, false, rows.Err()
	}
	task, err = scanTask(rows)
	return task, err == nil, err
}
