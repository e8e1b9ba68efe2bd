package board

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// schema is what the open file really has: for each table its columns.
type schema map[string]map[string]bool

// has reports whether the table has the column.
func (s schema) has(table, column string) bool { return s[table][column] }

// hasAll reports whether the table has every one of the columns.
func (s schema) hasAll(table string, columns ...string) bool {
	for _, column := range columns {
		if !s.has(table, column) {
			return false
		}
	}
	return true
}

// dispatchColumns are the columns without which nothing can be claimed safely.
// A board that lacks one is shown, but no dispatcher touches it.
var dispatchColumns = map[string][]string{
	"tasks": {
		"claim_lock", "claim_expires", "worker_pid", "last_heartbeat_at", "current_run_id",
		"consecutive_failures", "last_failure_error", "max_runtime_seconds", "max_retries",
	},
	"task_runs":   {"id"},
	"task_events": {"run_id"},
}

// lacking lists, as "table.column", what a dispatcher needs and s does not have.
func (s schema) lacking() []string {
	var out []string
	for _, table := range []string{"tasks", "task_runs", "task_events"} {
		for _, column := range dispatchColumns[table] {
			if !s.has(table, column) {
				out = append(out, table+"."+column)
			}
		}
	}
	return out
}

// readSchema lists every table of the open file with its columns.
func readSchema(ctx context.Context, conn *sql.Conn) (schema, error) {
	rows, err := conn.QueryContext(ctx, `
		SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	s := schema{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		if s[table] == nil {
			s[table] = map[string]bool{}
		}
		s[table][column] = true
	}
	return s, rows.Err()
}

// The helpers below write the select list of a table so that a row of any age
// and with any stored type can be scanned into Go values: a missing column
// reads as its default, a value of an unusable type as NULL.

// text selects a column as text; a blob's bytes are taken as they are.
func (s schema) text(table, column, missing string) string {
	if !s.has(table, column) {
		return missing
	}
	return fmt.Sprintf("CAST(%s AS TEXT)", column)
}

// integer selects a column as a whole number, NULL where it holds a text or a blob.
func (s schema) integer(table, column, missing string) string {
	if !s.has(table, column) {
		return missing
	}
	return fmt.Sprintf("CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s WHEN 'real' THEN CAST(%[1]s AS INTEGER) END", column)
}

// odd selects the names of those columns that hold a text or a blob although a
// number belongs there, separated by blanks.
func (s schema) odd(table string, columns ...string) string {
	var parts []string
	for _, column := range columns {
		if s.has(table, column) {
			parts = append(parts, fmt.Sprintf("CASE WHEN typeof(%[1]s) IN ('text', 'blob') THEN '%[1]s ' ELSE '' END", column))
		}
	}
	if len(parts) == 0 {
		return "''"
	}
	return strings.Join(parts, " || ")
}
