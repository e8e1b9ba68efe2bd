package lane

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// onSmallDisk puts the state folder of a bench on a file system of its own.
func onSmallDisk(b *bench) string {
	b.t.Helper()
	if os.Getuid() != 0 {
		b.t.Skip("only root can mount a file system")
	}
	at := filepath.Join(filepath.Dir(b.Workspace), "disk")
	b.must(os.Mkdir(at, 0o700))
	if err := unix.Mount("tmpfs", at, "tmpfs", 0, "size=9m"); err != nil {
		b.t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	b.t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	b.Place.StateRoot = filepath.Join(at, "lanes")
	b.Journal.Place = journal.Place{Root: b.Place.StateRoot, Slug: b.Place.Slug, DB: b.Place.DB}
	b.After = func(d time.Duration) <-chan time.Time {
		out := make(chan time.Time, 1)
		if d == keepPause {
			out <- time.Time{}
		}
		return out
	}
	return at
}

const fillsUp = `head -c 100000000 /dev/zero > ../disk/filler 2>/dev/null; `

func TestADiskThatFillsUpWhileTheAgentWorksDoesNotTakeItsResult(t *testing.T) {
	b := newBench(t, sh("one", fillsUp+`: > ../disk/more 2>/dev/null; echo x > ../disk/more 2>/dev/null && : > roomy; `+doneScript))
	onSmallDisk(b)
	if d := b.work(0); d.Task.Status != core.Done || d.Runs[0].Outcome != core.Completed {
		t.Errorf("card %+v", d.Task)
	}
	if _, err := os.Stat(filepath.Join(b.Workspace, "roomy")); err == nil {
		t.Error("the disk was not full, so nothing was proven")
	}
	if list, err := b.Journal.List(t.Context(), ""); err != nil || len(list.Committed) != 1 {
		t.Errorf("journals %+v, %v", list, err)
	}
}

func TestADiskThatWasFullBeforeTheAgentBeganMayHaveRoomWhenItIsDone(t *testing.T) {
	b := newBench(t, sh("one", "rm ../disk/filler; "+doneScript))
	at := onSmallDisk(b)
	b.must(os.MkdirAll(b.Place.StateRoot, 0o700))
	filler, err := os.Create(filepath.Join(at, "filler"))
	b.must(err)
	b.must(unix.Fallocate(int(filler.Fd()), 0, 0, 8<<20))
	b.must(filler.Close())
	if d := b.work(0); d.Task.Status != core.Done {
		t.Errorf("card %+v", d.Task)
	}
	b.logged("no room could be reserved")
}
