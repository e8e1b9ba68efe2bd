package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Play plays a whole scenario and returns every difference from what Hermes
// answered and left, in words. None means equal.
func (s Scenario) Play(ctx context.Context, p *Player) ([]string, error) {
	var diffs []string
	for i, op := range s.Ops {
		answer, err := p.Play(ctx, op)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
		if d := answer.Differs(s.Expected.Results[i]); d != "" {
			diffs = append(diffs, fmt.Sprintf("operation %d (%s): %s", i, text(op, "op"), d))
		}
	}
	if !reflect.DeepEqual(slices.Clip(p.Procs.Signals), s.Expected.Signals) && len(p.Procs.Signals)+len(s.Expected.Signals) > 0 {
		diffs = append(diffs, fmt.Sprintf("signals %v, want %v", p.Procs.Signals, s.Expected.Signals))
	}
	tables, err := p.Dump(ctx)
	if err != nil {
		return nil, err
	}
	return append(diffs, compareTables(tables, s.Expected.Tables)...), nil
}

// Differs compares an answer with the recorded one. How something is refused
// does not matter.
func (a Answer) Differs(want Result) string {
	list, isList := want.Result.([]any)
	wantRefused := want.Error != "" || want.Result == false && !plainBool[want.Op] ||
		want.Result == nil && claims[want.Op] || isList && len(list) > 0 && list[0] == false
	switch {
	case a.Err != nil && !Refused(a.Err):
		return fmt.Sprintf("failed: %v", a.Err)
	case a.Err != nil && plainBool[want.Op] && want.Result == false:
		return ""
	case wantRefused && a.Err == nil:
		return fmt.Sprintf("gave %v, want it refused (%v %s)", a.Value, want.Result, want.Error)
	case !wantRefused && a.Err != nil:
		return fmt.Sprintf("refused (%v), want %v", a.Err, want.Result)
	case wantRefused:
		return ""
	}
	if got := normal(a.Value); !reflect.DeepEqual(got, want.Result) {
		return fmt.Sprintf("gave %v, want %v", got, want.Result)
	}
	return ""
}

// plainBool are operations whose false says something and refuses nothing.
var plainBool = map[string]bool{"link": true, "unlink": true}

// claims are operations whose null is a refusal.
var claims = map[string]bool{"claim": true, "claim_review": true}

// normal brings a value into the form that decoded JSON has.
func normal(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return err
	}
	return out
}

// primaryKeys name the columns by which rows are compared.
var primaryKeys = map[string][]string{
	"tasks": {"id"}, "task_links": {"parent_id", "child_id"}, "task_comments": {"id"}, "task_events": {"id"},
	"task_runs": {"id"}, "task_attachments": {"id"}, "kanban_notify_subs": {"task_id", "platform", "chat_id", "thread_id"},
}

// jsonColumns hold JSON text that is compared as JSON.
var jsonColumns = map[string]bool{"payload": true, "metadata": true, "skills": true, "delivery_metadata": true}

// Dump reads every row of every table.
func (p *Player) Dump(ctx context.Context) (map[string][]map[string]any, error) {
	out := map[string][]map[string]any{}
	for table := range primaryKeys {
		rows, err := p.dump(ctx, table)
		if err != nil {
			return nil, err
		}
		out[table] = rows
	}
	return out, nil
}

func (p *Player) dump(ctx context.Context, table string) ([]map[string]any, error) {
	rows, err := p.plain.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := []map[string]any{}
	for rows.Next() {
		values := make([]any, len(columns))
		dest := make([]any, len(columns))
		for i := range dest {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, c := range columns {
			row[c] = stored(c, values[i], p.Home)
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// stored is a value of a row as the recordings hold it.
func stored(column string, v any, home string) any {
	s, isText := v.(string)
	if !isText {
		return normal(v)
	}
	if jsonColumns[column] {
		var out any
		if json.Unmarshal([]byte(s), &out) == nil {
			return out
		}
	}
	return strings.ReplaceAll(s, home, "@HOME@")
}

func compareTables(got, want map[string][]map[string]any) []string {
	var diffs []string
	for _, table := range slices.Sorted(maps.Keys(want)) {
		g, w := byKey(table, got[table]), byKey(table, want[table])
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if g[key] == nil {
				diffs = append(diffs, fmt.Sprintf("%s %s is missing: %v", table, key, short(w[key])))
				continue
			}
			diffs = append(diffs, compareRow(table, key, g[key], w[key])...)
		}
		for _, key := range slices.Sorted(maps.Keys(g)) {
			if w[key] == nil {
				diffs = append(diffs, fmt.Sprintf("%s %s is too many: %v", table, key, short(g[key])))
			}
		}
	}
	return diffs
}

func byKey(table string, rows []map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, row := range rows {
		var parts []string
		for _, c := range primaryKeys[table] {
			if n, ok := row[c].(float64); ok {
				parts = append(parts, fmt.Sprintf("%06.0f", n))
			} else {
				parts = append(parts, fmt.Sprint(row[c]))
			}
		}
		out[strings.Join(parts, "/")] = row
	}
	return out
}

func compareRow(table, key string, got, want map[string]any) []string {
	var diffs []string
	for _, column := range slices.Sorted(maps.Keys(want)) {
		g, there := got[column]
		if !there || !reflect.DeepEqual(g, want[column]) && !worded(table, column, got, want) {
			diffs = append(diffs, fmt.Sprintf("%s %s %s: %v, want %v", table, key, column, g, want[column]))
		}
	}
	for _, column := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[column]; !there {
			diffs = append(diffs, fmt.Sprintf("%s %s has a column %s that Hermes has not", table, key, column))
		}
	}
	return diffs
}

// worded reports whether two values differ only in words that may be ours.
func worded(table, column string, got, want map[string]any) bool {
	g, w := got[column], want[column]
	switch table + "." + column {
	case "task_comments.body":
		return want["author"] == "dispatcher" && bothTexts(g, w)
	case "task_runs.error", "tasks.last_failure_error":
		return bothTexts(g, w)
	case "task_runs.summary":
		return approved(want["metadata"]) && bothTexts(g, w)
	case "task_events.payload":
		return sameBut(g, w, want["kind"])
	}
	return false
}

func bothTexts(g, w any) bool {
	_, a := g.(string)
	_, b := w.(string)
	return a && b
}

// approved reports whether a run is that of a review approved without a word.
func approved(metadata any) bool {
	return reflect.DeepEqual(metadata, map[string]any{"source_status": "review", "approval": "manual"})
}

// reviewNote is the summary of a review approved without a word, as Hermes
// words it.
const reviewNote = "Review approved without"

// sameBut compares payloads whose error or message, or note of an approved
// review, may be worded in another way.
func sameBut(g, w, kind any) bool {
	a, okA := g.(map[string]any)
	b, okB := w.(map[string]any)
	if !okA || !okB || len(a) != len(b) {
		return false
	}
	for key, want := range b {
		free := key == "error" || key == "message"
		if note, ok := want.(string); ok && kind == "completed" && key == "summary" {
			free = strings.HasPrefix(note, reviewNote)
		}
		if !reflect.DeepEqual(a[key], want) && !(free && bothTexts(a[key], want)) {
			return false
		}
	}
	return true
}

func short(row map[string]any) string {
	data, err := json.Marshal(row)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
