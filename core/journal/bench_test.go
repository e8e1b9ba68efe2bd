package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// cards makes n cards that work on runs 1 to n.
func (d *desk) cards(n int) {
	d.t.Helper()
	d.sql("BEGIN")
	for i := 1; i <= n; i++ {
		d.running(fmt.Sprintf("t_%d", i), int64(i))
	}
	d.sql("COMMIT")
}

// BenchmarkDurableCompletion compares the whole way of a result with the sum of
// its bare parts in the same run: a file that is written, synced and renamed
// with its directory synced, a commit that completes a card, and a rename. The
// parts take turns with the whole, so that both meet the same disk.
func BenchmarkDurableCompletion(b *testing.B) {
	d := newDesk(b)
	d.cards(2 * b.N)
	folder, err := d.Place.Make()
	d.must(err)
	defer folder.Close()
	data := []byte(plain("t_1", 1, "summary"))
	bare := b.TempDir()
	dir, err := os.Open(bare)
	d.must(err)
	defer dir.Close()
	var whole, record, commit, rename time.Duration
	clock := func(into *time.Duration, part func() error) {
		start := time.Now()
		d.must(part())
		*into += time.Since(start)
	}
	b.ResetTimer()
	for i := 1; i <= b.N; i++ {
		task := fmt.Sprintf("t_%d", i)
		clock(&whole, func() error {
			r, err := d.SubmitTo(ctx, folder, Record{Board: "default", Task: task, Run: int64(i), Result: new(`{"status":"completed"}`), Summary: new("summary")}, nil)
			if err == nil && r.Outcome != Applied {
				err = fmt.Errorf("%+v", r)
			}
			return err
		})
		path := filepath.Join(bare, task)
		clock(&record, func() error {
			f, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = f.Write(data)
			return errors.Join(err, f.Sync(), f.Close(), os.Rename(path+".tmp", path), dir.Sync())
		})
		clock(&commit, func() error {
			run := int64(b.N + i)
			return d.board.Complete(ctx, board.Completion{Target: board.Target{ID: fmt.Sprintf("t_%d", run), Run: &run}, Summary: new("summary")})
		})
		clock(&rename, func() error { return os.Rename(path, path+".committed") })
	}
	n := float64(b.N)
	parts := record + commit + rename
	b.ReportMetric(float64(whole.Microseconds())/n, "µs/whole")
	b.ReportMetric(float64(record.Microseconds())/n, "µs/record")
	b.ReportMetric(float64(commit.Microseconds())/n, "µs/commit")
	b.ReportMetric(float64(rename.Microseconds())/n, "µs/rename")
	b.ReportMetric(float64(whole)/float64(parts), "whole/parts")
}

// BenchmarkReplay brings many pending results to the board, ten thousand with
// HERMES_TUI_BENCH=full.
func BenchmarkReplay(b *testing.B) {
	n := 1000
	if os.Getenv("HERMES_TUI_BENCH") == "full" {
		n = 10_000
	}
	for b.Loop() {
		b.StopTimer()
		d := newDesk(b)
		d.cards(n)
		for i := 1; i <= n; i++ {
			task := fmt.Sprintf("t_%d", i)
			d.pendingFile(task, int64(i), plain(task, int64(i), "summary"))
		}
		b.StartTimer()
		start := time.Now()
		report, err := d.Replay(ctx, ReplayOptions{})
		d.must(err)
		if report.Replayed != n {
			b.Fatalf("replayed %d of %d", report.Replayed, n)
		}
		b.ReportMetric(float64(n)/time.Since(start).Seconds(), "results/s")
		start = time.Now()
		_, err = d.Replay(ctx, ReplayOptions{})
		d.must(err)
		b.ReportMetric(float64(time.Since(start).Microseconds()), "µs/idle")
	}
}
