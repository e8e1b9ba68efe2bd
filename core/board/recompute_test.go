package board

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLookingAtAFewCardsNeverWalksOverTheBoard(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "kanban.db")
	if err := Create(ctx, path, time.Second); err != nil {
		t.Fatal(err)
	}
	b, err := Open(ctx, path, Options{Now: func() int64 { return 1 }, Busy: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = b.write(ctx, "explain", func(tx *tx) error {
		rows, err := tx.query("EXPLAIN QUERY PLAN "+tx.schema.freeQuery(theseCards), `["t_1"]`, 2)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				return err
			}
			if strings.HasPrefix(step, "SCAN") && !strings.HasPrefix(step, "SCAN wanted") || strings.Contains(step, "idx_tasks_status") {
				t.Errorf("the plan has the step %q", step)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
