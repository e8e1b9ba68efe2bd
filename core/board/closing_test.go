package board_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestClosingAfterLookingDoesNotCheckpointWhatOthersWrote(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	toWAL(t, path)
	b := open(t, path)            // while there is no -wal
	child(t, "connected", path)() // writes and is killed, so we are the last
	before := listing(t, filepath.Dir(path))
	poll(t, b, board.Changed)
	if n := cardsOf(t, b); n != 6 {
		t.Errorf("%d cards, want 6", n)
	}
	must(t, b.QuickCheck(context.Background()))
	must(t, b.Close())
	unchanged(t, filepath.Dir(path), before)
}

func TestClosingAfterAWriteIsANormalClose(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	toWAL(t, path)
	b := open(t, path)
	must(t, b.Exec(context.Background(), "UPDATE tasks SET title = 'mine'"))
	must(t, b.Close())
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			t.Errorf("%s stayed behind", suffix)
		}
	}
	if n := len(openFiles(t, filepath.Dir(path))); n != 0 {
		t.Errorf("%d files still open", n)
	}
	if s, err := open(t, path).Snapshot(context.Background()); err != nil || s.ByID["t_00000000"].Title != "mine" {
		t.Errorf("the write is not there: %v", err)
	}
}

func TestABusyBoardIsWaitedForAndThenReported(t *testing.T) {
	bothModes(t, func(t *testing.T, path, _ string) {
		opt := options()
		opt.Busy = 50 * time.Millisecond
		b, err := board.Open(context.Background(), path, opt)
		must(t, err)
		defer b.Close()
		db := foreign(t, path)
		run(t, db, "BEGIN IMMEDIATE")
		err = b.Exec(context.Background(), "UPDATE tasks SET title = 'mine'")
		if !errors.Is(err, board.ErrBusy) || board.Unusable(err) {
			t.Errorf("write: %v, want ErrBusy on a usable board", err)
		}
		poll(t, b, board.Same)
		run(t, db, "ROLLBACK")
		if s, err := b.Snapshot(context.Background()); err != nil || s.ByID["t_00000000"].Title == "mine" {
			t.Errorf("something was saved: %v", err)
		}
		must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = priority + 100"))
		if s, err := b.Snapshot(context.Background()); err != nil || s.ByID["t_00000001"].Priority != 101 {
			t.Errorf("the write did not land once: %v", err)
		}
	})
}

func TestAWriteWaitsUntilTheLockIsGone(t *testing.T) {
	bothModes(t, func(t *testing.T, path, _ string) {
		opt := options()
		opt.Busy = time.Minute
		b, err := board.Open(context.Background(), path, opt)
		must(t, err)
		defer b.Close()
		db := foreign(t, path)
		run(t, db, "BEGIN IMMEDIATE")
		done := make(chan error)
		go func() { done <- b.Exec(context.Background(), "UPDATE tasks SET priority = priority + 100") }()
		run(t, db, "COMMIT")
		must(t, <-done)
		if s, err := b.Snapshot(context.Background()); err != nil || s.ByID["t_00000001"].Priority != 101 {
			t.Errorf("the write did not land once: %v", err)
		}
	})
}

func TestTheCallersDeadlineEndsTheWait(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	opt := options()
	opt.Busy = 10 * time.Second
	b, err := board.Open(context.Background(), path, opt)
	must(t, err)
	defer b.Close()
	run(t, foreign(t, path), "BEGIN EXCLUSIVE")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := b.Exec(ctx, "UPDATE tasks SET title = 'mine'"); err == nil {
		t.Error("a write under a foreign lock succeeded")
	}
	if _, err := b.Snapshot(ctx); err == nil {
		t.Error("a read under an exclusive lock succeeded")
	}
}
