package board_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// firstRelease makes a board as the first ones were: counters under their old
// names, no attachments, events without a run.
func firstRelease(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kanban.db")
	must(t, os.WriteFile(path, nil, 0o600))
	change(t, path,
		`CREATE TABLE tasks(id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT, assignee TEXT, status TEXT NOT NULL,
			priority INTEGER DEFAULT 0, created_by TEXT, created_at INTEGER NOT NULL, started_at INTEGER, completed_at INTEGER,
			workspace_kind TEXT NOT NULL DEFAULT 'scratch', workspace_path TEXT, claim_lock TEXT, claim_expires INTEGER,
			tenant TEXT, result TEXT, idempotency_key TEXT, spawn_failures INTEGER NOT NULL DEFAULT 0, worker_pid INTEGER,
			last_spawn_error TEXT, max_runtime_seconds INTEGER, last_heartbeat_at INTEGER)`,
		`CREATE TABLE task_links(parent_id TEXT NOT NULL, child_id TEXT NOT NULL, PRIMARY KEY(parent_id, child_id))`,
		`CREATE TABLE task_comments(id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, author TEXT NOT NULL,
			body TEXT NOT NULL, created_at INTEGER NOT NULL)`,
		`CREATE TABLE task_events(id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, kind TEXT NOT NULL,
			payload TEXT, created_at INTEGER NOT NULL)`,
		`CREATE TABLE kanban_notify_subs(task_id TEXT NOT NULL, platform TEXT NOT NULL, chat_id TEXT NOT NULL,
			thread_id TEXT NOT NULL DEFAULT '', user_id TEXT, created_at INTEGER NOT NULL,
			last_event_id INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(task_id, platform, chat_id, thread_id))`,
		`CREATE INDEX idx_tasks_status ON tasks(status)`,
		`INSERT INTO tasks(id, title, status, created_at, spawn_failures, last_spawn_error) VALUES
			('t_00000001', 'one', 'blocked', 10, 2, 'no such program'), ('t_00000002', 'two', 'ready', 20, 0, NULL)`,
		`INSERT INTO task_events(task_id, kind, payload, created_at) VALUES('t_00000001', 'blocked', '{"reason": "why"}', 11)`,
		`INSERT INTO task_comments(task_id, author, body, created_at) VALUES('t_00000001', 'ann', 'hm', 12)`,
		`INSERT INTO kanban_notify_subs(task_id, platform, chat_id, created_at) VALUES
			('t_00000001', 'telegram', '7', 13), ('t_00000001', 'tui', '8', 13)`)
	return path
}

func TestABoardOfTheFirstReleaseIsShownAndNotDispatched(t *testing.T) {
	path := firstRelease(t)
	before := listing(t, filepath.Dir(path))
	b := open(t, path)
	for _, want := range []string{"tasks.current_run_id", "tasks.consecutive_failures", "tasks.max_retries", "task_runs.id", "task_events.run_id"} {
		if !slices.Contains(b.Facts().Lacking, want) {
			t.Errorf("%s is not reported as lacking", want)
		}
	}
	s, err := b.Snapshot(context.Background())
	must(t, err)
	if c := s.ByID["t_00000001"]; c.Title != "one" || c.BlockReason != "why" || c.Comments != 1 || s.Count(core.Ready) != 1 {
		t.Errorf("card %+v", c)
	}
	d, err := b.Detail(context.Background(), "t_00000001")
	must(t, err)
	if len(d.Events) != 1 || len(d.Comments) != 1 {
		t.Errorf("detail %+v", d)
	}
	if rows, err := b.Rows(context.Background(), board.Filter{}); err != nil || len(rows) != 2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	must(t, b.Close())
	unchanged(t, filepath.Dir(path), before)
}

func TestUpgradeAddsWhatIsMissingAndNothingElse(t *testing.T) {
	ctx := context.Background()
	boards := map[string]func(*testing.T) string{
		"first release": firstRelease,
		"June":          func(t *testing.T) string { return sharedBoard(t, "hermes-june.db") },
		"July":          func(t *testing.T) string { return sharedBoard(t, "hermes-july.db") },
	}
	tables := []string{"tasks", "task_links", "task_comments", "task_events"}
	for name, make := range boards {
		t.Run(name, func(t *testing.T) {
			path := make(t)
			db := foreign(t, path)
			had := map[string][]string{}
			columns := map[string]string{}
			for _, table := range tables {
				var list string
				must(t, db.QueryRow("SELECT group_concat(name) FROM pragma_table_info('"+table+"')").Scan(&list))
				columns[table], had[table] = list, contents(t, db, table, list)
			}
			must(t, db.Close())
			mode := journalMode(t, path)

			added, err := board.Upgrade(ctx, path, time.Second)
			must(t, err)
			if len(added) == 0 {
				t.Error("nothing was added")
			}
			b := open(t, path)
			if f := b.Facts(); len(f.Lacking) != 0 {
				t.Errorf("still lacking %v", f.Lacking)
			}
			must(t, b.Close())
			db = foreign(t, path)
			for _, table := range tables {
				if diff := cmp.Diff(had[table], contents(t, db, table, columns[table])); diff != "" {
					t.Errorf("%s changed: %s", table, diff)
				}
			}
			must(t, db.Close())
			if now := journalMode(t, path); now != mode {
				t.Errorf("journal mode %s, was %s", now, mode)
			}
			missing := cmp.Diff(only(shape(t, fresh(t), false)), only(shape(t, path, false)))
			if lost := lines(missing, "-"); len(lost) != 0 {
				t.Errorf("not as a new board: %v", lost)
			}

			before := listing(t, filepath.Dir(path))
			again, err := board.Upgrade(ctx, path, time.Second)
			if err != nil || len(again) != 0 {
				t.Errorf("a second upgrade added %v, %v", again, err)
			}
			unchanged(t, filepath.Dir(path), before)
		})
	}
}

// only keeps what an upgrade must bring about: every column and every named index.
func only(shape []string) (out []string) {
	for _, line := range shape {
		if !strings.HasPrefix(line, "sqlite_") {
			out = append(out, line)
		}
	}
	return out
}

func lines(diff, sign string) (out []string) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, sign) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func journalMode(t *testing.T, path string) string {
	t.Helper()
	db := foreign(t, path)
	var mode string
	must(t, db.QueryRow("PRAGMA journal_mode").Scan(&mode))
	must(t, db.Close())
	return mode
}

func TestUpgradeCarriesCountersAndSubscriptionsOver(t *testing.T) {
	path := firstRelease(t)
	_, err := board.Upgrade(context.Background(), path, time.Second)
	must(t, err)
	task, err := open(t, path).Task(context.Background(), "t_00000001")
	must(t, err)
	if task.Failures != 2 || task.LastError != "no such program" {
		t.Errorf("failures %d, error %q", task.Failures, task.LastError)
	}
	got := contents(t, foreign(t, path), "kanban_notify_subs ORDER BY platform", "platform, delivery_mode")
	if diff := cmp.Diff([]string{"[telegram notify+wake]", "[tui notify]"}, got); diff != "" {
		t.Error(diff)
	}
	// What was decided since stays.
	change(t, path, "UPDATE tasks SET consecutive_failures = 0", "UPDATE kanban_notify_subs SET delivery_mode = 'notify'")
	_, err = board.Upgrade(context.Background(), path, time.Second)
	must(t, err)
	if got := contents(t, foreign(t, path), "kanban_notify_subs", "delivery_mode"); !slices.Equal(got, []string{"[notify]", "[notify]"}) {
		t.Errorf("a second upgrade changed subscriptions: %v", got)
	}
}

func TestAFailedUpgradeChangesNothing(t *testing.T) {
	path := firstRelease(t)
	// An index of ours cannot be made where a table has its name.
	change(t, path, "CREATE TABLE idx_events_run(x)")
	before := listing(t, filepath.Dir(path))
	if added, err := board.Upgrade(context.Background(), path, time.Second); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("upgrade: %v, %v; want an error with the path", added, err)
	}
	unchanged(t, filepath.Dir(path), before)
	for name, spoil := range map[error]func(string) error{
		board.ErrMissing: os.Remove,
		board.ErrEmpty:   func(p string) error { return os.WriteFile(p, nil, 0o600) },
	} {
		must(t, spoil(path))
		if _, err := board.Upgrade(context.Background(), path, time.Second); !errors.Is(err, name) {
			t.Errorf("upgrade: %v, want %v", err, name)
		}
	}
}
