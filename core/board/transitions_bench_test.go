package board_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// sizes are the boards that a transition is measured on. It must cost about the
// same on each; "x/1000" is the growth against the smallest.
var sizes = []int{1_000, 10_000, 50_000}

// spare is how many cards of its own a benchmark uses up before it sets them
// back.
const spare = 500

// grow runs a benchmark on every size. prepare sets the spare cards back, one
// is called with the number of a spare card.
func grow(b *testing.B, prepare func(*desk), one func(d *desk, i int) error) {
	var smallest float64
	for _, cards := range sizes {
		b.Run(fmt.Sprintf("%d cards", cards), func(b *testing.B) {
			d := deskAt(b, boardOf(b, b.TempDir(), cards/slower))
			d.sql("WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < ?) INSERT INTO tasks(id, title, assignee, status, created_at)"+
				" SELECT 't_spare' || i, 'spare', 'alice', 'ready', 1 FROM c", spare)
			d.sql("INSERT INTO task_links SELECT id, 't_child' || id FROM tasks WHERE title = 'spare'")
			d.sql("INSERT INTO tasks(id, title, status, created_at) SELECT 't_child' || id, 'child', 'todo', 1 FROM tasks WHERE title = 'spare'")
			prepare(d)
			i := 0
			for b.Loop() {
				if i == spare {
					b.StopTimer()
					prepare(d)
					i = 0
					b.StartTimer()
				}
				if err := one(d, i); err != nil {
					b.Fatal(err)
				}
				i++
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if cards == sizes[0] {
				smallest = each
			}
			if smallest > 0 {
				b.ReportMetric(each/smallest, "x/1000")
			}
		})
	}
}

func spareID(i int) board.Target { return at(fmt.Sprintf("t_spare%d", i)) }

// setBack makes the spare cards ready again, with nothing said about them.
func setBack(d *desk) {
	d.sql("DELETE FROM task_events WHERE task_id LIKE 't_spare%' OR task_id LIKE 't_childt%'")
	d.sql("DELETE FROM task_runs WHERE task_id LIKE 't_spare%'")
	d.sql("UPDATE tasks SET status = 'todo' WHERE title = 'child'")
	d.sql("UPDATE tasks SET status = 'ready', claim_lock = NULL, claim_expires = NULL, current_run_id = NULL, result = NULL WHERE title = 'spare'")
}

func BenchmarkComplete(b *testing.B) {
	done := "done"
	grow(b, setBack, func(d *desk, i int) error {
		return d.Complete(context.Background(), board.Completion{Target: spareID(i), Result: &done})
	})
}

func BenchmarkClaim(b *testing.B) {
	grow(b, setBack, func(d *desk, i int) error {
		_, err := d.Claim(context.Background(), board.ClaimRequest{Target: spareID(i), Lock: "here:1", Fresh: true})
		return err
	})
}

func BenchmarkCreate(b *testing.B) {
	grow(b, func(d *desk) { d.sql("DELETE FROM tasks WHERE title = 'new'") }, func(d *desk, i int) error {
		_, err := d.CreateTask(context.Background(), board.NewTask{Title: "new", Parents: []string{spareID(i).ID}})
		return err
	})
}

// BenchmarkRecompute looks at a board on which nothing may start any more.
func BenchmarkRecompute(b *testing.B) {
	settle := func(d *desk) {
		_, err := d.Recompute(context.Background(), 2)
		d.must(err)
	}
	grow(b, settle, func(d *desk, _ int) error {
		_, err := d.Recompute(context.Background(), 2)
		return err
	})
}

// BenchmarkRecomputeFirst moves a tenth of the board.
func BenchmarkRecomputeFirst(b *testing.B) {
	for _, cards := range sizes {
		b.Run(fmt.Sprintf("%d cards", cards), func(b *testing.B) {
			d := deskAt(b, boardOf(b, b.TempDir(), cards/slower))
			moved := 0
			for b.Loop() {
				b.StopTimer()
				d.sql("UPDATE tasks SET status = 'todo' WHERE rowid % 10 = 1")
				d.sql("UPDATE tasks SET status = 'done' WHERE rowid % 10 <> 1")
				b.StartTimer()
				ids, err := d.Recompute(context.Background(), 2)
				d.must(err)
				moved = len(ids)
			}
			b.ReportMetric(float64(moved), "moved")
		})
	}
}

// BenchmarkRows lists the ready cards.
func BenchmarkRows(b *testing.B) {
	for _, cards := range sizes {
		b.Run(fmt.Sprintf("%d cards", cards), func(b *testing.B) {
			d := deskAt(b, boardOf(b, b.TempDir(), cards/slower))
			for b.Loop() {
				if _, err := d.Rows(context.Background(), board.Filter{Statuses: []core.Status{core.Ready}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
