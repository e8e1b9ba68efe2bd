package board_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// openFiles lists what this process has open under dir, as the system names
// it: a file without a name ends in " (deleted)".
func openFiles(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("this system does not list open files: %v", err)
	}
	var out []string
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(target, dir+"/") {
			out = append(out, strings.TrimPrefix(target, dir+"/"))
		}
	}
	return out
}

func noDeleted(t *testing.T, dir string) {
	t.Helper()
	for _, name := range openFiles(t, dir) {
		if strings.HasSuffix(name, "(deleted)") {
			t.Errorf("still open: %s", name)
		}
	}
}

func poll(t *testing.T, b *board.Board, want board.Change) {
	t.Helper()
	got, err := b.Poll(context.Background())
	if err != nil || got != want {
		t.Errorf("poll: %v, %v; want %v", got, err, want)
	}
}

func cardsOf(t *testing.T, b *board.Board) int {
	t.Helper()
	s, err := b.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return len(s.ByID)
}

// replace puts the board at from in the place of the one at path, as a restore
// does: rename it over and remove what belonged to the old one.
func replace(t *testing.T, from, path string) {
	t.Helper()
	must(t, os.Rename(from, path))
	_ = os.Remove(path + "-wal")
	_ = os.Remove(path + "-shm")
}

// bothModes runs the test on a board of 5 cards in either journal mode, beside
// another board of 9 cards in the same folder.
func bothModes(t *testing.T, fn func(t *testing.T, path, other string)) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			path, other := boardOf(t, dir, 9), filepath.Join(dir, "other.db")
			must(t, os.Rename(path, other))
			path = boardOf(t, dir, 5)
			if mode == "wal" {
				toWAL(t, path)
				toWAL(t, other)
			}
			fn(t, path, other)
		})
	}
}

func TestPollSeesEveryCommitOnce(t *testing.T) {
	bothModes(t, func(t *testing.T, path, _ string) {
		b := open(t, path)
		poll(t, b, board.Same)
		db := foreign(t, path)
		run(t, db, "UPDATE tasks SET priority = 1")
		poll(t, b, board.Changed)
		poll(t, b, board.Same)
		must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = 2"))
		poll(t, b, board.Changed)
		poll(t, b, board.Same)
		run(t, db, "BEGIN IMMEDIATE", "UPDATE tasks SET priority = 3", "ROLLBACK")
		poll(t, b, board.Same)
	})
}

func TestPollFollowsASwitchOfTheJournalMode(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	b := open(t, path)
	db := foreign(t, path)
	run(t, db, "PRAGMA journal_mode = WAL", "UPDATE tasks SET priority = 1")
	poll(t, b, board.Changed)
	if mode := b.Facts().JournalMode; mode != "wal" {
		t.Errorf("journal mode %s, want wal", mode)
	}
	before := listing(t, filepath.Dir(path))
	must(t, b.Close())
	unchanged(t, filepath.Dir(path), before)
}

func TestAReplacedBoardIsOpenedAnew(t *testing.T) {
	bothModes(t, func(t *testing.T, path, other string) {
		b := open(t, path)
		must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = 1"))
		task, err := b.Task(context.Background(), "t_00000003")
		must(t, err)
		saw := task.See()

		replace(t, other, path)
		if err := b.Exec(context.Background(), "UPDATE tasks SET priority = 2"); !errors.Is(err, board.ErrReplaced) {
			t.Errorf("a write after the swap: %v, want ErrReplaced", err)
		}
		poll(t, b, board.Replaced)
		poll(t, b, board.Same)
		if n := cardsOf(t, b); n != 9 {
			t.Errorf("%d cards, want the 9 of the new file", n)
		}
		noDeleted(t, filepath.Dir(path))
		if b.Generation() != 1 {
			t.Errorf("generation %d, want 1", b.Generation())
		}
		if _, err := b.Comment(context.Background(), board.Target{ID: task.ID, Seen: &saw}, "ann", "late"); !errors.Is(err, core.ErrChanged) {
			t.Errorf("a write prepared before the swap: %v, want ErrChanged", err)
		}
		must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = 2"))
	})
}

func TestTheQueueOfAReplacedBoardIsThatOfTheNewOne(t *testing.T) {
	bothModes(t, func(t *testing.T, path, other string) {
		ctx, b := context.Background(), open(t, path)
		change(t, other, "DELETE FROM task_links")
		replace(t, other, path)
		poll(t, b, board.Replaced)
		queue, err := b.Queue(ctx, core.Ready, []string{"agent-3"})
		must(t, err)
		if len(queue) != 1 {
			t.Fatalf("%d cards wait, want the ready one", len(queue))
		}
		seen := queue[0].See()
		if _, err := b.Claim(ctx, board.ClaimRequest{Target: board.Target{ID: queue[0].ID, Seen: &seen}, Lock: "here:1"}); err != nil {
			t.Errorf("a card that was read from the new file: %v", err)
		}
		running, err := b.RunningCards(ctx)
		must(t, err)
		detail, err := b.Detail(ctx, queue[0].ID)
		must(t, err)
		if len(running) != 2 || running[0].Task.Generation != 1 || detail.Task.Generation != 1 {
			t.Errorf("%d cards run; generation %d and %d, want 1", len(running), running[0].Task.Generation, detail.Task.Generation)
		}
	})
}

func TestASwapSparesTheWALOfTheNewFile(t *testing.T) {
	bothModes(t, func(t *testing.T, path, other string) {
		b := open(t, path)
		must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = 1"))
		cardsOf(t, b)
		// The new board comes with a -wal that a killed writer has left.
		toWAL(t, other)
		child(t, "connected", other)()
		must(t, os.Rename(other, path))
		must(t, os.Rename(other+"-wal", path+"-wal"))
		must(t, os.Rename(other+"-shm", path+"-shm"))
		before := listing(t, filepath.Dir(path))
		poll(t, b, board.Replaced)
		if n := cardsOf(t, b); n != 10 {
			t.Errorf("%d cards, want the 9 of the new file and the one in its -wal", n)
		}
		noDeleted(t, filepath.Dir(path))
		must(t, b.Close())
		unchanged(t, filepath.Dir(path), before)
	})
}

func TestACopyPutInPlaceUnderTheSameWALIsFollowed(t *testing.T) {
	dir := t.TempDir()
	path := boardOf(t, dir, 5)
	toWAL(t, path)
	data, err := os.ReadFile(path)
	must(t, err)
	b := open(t, path)
	child(t, "connected", path)()
	poll(t, b, board.Changed)
	copied := filepath.Join(dir, "copied.db")
	must(t, os.WriteFile(copied, data, 0o600))
	must(t, os.Rename(copied, path))
	before := listing(t, dir)
	poll(t, b, board.Replaced)
	if n := cardsOf(t, b); n != 6 {
		t.Errorf("%d cards, want 6", n)
	}
	noDeleted(t, dir)
	must(t, b.Close())
	unchanged(t, dir, before)
}

func TestAWALThatIsTakenAwayIsNoticed(t *testing.T) {
	for name, writer := range map[string]bool{"looked only": false, "written too": true} {
		t.Run(name, func(t *testing.T) {
			path := boardOf(t, t.TempDir(), 5)
			toWAL(t, path)
			b := open(t, path)
			if writer {
				must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = 1"))
			}
			must(t, os.Remove(path+"-wal"))
			must(t, os.Remove(path+"-shm"))
			if err := b.Exec(context.Background(), "UPDATE tasks SET priority = 2"); !errors.Is(err, board.ErrReplaced) {
				t.Errorf("a write into a -wal without a name: %v, want ErrReplaced", err)
			}
			// Another program goes on with a -wal of its own and is killed.
			child(t, "connected", path)()
			before := listing(t, filepath.Dir(path))
			poll(t, b, board.Replaced)
			if n := cardsOf(t, b); n != 6 {
				t.Errorf("%d cards, want 6", n)
			}
			noDeleted(t, filepath.Dir(path))
			must(t, b.Close())
			after := listing(t, filepath.Dir(path))
			if after[path+"-wal"] != before[path+"-wal"] {
				t.Error("the other program's -wal was touched")
			}
		})
	}
}

func TestAVanishedBoardStaysReadableAndMayComeBack(t *testing.T) {
	bothModes(t, func(t *testing.T, path, other string) {
		b := open(t, path)
		away := filepath.Join(t.TempDir(), "away")
		must(t, os.Rename(path, away))
		for range 3 {
			if _, err := b.Poll(context.Background()); !errors.Is(err, board.ErrMissing) || !strings.Contains(err.Error(), path) {
				t.Errorf("poll: %v, want ErrMissing with the path", err)
			}
		}
		if n := cardsOf(t, b); n != 5 {
			t.Errorf("%d cards, want the last board", n)
		}
		if err := b.Exec(context.Background(), "UPDATE tasks SET priority = 2"); !errors.Is(err, board.ErrMissing) {
			t.Errorf("write: %v, want ErrMissing", err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Error("a file came into being")
		}
		must(t, os.Rename(away, path))
		poll(t, b, board.Same)
		must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = 2"))
		poll(t, b, board.Changed)

		must(t, os.Remove(path))
		replace(t, other, path)
		poll(t, b, board.Replaced)
		if n := cardsOf(t, b); n != 9 {
			t.Errorf("%d cards, want the 9 of the new file", n)
		}
		noDeleted(t, filepath.Dir(path))
	})
}

func TestADamagedReplacementLeavesTheLastBoardReadable(t *testing.T) {
	bothModes(t, func(t *testing.T, path, other string) {
		b := open(t, path)
		must(t, os.WriteFile(other, []byte(strings.Repeat("no board", 1000)), 0o600))
		replace(t, other, path)
		for range 3 {
			if _, err := b.Poll(context.Background()); !errors.Is(err, board.ErrNotDatabase) {
				t.Errorf("poll: %v, want ErrNotDatabase", err)
			}
		}
		if n := cardsOf(t, b); n != 5 {
			t.Errorf("%d cards, want the last board", n)
		}
		if err := b.Exec(context.Background(), "UPDATE tasks SET priority = 2"); !errors.Is(err, board.ErrReplaced) {
			t.Errorf("write: %v, want ErrReplaced", err)
		}
		if err := b.QuickCheck(context.Background()); !errors.Is(err, board.ErrNotDatabase) {
			t.Errorf("check: %v, want ErrNotDatabase", err)
		}
	})
}

func TestAReaderOfTheOldFileSparesTheJournalOfTheNewOne(t *testing.T) {
	dir := t.TempDir()
	path, other := boardOf(t, dir, 9), filepath.Join(dir, "other.db")
	must(t, os.Rename(path, other))
	path = boardOf(t, dir, 5)
	b := open(t, path)
	must(t, os.Rename(other, path))
	child(t, "writing", path) // in the middle of its transaction
	before := listing(t, dir)
	_, _ = b.Snapshot(context.Background()) // before any poll
	unchanged(t, dir, before)
}

func TestABoardThatIsNotLiveFollowsTheFile(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	toWAL(t, path)
	// What another program will write: the -wal of a copy.
	data, err := os.ReadFile(path)
	must(t, err)
	twin := filepath.Join(t.TempDir(), "kanban.db")
	must(t, os.WriteFile(twin, data, 0o600))
	child(t, "connected", twin)()

	must(t, os.Chmod(path, 0o444))
	b := open(t, path)
	if f := b.Facts(); f.Live || f.JournalMode != "wal" {
		t.Fatalf("facts %+v, want a WAL board that is not live", f)
	}
	poll(t, b, board.Same)
	must(t, os.Rename(twin+"-wal", path+"-wal"))
	poll(t, b, board.Changed)
	if n := cardsOf(t, b); n != 6 || !b.Facts().Live {
		t.Errorf("%d cards, live %v; want 6 and live", n, b.Facts().Live)
	}
	if b.Generation() != 0 {
		t.Error("the same file counts as another one")
	}
}

func TestThousandsOfRefreshesKeepTheNumberOfOpenFiles(t *testing.T) {
	bothModes(t, func(t *testing.T, path, _ string) {
		b := open(t, path)
		db := foreign(t, path)
		var early int
		for i := range 2000 / slower {
			if i%10 == 0 {
				run(t, db, "UPDATE tasks SET priority = priority + 1")
				poll(t, b, board.Changed)
			} else {
				poll(t, b, board.Same)
			}
			cardsOf(t, b)
			if i == 20 {
				early = len(openFiles(t, filepath.Dir(path)))
			}
		}
		if late := len(openFiles(t, filepath.Dir(path))); late != early {
			t.Errorf("%d open files at the end, %d at the start", late, early)
		}
	})
}

func TestManySwapsKeepTheNumberOfOpenFiles(t *testing.T) {
	bothModes(t, func(t *testing.T, path, other string) {
		b := open(t, path)
		good, err := os.ReadFile(other)
		must(t, err)
		for range 50 {
			must(t, b.Exec(context.Background(), "UPDATE tasks SET priority = priority + 1"))
			must(t, os.WriteFile(other, good, 0o600))
			replace(t, other, path)
			poll(t, b, board.Replaced)
			noDeleted(t, filepath.Dir(path))
		}
		if n := len(openFiles(t, filepath.Dir(path))); n > 6 {
			t.Errorf("%d open files", n)
		}
	})
}

func TestAClosedBoardStaysClosed(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	b := open(t, path)
	must(t, b.Close())
	must(t, b.Close())
	ctx := context.Background()
	_, polled := b.Poll(ctx)
	_, read := b.Snapshot(ctx)
	wrote := b.Exec(ctx, "UPDATE tasks SET priority = 2")
	for what, err := range map[string]error{"poll": polled, "read": read, "write": wrote} {
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s after close: %v", what, err)
		}
	}
	if b.Facts().JournalMode != "" {
		t.Error("a closed board has facts")
	}
	if n := len(openFiles(t, filepath.Dir(path))); n != 0 {
		t.Errorf("%d files still open", n)
	}
}

func TestACancelledReadLeavesTheBoardUsable(t *testing.T) {
	b := open(t, boardOf(t, t.TempDir(), 5))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Snapshot(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("snapshot: %v, want context.Canceled", err)
	}
	if _, err := b.Poll(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("poll: %v, want context.Canceled", err)
	}
	poll(t, b, board.Same)
	if n := cardsOf(t, b); n != 5 {
		t.Errorf("%d cards", n)
	}
}
