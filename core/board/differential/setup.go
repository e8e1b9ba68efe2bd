package differential

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// The operations below prepare a board by hand, as other programs and people
// do. They are no functions of the product and go through the test's own
// connection.

func advance(_ context.Context, p *Player, op Op) (any, error) {
	if n := number(op, "seconds"); n != nil {
		p.now += *n
	}
	return p.now, nil
}

func recordExit(_ context.Context, p *Player, op Op) (any, error) {
	if pid := number(op, "pid"); pid != nil {
		p.Procs.Died(*pid)
		p.Procs.Exits[*pid] = Exit{Code: number(op, "code"), Signal: number(op, "signal")}
	}
	return nil, nil
}

// setPID records a worker as a dispatcher does right after its start.
func setPID(ctx context.Context, p *Player, op Op) (any, error) {
	id, pid := p.ID(op, "id"), *number(op, "pid")
	if yes(op, "alive") {
		p.Procs.Born(pid)
	}
	mark := p.Procs.Fingerprint(pid)
	var run sql.NullInt64
	err := p.plain.QueryRowContext(ctx, "SELECT current_run_id FROM tasks WHERE id = ?", id).Scan(&run)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	said, err := json.Marshal(map[string]any{"pid": pid, "started_at": mark})
	if err != nil {
		return nil, err
	}
	return nil, p.run(ctx, []statement{
		{"UPDATE tasks SET worker_pid = ?, worker_started_at = ? WHERE id = ?", []any{pid, mark, id}},
		{"UPDATE task_runs SET worker_pid = ?, worker_started_at = ? WHERE id = ?", []any{pid, mark, run}},
		{"INSERT INTO task_events(task_id, run_id, kind, payload, created_at) VALUES(?, ?, 'spawned', ?, ?)", []any{id, run, string(said), p.now}},
	})
}

func subscribe(ctx context.Context, p *Player, op Op) (any, error) {
	return nil, p.run(ctx, []statement{{
		"INSERT OR IGNORE INTO kanban_notify_subs(task_id, platform, chat_id, created_at) VALUES(?, ?, ?, ?)",
		[]any{p.ID(op, "id"), text(op, "platform"), text(op, "chat_id"), p.now},
	}})
}

func runSQL(ctx context.Context, p *Player, op Op) (any, error) {
	var params []any
	if err := json.Unmarshal(op["params"], &params); err != nil {
		return nil, err
	}
	for i, v := range params {
		switch v := v.(type) {
		case string:
			params[i] = p.resolve(v)
		case float64:
			params[i] = int64(v)
		}
	}
	return nil, p.run(ctx, []statement{{text(op, "sql"), params}})
}

// backfill is what a Hermes process does when it opens a board: running cards
// without a run get one.
func backfill(ctx context.Context, p *Player, _ Op) (any, error) {
	rows, err := p.plain.QueryContext(ctx, "SELECT id FROM tasks WHERE status = 'running' AND current_run_id IS NULL ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []statement
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		all = append(all, statement{`INSERT INTO task_runs(task_id, profile, status, claim_lock, claim_expires, worker_pid,
				max_runtime_seconds, last_heartbeat_at, started_at)
			SELECT id, assignee, 'running', claim_lock, claim_expires, worker_pid, max_runtime_seconds, last_heartbeat_at,
				COALESCE(started_at, ?) FROM tasks WHERE id = ?`, []any{p.now, id}},
			statement{"UPDATE tasks SET current_run_id = (SELECT max(id) FROM task_runs WHERE task_id = ?) WHERE id = ?", []any{id, id}})
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return nil, p.run(ctx, all)
}

type statement struct {
	query string
	args  []any
}

// run carries out statements in one transaction of the test's own connection.
func (p *Player) run(ctx context.Context, all []statement) error {
	tx, err := p.plain.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, s := range all {
		if _, err := tx.ExecContext(ctx, s.query, s.args...); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}
