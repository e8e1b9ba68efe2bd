package board_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// shape describes the schema of a board, one line for each column and index:
// name, type, NOT NULL, default and place in the key.
func shape(t *testing.T, path string, ordered bool) []string {
	t.Helper()
	db := foreign(t, path)
	place := "0"
	if ordered {
		place = "c.cid"
	}
	rows, err := db.Query(`SELECT x FROM (
		SELECT printf('%s.%s %d %s notnull=%d default=%s pk=%d', m.name, c.name, ` + place + `, c.type, c."notnull", c.dflt_value, c.pk) AS x
		FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'
		UNION ALL
		SELECT printf('%s on %s(%s) unique=%d', i.name, m.name, (SELECT group_concat(name) FROM pragma_index_info(i.name)), i."unique")
		FROM sqlite_master AS m, pragma_index_list(m.name) AS i WHERE m.type = 'table') ORDER BY x`)
	must(t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		out = append(out, line)
	}
	must(t, rows.Err())
	must(t, rows.Close())
	must(t, db.Close())
	return out
}

func TestANewBoardHasTheSchemaOfAHermesOfToday(t *testing.T) {
	want := shape(t, sharedBoard(t, "hermes-today.db"), true)
	if diff := cmp.Diff(want, shape(t, fresh(t), true)); diff != "" {
		t.Errorf("the schema differs (-Hermes +ours):\n%s", diff)
	}
}

func TestANewBoardIsEmptySoundAndInRollbackMode(t *testing.T) {
	path := fresh(t)
	b := open(t, path)
	f := b.Facts()
	if f.JournalMode != "delete" || !f.Live || len(f.Lacking) != 0 || len(f.Unknown) != 0 {
		t.Errorf("facts %+v", f)
	}
	if n := cardsOf(t, b); n != 0 {
		t.Errorf("%d cards", n)
	}
	must(t, b.QuickCheck(context.Background()))
	must(t, b.Close())
	if files := listing(t, filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files beside the board", len(files)-1)
	}
	var sequences int
	must(t, foreign(t, path).QueryRow("SELECT count(*) FROM sqlite_sequence").Scan(&sequences))
}

func TestCreatingNeverTouchesWhatIsThere(t *testing.T) {
	for name, there := range map[string]string{
		"a board": "kanban.db", "the -wal of a lost board": "kanban.db-wal", "the -journal of a lost board": "kanban.db-journal",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, there), []byte("precious"), 0o600))
			before := listing(t, dir)
			err := board.Create(context.Background(), filepath.Join(dir, "kanban.db"), time.Second)
			if !errors.Is(err, board.ErrExists) || !strings.Contains(err.Error(), there) {
				t.Errorf("create: %v, want ErrExists with the path", err)
			}
			unchanged(t, dir, before)
		})
	}
}

func TestCreatingWhereNoFolderIsMakesNone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "no", "kanban.db")
	if err := board.Create(context.Background(), path, time.Second); !errors.Is(err, os.ErrNotExist) || errors.Is(err, board.ErrExists) {
		t.Errorf("create: %v", err)
	}
	if _, err := os.Lstat(filepath.Dir(path)); err == nil {
		t.Error("the folder came into being")
	}
}

func TestOneOfManyCreatorsWins(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "kanban.db")
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { errs[i] = board.Create(context.Background(), path, time.Second) })
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, board.ErrExists):
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d creators won", won)
		}
		if files := listing(t, filepath.Dir(path)); len(files) != 1 {
			t.Errorf("%d files, want the board alone", len(files))
		}
	}
}

func TestAKilledCreatorLeavesNoHalfBoard(t *testing.T) {
	want := shape(t, fresh(t), true)
	for range 5 {
		dir := t.TempDir()
		child(t, "creating", dir)()
		boards, err := filepath.Glob(filepath.Join(dir, "*", "kanban.db"))
		must(t, err)
		if len(boards) == 0 {
			t.Error("no board was made")
		}
		for _, path := range boards {
			if diff := cmp.Diff(want, shape(t, path, true)); diff != "" {
				t.Errorf("half a board: %s", diff)
			}
		}
	}
}

func TestACancelledCreationLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := board.Create(ctx, filepath.Join(dir, "kanban.db"), time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v, want context.Canceled", err)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// contents are all rows of a table in a comparable form, some columns left out.
func contents(t *testing.T, db *sql.DB, table, columns string) []string {
	t.Helper()
	rows, err := db.Query("SELECT " + columns + " FROM " + table)
	must(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	must(t, err)
	var out []string
	for rows.Next() {
		values := make([]any, len(names))
		dest := make([]any, len(names))
		for i := range values {
			dest[i] = &values[i]
		}
		must(t, rows.Scan(dest...))
		out = append(out, fmt.Sprint(values))
	}
	must(t, rows.Err())
	return out
}
