package board_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func options() board.Options {
	return board.Options{
		Now:   func() int64 { return 1_750_000_000 },
		NewID: func() string { return "t_00000001" },
		Busy:  time.Second,
	}
}

// fresh creates a board and returns its path.
func fresh(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kanban.db")
	if err := board.Create(context.Background(), path, time.Second); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens the board and closes it when the test ends.
func open(t *testing.T, path string) *board.Board {
	t.Helper()
	b, err := board.Open(context.Background(), path, options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// listing is what a directory holds: each file with the digest of its bytes.
// The -shm file is SQLite's scratch and is only counted as present.
func listing(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if filepath.Ext(path) == ".db-shm" {
			out[path] = [32]byte{}
			return nil
		}
		data, err := os.ReadFile(path)
		out[path] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sharedBoard copies one of the boards that Hermes made into a folder of its
// own and skips the test where they are not at hand.
func sharedBoard(t *testing.T, name string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../../shared/boards", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the boards made by Hermes are not beside the project: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kanban.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLookingAtABoardOfAnyAgeLeavesItByteForByte(t *testing.T) {
	for _, name := range []string{"hermes-june.db", "hermes-july.db", "hermes-today.db"} {
		t.Run(name, func(t *testing.T) {
			path := sharedBoard(t, name)
			before := listing(t, filepath.Dir(path))
			b, err := board.Open(context.Background(), path, options())
			if err != nil {
				t.Fatal(err)
			}
			s, err := b.Snapshot(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if len(s.ByID) < 20 {
				t.Errorf("%d cards, want at least 20", len(s.ByID))
			}
			for id := range s.ByID {
				if _, err := b.Detail(context.Background(), id); err != nil {
					t.Error(err)
				}
			}
			if err := b.QuickCheck(context.Background()); err != nil {
				t.Error(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			after := listing(t, filepath.Dir(path))
			if len(after) != len(before) || after[path] != before[path] {
				t.Errorf("the folder changed: %d files before, %d after", len(before), len(after))
			}
		})
	}
}

func TestEveryCardStandsInExactlyOneColumn(t *testing.T) {
	b := open(t, sharedBoard(t, "hermes-today.db"))
	s, err := b.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range s.Columns {
		n += len(c.Cards)
	}
	if n != len(s.ByID) {
		t.Errorf("%d cards in columns, %d on the board", n, len(s.ByID))
	}
	if got := s.Count(core.Blocked); got != 5 {
		t.Errorf("%d blocked, want 5", got)
	}
}
