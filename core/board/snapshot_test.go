package board_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func snapshot(t *testing.T, b *board.Board) *core.Snapshot {
	t.Helper()
	s, err := b.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range s.Columns {
		n += len(c.Cards)
	}
	if n < len(s.ByID) {
		t.Errorf("%d cards in columns, %d by id", n, len(s.ByID))
	}
	return s
}

func TestBoardsOfEveryAgeSayWhatTheyLack(t *testing.T) {
	for _, name := range []string{"hermes-june.db", "hermes-july.db", "hermes-today.db"} {
		t.Run(name, func(t *testing.T) {
			b := open(t, sharedBoard(t, name))
			if f := b.Facts(); len(f.Lacking) != 0 || len(f.Unknown) != 0 {
				t.Errorf("facts %+v, want a board that can be dispatched and has nothing new", f)
			}
			if s := snapshot(t, b); s.Count(core.Other) != 0 || s.NewestEvent == 0 {
				t.Errorf("%d cards of unknown status, newest event %d", s.Count(core.Other), s.NewestEvent)
			}
		})
	}
}

func TestColumnsAndTablesOfANewerHermesDoNoHarm(t *testing.T) {
	path := fresh(t)
	change(t, path,
		"ALTER TABLE tasks ADD COLUMN claim_epoch INTEGER NOT NULL DEFAULT 0",
		"ALTER TABLE tasks ADD COLUMN metadata TEXT",
		"ALTER TABLE tasks ADD COLUMN seen_at DATETIME",
		`ALTER TABLE task_runs ADD COLUMN "odd ""name" TEXT`,
		"CREATE TABLE kanban_outbox(id INTEGER PRIMARY KEY, payload TEXT NOT NULL)",
		"INSERT INTO tasks(id, title, status, created_at, seen_at) VALUES('t_b37a', 'plain', 'todo', 5, '2026-01-02 03:04:05')")
	b := open(t, path)
	want := []string{`task_runs.odd "name`, "tasks.claim_epoch", "tasks.metadata", "tasks.seen_at"}
	if diff := cmp.Diff(want, b.Facts().Unknown); diff != "" {
		t.Error(diff)
	}
	if c := snapshot(t, b).ByID["t_b37a"]; c == nil || c.Title != "plain" || c.Odd != nil {
		t.Errorf("card %+v", c)
	}
	rows, err := b.Rows(context.Background(), board.Filter{})
	must(t, err)
	data, err := json.Marshal(rows)
	must(t, err)
	if !strings.Contains(string(data), `"claim_epoch":0,"metadata":null,"seen_at":"2026-01-02 03:04:05"`) {
		t.Errorf("row %s", data)
	}
}

func TestASnapshotFollowsASchemaThatChanges(t *testing.T) {
	b := open(t, firstRelease(t))
	snapshot(t, b)
	_, err := board.Upgrade(context.Background(), b.Path(), options().Busy)
	must(t, err)
	poll(t, b, board.Changed)
	if c := snapshot(t, b).ByID["t_00000001"]; c.Failures != 2 {
		t.Errorf("failures %d after the upgrade, want 2", c.Failures)
	}
	if lacking := b.Facts().Lacking; len(lacking) != 0 {
		t.Errorf("still lacking %v", lacking)
	}
	change(t, b.Path(), "DROP TABLE tasks")
	if _, err := b.Snapshot(context.Background()); err == nil || !strings.Contains(err.Error(), b.Path()) {
		t.Errorf("snapshot without tasks: %v", err)
	}
}

func TestAHostileBoardIsShownAsFarAsItGoes(t *testing.T) {
	path := fresh(t)
	change(t, path,
		"INSERT INTO tasks(id, title, status, created_at) VALUES('t_good', 'good', 'ready', 5)",
		`INSERT INTO tasks(id, title, status, created_at, priority, worker_pid, max_retries, consecutive_failures)
			VALUES('t_text', 'text in numbers', 'running', 'yesterday', 'high', 'not a pid', 'many', 3.7)`,
		"INSERT INTO tasks(id, title, status, created_at, claim_expires) VALUES('t_blob', x'66ff6f', 'done', x'00', x'ffff')",
		"INSERT INTO tasks(id, title, status, created_at) VALUES('t_future', 'new', 'paused', 9223372036854775807)",
		"INSERT INTO tasks(id, title, status, created_at) VALUES('t_status', 'blob', CAST('ready' AS BLOB), 9e999)",
		"INSERT INTO tasks(id, title, status, created_at) VALUES('t_utf8', CAST(x'c328a0ff' AS TEXT), 'todo', -9e999)",
		"INSERT INTO tasks(id, title, status, created_at, result) VALUES('t_big', printf('%.*c', 1000000, 'x'), 'done', 7, printf('%.*c', 1000000, 'y'))",
		"INSERT INTO tasks(id, title, status, created_at) VALUES(NULL, 'no id', 'todo', 8), (x'745f676f6f64', 'blob id', 'todo', 8)",
		"INSERT INTO tasks(id, title, status, created_at, current_run_id) VALUES('t_run', 'x', 'blocked', 8, 'nine')",
		"INSERT INTO tasks(id, title, status, created_at) VALUES('t_none', '', '', 8)",
		"INSERT INTO task_links VALUES('t_gone', 't_good'), ('t_utf8', 't_good'), ('t_good', 't_good'), (x'00ff', 't_good')",
		"INSERT INTO task_runs(task_id, status, started_at) VALUES(x'ff', 'running', 'now'), ('t_run', 'x', x'01')",
		"INSERT INTO task_events(task_id, kind, payload, created_at) VALUES('t_run', 'blocked', '{\"reason\": 7, \"error\": \"text\"}', 'x'), (x'ff', x'fe', x'fd', x'fc')",
		"INSERT INTO task_events(task_id, kind, payload, created_at) VALUES('t_run', 'heartbeat', 'no json [', 1)",
		"INSERT INTO task_comments(task_id, author, body, created_at) VALUES(x'ff', x'fe', x'fd', x'fc'), ('t_good', x'fe', 5, 'z')")
	b := open(t, path)
	s := snapshot(t, b)
	odd := func(id string, want ...string) {
		t.Helper()
		c := s.ByID[id]
		if c == nil {
			t.Fatalf("%q is not on the board", id)
		}
		slices.Sort(c.Odd)
		if diff := cmp.Diff(want, c.Odd); diff != "" {
			t.Errorf("%q: odd columns: %s", id, diff)
		}
	}
	odd("t_text", "created_at", "max_retries", "priority", "worker_pid")
	odd("t_blob", "claim_expires", "created_at", "title")
	odd("t_future")
	odd("t_status", "status")
	odd("t_utf8")
	odd("t_run", "current_run_id")
	if c := s.ByID["t_text"]; c.CreatedAt != 0 || c.WorkerPID != 0 || c.Failures != 3 {
		t.Errorf("numbers from texts: %+v", c)
	}
	if c := s.ByID["t_big"]; utf8.RuneCountInString(c.Title) != 400 || len(c.Summary) != 200 {
		t.Errorf("title of %d, summary of %d characters", utf8.RuneCountInString(c.Title), len(c.Summary))
	}
	if n := s.Count(core.Other); n != 3 {
		t.Errorf("%d cards of other status, want 3", n)
	}
	if c := s.ByID["t_run"]; c.BlockReason != "text" {
		t.Errorf("reason %q", c.BlockReason)
	}
	if len(s.Events) != 3 {
		t.Errorf("%d events, want 3", len(s.Events))
	}
	for id := range s.ByID {
		if _, err := b.Detail(context.Background(), id); err != nil && id != "" {
			t.Errorf("detail of %q: %v", id, err)
		}
	}
	rows, err := b.Rows(context.Background(), board.Filter{Archived: true})
	must(t, err)
	if data, err := json.Marshal(rows); err != nil || !utf8.Valid(data) {
		t.Errorf("listing: %v", err)
	}
}

func TestALinkToADeletedCardHoldsNothingBack(t *testing.T) {
	path := fresh(t)
	change(t, path,
		"INSERT INTO tasks(id, title, status, created_at) VALUES('t_p', 'p', 'todo', 5), ('t_c', 'c', 'todo', 5), ('t_d', 'd', 'done', 5), ('t_a', 'a', 'archived', 5)",
		"INSERT INTO task_links VALUES('t_gone', 't_c'), ('t_p', 't_c'), ('t_a', 't_c'), ('t_c', 't_gone'), ('t_p', 't_d')")
	s := snapshot(t, open(t, path))
	if c := s.ByID["t_c"]; c.Parents != 2 || c.OpenParents != 1 || c.WaitsFor != "t_p" || c.Children != 0 {
		t.Errorf("child %+v", c)
	}
	if p := s.ByID["t_p"]; p.Children != 2 || p.DoneChildren != 1 {
		t.Errorf("parent %+v", p)
	}
}

func TestTablesWithoutTheColumnsWeCountOnAreLeftOut(t *testing.T) {
	path := fresh(t)
	change(t, path, "DROP TABLE tasks", "DROP TABLE task_runs", "DROP TABLE task_links", "DROP TABLE task_comments", "DROP TABLE task_events",
		"CREATE TABLE tasks(title)", "CREATE TABLE task_runs(x)", "CREATE TABLE task_links(x)", "CREATE TABLE task_comments(x)",
		"CREATE TABLE task_events(id TEXT, task_id TEXT)", "INSERT INTO tasks VALUES('alone')", "INSERT INTO task_events VALUES('x', 'y')")
	s := snapshot(t, open(t, path))
	if s.Count(core.Other) != 1 {
		t.Errorf("%d cards, want the one", s.Count(core.Other))
	}
}

func TestACardShowsItsRunAndItsReason(t *testing.T) {
	path := boardOf(t, t.TempDir(), 30)
	s := snapshot(t, open(t, path))
	if c := s.ByID["t_00000004"]; c.Status != core.Running || c.RunID != 5 || c.RunStarted != 1_700_000_104 || c.Attempts != 1 || c.WorkerPID != 1004 {
		t.Errorf("running card %+v", c)
	}
	if c := s.ByID["t_00000005"]; c.BlockReason != "which colour?" || c.Parents != 1 {
		t.Errorf("blocked card %+v", c)
	}
	if c := s.ByID["t_00000003"]; c.Comments != 1 || c.Summary != "" {
		t.Errorf("ready card %+v", c)
	}
	if c := s.ByID["t_00000008"]; c.Summary == "" || c.CompletedAt == 0 {
		t.Errorf("done card %+v", c)
	}
	if s.TakenAt != 1_750_000_000 || s.NewestEvent != 90 || len(s.Events) != 90 || s.Events[0].ID != 1 {
		t.Errorf("taken %d, newest %d, %d events", s.TakenAt, s.NewestEvent, len(s.Events))
	}
}

func TestTheSummaryOfAnAgentsObjectIsShownInWords(t *testing.T) {
	path := fresh(t)
	change(t, path, `INSERT INTO tasks(id, title, status, created_at, result) VALUES
		('t_1', 'x', 'done', 1, '{"status": "completed", "summary": "Done and checked"}'),
		('t_2', 'x', 'done', 1, '{"status": "completed", "result": 5}'), ('t_3', 'x', 'done', 1, '{torn'), ('t_4', 'x', 'done', 1, 'plain')`)
	s, err := open(t, path).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"t_1": "Done and checked", "t_2": `{"status": "completed", "result": 5}`, "t_3": "{torn", "t_4": "plain",
	} {
		if got := s.ByID[id].Summary; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
