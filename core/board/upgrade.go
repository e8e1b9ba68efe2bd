package board

import (
	"context"
	"fmt"
	"time"
)

// Upgrade adds to the board at path what a Hermes of today has and it lacks:
// tables, columns and indexes, and nothing else. It returns what was added:
// "table", "table.column" or the name of an index. One transaction does all of
// it; a board that lacks nothing is not changed. The caller holds the board's
// .init.lock. busy is how long it waits for another program's lock.
func Upgrade(ctx context.Context, path string, busy time.Duration) ([]string, error) {
	file, _, err := find(path)
	if err != nil {
		return nil, fmt.Errorf("upgrade %w", err)
	}
	w, err := openToWrite(ctx, file, "rw", busy)
	if err != nil {
		return nil, fmt.Errorf("upgrade %w", explain(path, err))
	}
	defer w.close()
	if err := w.begin(ctx); err != nil {
		return nil, fmt.Errorf("upgrade %w", explain(path, err))
	}
	added, err := w.addMissing(ctx, w.schema)
	if err != nil || len(added) == 0 {
		w.rollback()
	} else if err = w.commit(ctx); err != nil {
		w.rollback()
	}
	if err != nil {
		return nil, fmt.Errorf("upgrade board %q: nothing was changed: %w", path, explain(path, err))
	}
	return added, nil
}

// carryOver fills a column that was just added from what an older Hermes kept
// elsewhere, where the column named by needs is there.
var carryOver = []struct{ added, needs, statement string }{
	{"tasks.consecutive_failures", "spawn_failures",
		"UPDATE tasks SET consecutive_failures = spawn_failures WHERE spawn_failures IS NOT NULL"},
	{"tasks.last_failure_error", "last_spawn_error", "UPDATE tasks SET last_failure_error = last_spawn_error"},
	// Before there were modes, every subscriber but the terminal was woken too.
	{"kanban_notify_subs.delivery_mode", "platform",
		"UPDATE kanban_notify_subs SET delivery_mode = 'notify+wake' WHERE platform <> 'tui'"},
}

// addMissing adds what s lacks of the layout, inside the open transaction.
func (w *writer) addMissing(ctx context.Context, s schema) (added []string, err error) {
	add := func(name, statement string) {
		if err != nil {
			return
		}
		if _, err = w.conn.ExecContext(ctx, statement); err != nil {
			err = fmt.Errorf("add %s: %w", name, err)
			return
		}
		added = append(added, name)
	}
	for _, t := range layout {
		if s[t.name] == nil {
			add(t.name, t.create())
			continue
		}
		for _, c := range t.columns {
			if s.has(t.name, c.name) {
				continue
			}
			name := t.name + "." + c.name
			add(name, "ALTER TABLE "+t.name+" ADD COLUMN "+c.name+" "+c.declaration)
			for _, carry := range carryOver {
				if err == nil && carry.added == name && s.has(t.name, carry.needs) {
					_, err = w.conn.ExecContext(ctx, carry.statement)
				}
			}
		}
	}
	for _, i := range indexes {
		var there bool
		if err == nil {
			err = w.conn.QueryRowContext(ctx,
				"SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = ?", i[0]).Scan(&there)
		}
		if !there {
			add(i[0], "CREATE INDEX "+i[0]+" ON "+i[1]+"("+i[2]+")")
		}
	}
	return added, err
}
