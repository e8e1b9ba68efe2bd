package board_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestABackupHasWhatTheBoardHasIncludingItsWAL(t *testing.T) {
	bothModes(t, func(t *testing.T, path, _ string) {
		want := 5
		if journalMode(t, path) == "wal" {
			child(t, "connected", path)
			want = 6
		}
		must(t, os.Chmod(path, 0o600))
		b := open(t, path)
		before := listing(t, filepath.Dir(path))
		dest := filepath.Join(t.TempDir(), "copy?.db")
		must(t, b.Backup(context.Background(), dest))
		if n := cardsOf(t, b); n != want {
			t.Errorf("%d cards on the board, want %d", n, want)
		}
		must(t, b.Close())
		unchanged(t, filepath.Dir(path), before)

		if files := listing(t, filepath.Dir(dest)); len(files) != 1 {
			t.Errorf("%d files, want the copy alone", len(files))
		}
		if info, err := os.Stat(dest); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("permissions %v, %v; want those of the board", info.Mode(), err)
		}
		copied := open(t, dest)
		if n := cardsOf(t, copied); n != want {
			t.Errorf("%d cards in the copy, want %d", n, want)
		}
		must(t, copied.QuickCheck(context.Background()))
	})
}

func TestABackupNeverOverwritesAndLeavesNothingHalfDone(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	b := open(t, path)
	dir := t.TempDir()
	dest := filepath.Join(dir, "copy.db")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.Backup(cancelled, dest); !errors.Is(err, context.Canceled) {
		t.Errorf("backup: %v, want context.Canceled", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	must(t, os.WriteFile(dest, []byte("precious"), 0o600))
	if err := b.Backup(context.Background(), dest); !errors.Is(err, board.ErrExists) {
		t.Errorf("backup: %v, want ErrExists", err)
	}
	if data, err := os.ReadFile(dest); err != nil || string(data) != "precious" {
		t.Errorf("the file that was there holds %q, %v", data, err)
	}
}
