package board_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// unchanged checks that the folder holds what it held: the same files with the
// same bytes, but that an empty -wal may be gone and that a -shm, which is
// SQLite's scratch, may stand beside a -wal with content.
func unchanged(t *testing.T, dir string, before map[string][32]byte) {
	t.Helper()
	after := listing(t, dir)
	for path, digest := range before {
		now, there := after[path]
		empty := !there && strings.HasSuffix(path, "-wal")
		if !empty && now != digest {
			t.Errorf("%s changed or is gone", filepath.Base(path))
		}
	}
	for path := range after {
		if _, there := before[path]; there {
			continue
		}
		wal, err := os.Stat(strings.TrimSuffix(path, "-shm") + "-wal")
		if !strings.HasSuffix(path, "-shm") || err != nil || wal.Size() == 0 {
			t.Errorf("%s stayed behind", filepath.Base(path))
		}
	}
}

// lookAround opens the board, polls and reads it a hundred times and closes it.
// It returns the first error.
func lookAround(path string) (facts board.Facts, cards int, err error) {
	ctx := context.Background()
	b, err := board.Open(ctx, path, options())
	if err != nil {
		return facts, 0, err
	}
	facts = b.Facts()
	for range 100 {
		_, perr := b.Poll(ctx)
		s, serr := b.Snapshot(ctx)
		if s != nil {
			cards = len(s.ByID)
		}
		if err == nil {
			err = errors.Join(perr, serr)
		}
	}
	return facts, cards, errors.Join(err, b.QuickCheck(ctx), b.Close())
}

func TestAFileThatIsNoSoundBoardIsNamedAndLeftAlone(t *testing.T) {
	write := func(at int64, data []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(data, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	noise := make([]byte, 8192)
	rand.New(rand.NewSource(1)).Read(noise)
	cases := []struct {
		name  string
		spoil func(*testing.T, string)
		want  error
	}{
		{"empty", func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, board.ErrEmpty},
		{"missing", func(t *testing.T, path string) { must(t, os.Remove(path)) }, board.ErrMissing},
		{"without tables", func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.WriteFile(path, nil, 0o600))
			change(t, path, "CREATE TABLE x(a)", "DROP TABLE x")
		}, board.ErrNoTables},
		{"TLS record over the header", write(5, []byte("\x17\x03\x03\x00\x13")), board.ErrNotDatabase},
		{"text", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("hello\n", 900)), 0o600))
		}, board.ErrNotDatabase},
		{"damaged pages", write(3*4096, noise), board.ErrDamaged},
		{"shorter than its header says", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			must(t, err)
			must(t, os.Truncate(path, info.Size()-4096))
		}, board.ErrDamaged},
	}
	for _, mode := range []string{"delete", "wal"} {
		for _, c := range cases {
			t.Run(c.name+" "+mode, func(t *testing.T) {
				path := boardOf(t, t.TempDir(), 50)
				if mode == "wal" {
					toWAL(t, path)
				}
				c.spoil(t, path)
				before := listing(t, filepath.Dir(path))
				_, _, err := lookAround(path)
				if !errors.Is(err, c.want) {
					t.Errorf("error %v, want one that wraps %q", err, c.want)
				}
				if err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("the error does not name the path: %v", err)
				}
				if !board.Unusable(err) {
					t.Error("the board counts as usable")
				}
				unchanged(t, filepath.Dir(path), before)
			})
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestABoardMarkedReadOnlyIsFullyViewable(t *testing.T) {
	for _, mode := range []string{"delete", "wal"} {
		for _, wal := range []bool{false, true} {
			path := boardOf(t, t.TempDir(), 50)
			if mode == "wal" {
				toWAL(t, path)
			}
			if wal {
				must(t, os.WriteFile(path+"-wal", nil, 0o444))
			}
			must(t, os.Chmod(path, 0o444))
			before := listing(t, filepath.Dir(path))
			facts, cards, err := lookAround(path)
			if err != nil || cards != 50 {
				t.Errorf("%s, empty -wal %v: %d cards, %v", mode, wal, cards, err)
			}
			if live := mode == "delete" && !wal; facts.Live != live {
				t.Errorf("%s, empty -wal %v: live is %v, want %v", mode, wal, facts.Live, live)
			}
			unchanged(t, filepath.Dir(path), before)
			if after := listing(t, filepath.Dir(path)); len(after) != len(before) {
				t.Errorf("%s, empty -wal %v: %d files, were %d", mode, wal, len(after), len(before))
			}
		}
	}
}

func TestAFileShorterThanItsHeaderIsSoundWhileTheRestIsInTheWAL(t *testing.T) {
	path := fresh(t)
	toWAL(t, path)
	db := foreign(t, path, "wal_autocheckpoint(0)")
	run(t, db,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
		INSERT INTO tasks(id, title, body, status, created_at) SELECT 't_' || i, 'x', printf('%.*c', 5000, 'y'), 'todo', 1 FROM n`)
	// A checkpoint that was cut short: the header already counts all pages.
	crashed := filepath.Join(t.TempDir(), "kanban.db")
	wal, err := os.ReadFile(path + "-wal")
	must(t, err)
	run(t, db, "PRAGMA wal_checkpoint(PASSIVE)")
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(crashed, data[:len(data)-10*4096], 0o600))
	must(t, os.WriteFile(crashed+"-wal", wal, 0o600))
	before := listing(t, filepath.Dir(crashed))
	if _, cards, err := lookAround(crashed); err != nil || cards != 50 {
		t.Errorf("%d cards, %v; want 50 and no error", cards, err)
	}
	unchanged(t, filepath.Dir(crashed), before)
}

func TestLookingLeavesABoardOfEveryJournalModeAsItIs(t *testing.T) {
	cases := []struct {
		name    string
		prepare func(*testing.T, string)
		cards   int
		mode    string
	}{
		{"rollback journal", func(*testing.T, string) {}, 50, "delete"},
		{"rollback journal kept", func(t *testing.T, path string) {
			change(t, path, "PRAGMA journal_mode = PERSIST", "UPDATE tasks SET priority = 4")
		}, 50, "delete"},
		{"WAL, no -wal", toWALOf, 50, "wal"},
		{"WAL, empty -wal", func(t *testing.T, path string) {
			toWAL(t, path)
			must(t, os.WriteFile(path+"-wal", nil, 0o600))
		}, 50, "wal"},
		{"WAL, writer connected", func(t *testing.T, path string) {
			toWAL(t, path)
			child(t, "connected", path)
		}, 51, "wal"},
		{"WAL, writer killed", func(t *testing.T, path string) {
			toWAL(t, path)
			child(t, "connected", path)()
		}, 51, "wal"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := boardOf(t, t.TempDir(), 50)
			c.prepare(t, path)
			before := listing(t, filepath.Dir(path))
			facts, cards, err := lookAround(path)
			if err != nil || cards != c.cards {
				t.Errorf("%d cards, %v; want %d", cards, err, c.cards)
			}
			if facts.JournalMode != c.mode || !facts.Live {
				t.Errorf("facts %+v, want mode %s and live", facts, c.mode)
			}
			unchanged(t, filepath.Dir(path), before)
		})
	}
}

func toWALOf(t *testing.T, path string) { toWAL(t, path) }

func TestAWriteKeepsTheJournalMode(t *testing.T) {
	for _, mode := range []string{"delete", "wal"} {
		path := boardOf(t, t.TempDir(), 50)
		if mode == "wal" {
			toWAL(t, path)
		}
		b := open(t, path)
		must(t, b.Exec(context.Background(), "UPDATE tasks SET title = 'edited'"))
		must(t, b.Close())
		b = open(t, path)
		if got := b.Facts().JournalMode; got != mode {
			t.Errorf("journal mode %s, want %s", got, mode)
		}
		if s, err := b.Snapshot(context.Background()); err != nil || s.ByID["t_00000000"].Title != "edited" {
			t.Errorf("the edit is not there: %v", err)
		}
	}
}

func TestAnInterruptedWriteIsSeenAndRepairedByTheNextWrite(t *testing.T) {
	ctx := context.Background()
	path := boardOf(t, t.TempDir(), 50)
	watching := open(t, path) // since before the crash
	child(t, "writing", path)()
	if info, err := os.Stat(path + "-journal"); err != nil || info.Size() == 0 {
		t.Fatalf("the killed writer left no journal: %v", err)
	}
	before := listing(t, filepath.Dir(path))
	if _, err := board.Open(ctx, path, options()); !errors.Is(err, board.ErrInterrupted) || !strings.Contains(err.Error(), path) {
		t.Errorf("open: %v, want ErrInterrupted with the path", err)
	}
	if _, err := watching.Snapshot(ctx); !errors.Is(err, board.ErrInterrupted) {
		t.Errorf("snapshot: %v, want ErrInterrupted", err)
	}
	if _, err := watching.Poll(ctx); !errors.Is(err, board.ErrInterrupted) {
		t.Errorf("poll: %v, want ErrInterrupted", err)
	}
	unchanged(t, filepath.Dir(path), before)

	must(t, board.Recover(ctx, path, options().Busy))
	for name, b := range map[string]*board.Board{"opened before": watching, "opened after": open(t, path)} {
		s, err := b.Snapshot(ctx)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p := s.ByID["t_00000001"].Priority; p == 99 {
			t.Errorf("%s: the half write is still there", name)
		}
	}
	child(t, "writing", path)()
	must(t, watching.Exec(ctx, "UPDATE tasks SET priority = 3"))
	if s, err := watching.Snapshot(ctx); err != nil || s.ByID["t_00000001"].Priority != 3 {
		t.Errorf("the write did not repair and land: %v", err)
	}
	must(t, watching.QuickCheck(ctx))
}

func TestRecoverOnASoundBoardChangesNothing(t *testing.T) {
	path := boardOf(t, t.TempDir(), 5)
	before := listing(t, filepath.Dir(path))
	must(t, board.Recover(context.Background(), path, options().Busy))
	unchanged(t, filepath.Dir(path), before)
}

func TestABoardThatThisUserCannotWriteIsViewable(t *testing.T) {
	const nobody = 65534
	cases := []struct {
		name    string
		wal     bool
		prepare func(t *testing.T, dir, path string)
		cards   int
		live    bool
	}{
		{"file, rollback journal", false, func(t *testing.T, dir, path string) { must(t, os.Chmod(dir, 0o777)) }, 50, true},
		{"folder, rollback journal", false, func(t *testing.T, dir, path string) { must(t, os.Chmod(path, 0o666)) }, 50, true},
		{"file, WAL", true, func(t *testing.T, dir, path string) { must(t, os.Chmod(dir, 0o777)) }, 50, false},
		{"folder, WAL", true, func(t *testing.T, dir, path string) { must(t, os.Chmod(path, 0o666)) }, 50, false},
		{"folder, WAL, writer connected, -wal empty", true, func(t *testing.T, dir, path string) { child(t, "checkpointed", path) }, 51, true},
		{"folder, WAL, writer connected", true, func(t *testing.T, dir, path string) { child(t, "connected", path) }, 51, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := openFolder(t)
			path := boardOf(t, dir, 50)
			if c.wal {
				toWAL(t, path)
			}
			must(t, os.Chmod(path, 0o644))
			c.prepare(t, dir, path)
			before := listing(t, dir)
			saw := lookAs(t, nobody, path)
			if saw.Error != "" || saw.Cards != c.cards || saw.Facts.Live != c.live {
				t.Errorf("saw %+v, want %d cards, live %v", saw, c.cards, c.live)
			}
			unchanged(t, dir, before)
			if after := listing(t, dir); len(after) != len(before) {
				t.Errorf("%d files, were %d", len(after), len(before))
			}
		})
	}
}

func TestAWALThatThisUserCannotReadIsAnErrorAndNoOldBoard(t *testing.T) {
	dir := openFolder(t)
	path := boardOf(t, dir, 50)
	toWAL(t, path)
	child(t, "connected", path)()
	must(t, os.Remove(path+"-shm"))
	must(t, os.Chmod(path, 0o644))
	before := listing(t, dir)
	if saw := lookAs(t, 65534, path); saw.Error == "" || !strings.Contains(saw.Error, path) {
		t.Errorf("saw %+v, want an error with the path", saw)
	}
	unchanged(t, dir, before)
}

func TestAnyPathLeadsToItsOwnFile(t *testing.T) {
	for _, name := range []string{
		"a?mode=memory", "a#b", "100%25", "%41", "two  blanks ", "größe-板", "-leading", "semi;colon&_pragma=x", "quote'\"", "back\\slash",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			made := filepath.Join(boardDir(t, dir, "made"), "kanban.db")
			boardOf(t, filepath.Dir(made), 3)
			path := filepath.Join(boardDir(t, dir, name), name)
			must(t, os.Rename(made, path))
			before := listing(t, dir)
			if _, cards, err := lookAround(path); err != nil || cards != 3 {
				t.Errorf("%d cards, %v", cards, err)
			}
			unchanged(t, dir, before)
			b := open(t, path)
			must(t, b.Exec(context.Background(), "UPDATE tasks SET title = 'here'"))
			must(t, b.Close())
			other := filepath.Join(filepath.Dir(path), "new "+name)
			must(t, board.Create(context.Background(), other, options().Busy))
			if after := listing(t, dir); len(after) != 2 {
				t.Errorf("%d files in the folder, want two boards", len(after))
			}
		})
	}
}

func boardDir(t *testing.T, dir, name string) string {
	t.Helper()
	sub := filepath.Join(dir, "in "+name)
	must(t, os.MkdirAll(sub, 0o700))
	return sub
}

func TestASymbolicLinkLeadsToTheBoardAndItsWAL(t *testing.T) {
	home, link := t.TempDir(), filepath.Join(t.TempDir(), "link.db")
	path := boardOf(t, home, 50)
	toWAL(t, path)
	must(t, os.Symlink(path, link))
	child(t, "connected", path)()
	before := listing(t, home)
	if _, cards, err := lookAround(link); err != nil || cards != 51 {
		t.Errorf("%d cards, %v; want the one in the -wal too", cards, err)
	}
	unchanged(t, home, before)

	b := open(t, link)
	other := boardOf(t, t.TempDir(), 7)
	must(t, os.Remove(link))
	must(t, os.Symlink(other, link))
	if change, err := b.Poll(context.Background()); err != nil || change != board.Replaced {
		t.Errorf("poll after the link was changed: %v, %v", change, err)
	}
	unchanged(t, home, before)
}

func TestWhatIsNoRegularFileIsRefusedWithoutWaiting(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.db")
	must(t, syscall.Mkfifo(fifo, 0o600))
	dangling := filepath.Join(dir, "dangling.db")
	must(t, os.Symlink(filepath.Join(dir, "nothing"), dangling))
	for path, want := range map[string]error{
		dir: board.ErrNotDatabase, fifo: board.ErrNotDatabase, dangling: board.ErrMissing,
		filepath.Join(dir, "no", "such", "folder.db"): board.ErrMissing,
	} {
		if _, err := board.Open(context.Background(), path, options()); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("open %s: %v, want %v and the path", path, err, want)
		}
		if err := board.Recover(context.Background(), path, options().Busy); !errors.Is(err, want) {
			t.Errorf("recover %s: %v, want %v", path, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file came into being behind the dangling link")
	}
}
