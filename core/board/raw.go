package board

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core"
)

// Row is a row of the tasks table as scripts get it: every column that this
// board has and every one of today's schema, those it lacks as null. It encodes
// as a JSON object with the columns in the order of the schema.
type Row struct {
	names  []string
	values []any
}

// MarshalJSON writes the row as an object in the order of its columns.
func (r Row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range r.names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(plain(r.values[i]))
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plain turns what the driver returned into what JSON can say. A blob is
// written as the text it holds, with what is no UTF-8 replaced; an infinite
// number, for which JSON has no form, as a text.
func plain(v any) any {
	if raw, ok := v.([]byte); ok {
		v = string(raw)
	}
	if s, ok := v.(string); ok && !utf8.ValidString(s) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	if f, ok := v.(float64); ok && math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return v
}

// Filter selects cards for a listing. Its zero value selects all but archived.
type Filter struct {
	Statuses []core.Status // any of these; empty means all
	Assignee string        // exactly this owner; empty means any
	Archived bool          // archived cards too
	ID       string        // only this card, whatever its status
}

// Rows lists cards as scripts get them, by priority and age like Hermes' list.
func (b *Board) Rows(ctx context.Context, f Filter) ([]Row, error) {
	rows := []Row{}
	err := b.look(ctx, func(r *reader) error {
		names, list := r.rawColumns()
		where, args := f.where(r.schema)
		query := "SELECT " + list + " FROM tasks WHERE " + where + " ORDER BY priority DESC, created_at, id"
		return r.each(ctx, query, args, func(rs *sql.Rows) error {
			row := Row{names: names, values: make([]any, len(names))}
			dest := make([]any, len(names))
			for i := range dest {
				dest[i] = &row.values[i]
			}
			err := rs.Scan(dest...)
			rows = append(rows, row)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list %w", err)
	}
	return rows, nil
}

// oldNames are columns that were renamed since the first boards.
var oldNames = map[string]string{
	"consecutive_failures": "spawn_failures",
	"last_failure_error":   "last_spawn_error",
}

// rawColumns lists today's columns, an old name standing in for a new one, and
// after them those that only this board has.
func (r *reader) rawColumns() (names []string, list string) {
	has := r.schema["tasks"]
	var parts []string
	for _, c := range layout[0].columns {
		expression := "NULL"
		if has[c.name] {
			expression = c.name
		} else if old := oldNames[c.name]; has[old] {
			expression = old
		}
		names = append(names, c.name)
		parts = append(parts, expression)
	}
	for _, qualified := range r.schema.unknown() {
		if name, ok := strings.CutPrefix(qualified, "tasks."); ok {
			names = append(names, name)
			// The sign takes the declared type away, by which the driver would
			// turn texts and numbers into times.
			parts = append(parts, `+"`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		}
	}
	return names, strings.Join(parts, ", ")
}

// where is the condition of the filter on this board.
func (f Filter) where(s schema) (string, []any) {
	var parts []string
	var args []any
	if f.ID != "" {
		return "id = ?", []any{f.ID}
	}
	if len(f.Statuses) > 0 {
		parts = append(parts, "status IN (?"+strings.Repeat(", ?", len(f.Statuses)-1)+")")
		for _, status := range f.Statuses {
			args = append(args, string(status))
		}
	} else if !f.Archived {
		parts = append(parts, "status <> 'archived'")
	}
	if f.Assignee != "" && s.has("tasks", "assignee") {
		parts = append(parts, "assignee = ?")
		args = append(args, f.Assignee)
	}
	if len(parts) == 0 {
		return "1", nil
	}
	return strings.Join(parts, " AND "), args
}
