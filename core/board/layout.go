package board

import (
	"slices"
	"strings"
)

// table is one table of a board as a Hermes of autumn 2026 has it.
type table struct {
	name    string
	columns []column
	key     string // a PRIMARY KEY clause over several columns, or empty
}

type column struct{ name, declaration string }

// layout is the whole schema. Creating a board, adding what an old board lacks
// and knowing which columns are new to us all read this one list. No foreign
// keys are declared and nothing cascades; ids of rows are never used again.
var layout = []table{
	{name: "tasks", columns: []column{
		{"id", "TEXT PRIMARY KEY"},
		{"title", "TEXT NOT NULL"},
		{"body", "TEXT"},
		{"assignee", "TEXT"},
		{"status", "TEXT NOT NULL"},
		{"priority", "INTEGER DEFAULT 0"},
		{"created_by", "TEXT"},
		{"created_at", "INTEGER NOT NULL"},
		{"started_at", "INTEGER"},
		{"completed_at", "INTEGER"},
		{"workspace_kind", "TEXT NOT NULL DEFAULT 'scratch'"},
		{"workspace_path", "TEXT"},
		{"branch_name", "TEXT"},
		{"project_id", "TEXT"},
		{"claim_lock", "TEXT"},
		{"claim_expires", "INTEGER"},
		{"tenant", "TEXT"},
		{"result", "TEXT"},
		{"idempotency_key", "TEXT"},
		{"consecutive_failures", "INTEGER NOT NULL DEFAULT 0"},
		{"worker_pid", "INTEGER"},
		{"worker_started_at", "INTEGER"}, // holds a text; the "|" in it keeps it one
		{"last_failure_error", "TEXT"},
		{"max_runtime_seconds", "INTEGER"},
		{"last_heartbeat_at", "INTEGER"},
		{"current_run_id", "INTEGER"},
		{"workflow_template_id", "TEXT"},
		{"current_step_key", "TEXT"},
		{"skills", "TEXT"},
		{"model_override", "TEXT"},
		{"provider_override", "TEXT"},
		{"reasoning_effort", "TEXT"},
		{"max_retries", "INTEGER"},
		{"goal_mode", "INTEGER NOT NULL DEFAULT 0"},
		{"goal_max_turns", "INTEGER"},
		{"session_id", "TEXT"},
		{"block_kind", "TEXT"},
		{"block_recurrences", "INTEGER NOT NULL DEFAULT 0"},
		{"completion_contract", "TEXT"},
	}},
	{name: "task_links", columns: []column{
		{"parent_id", "TEXT NOT NULL"},
		{"child_id", "TEXT NOT NULL"},
	}, key: "parent_id, child_id"},
	{name: "task_comments", columns: []column{
		{"id", "INTEGER PRIMARY KEY AUTOINCREMENT"},
		{"task_id", "TEXT NOT NULL"},
		{"author", "TEXT NOT NULL"},
		{"body", "TEXT NOT NULL"},
		{"created_at", "INTEGER NOT NULL"},
	}},
	{name: "task_events", columns: []column{
		{"id", "INTEGER PRIMARY KEY AUTOINCREMENT"},
		{"task_id", "TEXT NOT NULL"},
		{"run_id", "INTEGER"},
		{"kind", "TEXT NOT NULL"},
		{"payload", "TEXT"},
		{"created_at", "INTEGER NOT NULL"},
	}},
	{name: "task_runs", columns: []column{
		{"id", "INTEGER PRIMARY KEY AUTOINCREMENT"},
		{"task_id", "TEXT NOT NULL"},
		{"profile", "TEXT"},
		{"step_key", "TEXT"},
		{"status", "TEXT NOT NULL"},
		{"claim_lock", "TEXT"},
		{"claim_expires", "INTEGER"},
		{"worker_pid", "INTEGER"},
		{"worker_started_at", "INTEGER"},
		{"max_runtime_seconds", "INTEGER"},
		{"last_heartbeat_at", "INTEGER"},
		{"started_at", "INTEGER NOT NULL"},
		{"ended_at", "INTEGER"},
		{"outcome", "TEXT"},
		{"summary", "TEXT"},
		{"metadata", "TEXT"},
		{"error", "TEXT"},
	}},
	{name: "task_attachments", columns: []column{
		{"id", "INTEGER PRIMARY KEY AUTOINCREMENT"},
		{"task_id", "TEXT NOT NULL"},
		{"filename", "TEXT NOT NULL"},
		{"stored_path", "TEXT NOT NULL"},
		{"content_type", "TEXT"},
		{"size", "INTEGER NOT NULL DEFAULT 0"},
		{"uploaded_by", "TEXT"},
		{"created_at", "INTEGER NOT NULL"},
	}},
	{name: "kanban_notify_subs", columns: []column{
		{"task_id", "TEXT NOT NULL"},
		{"platform", "TEXT NOT NULL"},
		{"chat_id", "TEXT NOT NULL"},
		{"thread_id", "TEXT NOT NULL DEFAULT ''"},
		{"user_id", "TEXT"},
		{"user_id_alt", "TEXT"},
		{"chat_type", "TEXT"},
		{"notifier_profile", "TEXT"},
		{"delivery_mode", "TEXT NOT NULL DEFAULT 'notify'"},
		{"notify_progress", "INTEGER NOT NULL DEFAULT 0"},
		{"delivery_metadata", "TEXT"},
		{"created_at", "INTEGER NOT NULL"},
		{"last_event_id", "INTEGER NOT NULL DEFAULT 0"},
		{"last_ping_event_id", "INTEGER NOT NULL DEFAULT 0"},
	}, key: "task_id, platform, chat_id, thread_id"},
}

// indexes are those of Hermes, as name, table and columns.
var indexes = [][3]string{
	{"idx_tasks_status", "tasks", "status"},
	{"idx_links_child", "task_links", "child_id"},
	{"idx_links_parent", "task_links", "parent_id"},
	{"idx_comments_task", "task_comments", "task_id, created_at"},
	{"idx_events_task", "task_events", "task_id, created_at"},
	{"idx_runs_task", "task_runs", "task_id, started_at"},
	{"idx_runs_status", "task_runs", "status"},
	{"idx_attachments_task", "task_attachments", "task_id, created_at"},
	{"idx_notify_task", "kanban_notify_subs", "task_id"},
	{"idx_tasks_assignee_status", "tasks", "assignee, status"},
	{"idx_tasks_tenant", "tasks", "tenant"},
	{"idx_tasks_idempotency", "tasks", "idempotency_key"},
	{"idx_tasks_session_id", "tasks", "session_id"},
	{"idx_events_run", "task_events", "run_id, id"},
}

// create is the statement that makes the table.
func (t table) create() string {
	var lines []string
	for _, c := range t.columns {
		lines = append(lines, c.name+" "+c.declaration)
	}
	if t.key != "" {
		lines = append(lines, "PRIMARY KEY ("+t.key+")")
	}
	return "CREATE TABLE " + t.name + " (\n    " + strings.Join(lines, ",\n    ") + "\n)"
}

// unknown lists, as "table.column", what a newer Hermes has added to the tables
// we know. It is read past and never written.
func (s schema) unknown() []string {
	var out []string
	for _, t := range layout {
		for name := range s[t.name] {
			if !slices.ContainsFunc(t.columns, func(c column) bool { return c.name == name }) {
				out = append(out, t.name+"."+name)
			}
		}
	}
	slices.Sort(out)
	return out
}
