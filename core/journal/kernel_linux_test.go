package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk puts the state root of a desk on a file system of its own.
func smallDisk(d *desk, options string) {
	d.t.Helper()
	if os.Getuid() != 0 {
		d.t.Skip("only root can mount a file system")
	}
	at := filepath.Join(d.t.TempDir(), "disk")
	d.must(os.Mkdir(at, 0o700))
	if err := unix.Mount("tmpfs", at, "tmpfs", 0, options); err != nil {
		d.t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	d.t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	d.Place.Root = filepath.Join(at, "lanes")
}

// fillUp takes all the space that is left.
func (d *desk) fillUp() {
	d.t.Helper()
	f, err := os.Create(filepath.Join(filepath.Dir(d.Place.Root), "filler"))
	d.must(err)
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); errors.Is(err, unix.ENOSPC) {
			return
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
}

// useInodes makes files until there is no room for another one.
func (d *desk) useInodes() {
	d.t.Helper()
	for n := 0; ; n++ {
		f, err := os.Create(filepath.Join(filepath.Dir(d.Place.Root), fmt.Sprint("file", n)))
		if errors.Is(err, unix.ENOSPC) {
			return
		}
		d.must(err)
		d.must(f.Close())
	}
}

func TestASlotHoldsTheResultOnAFullDisk(t *testing.T) {
	for name, c := range map[string]struct {
		options string
		full    func(*desk)
	}{
		"of blocks": {"size=9m", (*desk).fillUp},
		"of inodes": {"size=9m,nr_inodes=40", (*desk).useInodes},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.running("t_1", 1)
			d.running("t_2", 2)
			smallDisk(d, c.options)
			f := d.made()
			slot, err := f.Reserve("t_1", 1)
			d.must(err)
			c.full(d)
			big := result("t_2", 2, string(make([]byte, 20_000)))
			if err := f.Write(big, nil); !errors.Is(err, ErrNotDurable) || !errors.Is(err, unix.ENOSPC) {
				t.Errorf("without a slot: %v", err)
			}
			big.Task, big.Run = "t_1", 1
			d.must(f.Write(big, slot))
			d.must(slot.Close())
			d.replays("t_1 applied running-run")
			d.is("SELECT status FROM tasks WHERE id = 't_2'", "running", "SELECT count(*) FROM task_events", "1")
			// What was reserved and not needed is given back, and a failed attempt
			// leaves nothing.
			if err := f.Write(result("t_2", 2, "small"), nil); err != nil && name == "of blocks" {
				t.Errorf("after the slot was used: %v", err)
			}
		})
	}
}

func TestAReadOnlyDiskLosesNothing(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.running("t_2", 2)
	d.running("t_3", 3)
	smallDisk(d, "size=9m")
	f := d.made()
	d.must(f.Write(result("t_1", 1, "done"), nil))
	d.pendingFile("t_3", 3, "{")
	d.must(f.Close())
	at := filepath.Dir(d.Place.Root)
	d.must(unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	if _, err := d.Submit(ctx, result("t_2", 2, "done"), nil); !errors.Is(err, ErrNotDurable) {
		t.Errorf("written to a read-only disk: %v", err)
	}
	got := d.replay()
	if len(got) != 2 || got[0] != "t_1 applied running-run" || d.one("SELECT status FROM tasks WHERE id = 't_3'") != "running" {
		t.Errorf("replayed %q", got)
	}
	rows := d.rows()
	if got := d.replay(); len(got) != 2 || got[0] != "t_1 already" || d.rows() != rows {
		t.Errorf("again: %q", got)
	}
	d.must(unix.Mount("", at, "", unix.MS_REMOUNT, ""))
	d.replays("t_1 already", "t_3 quarantined malformed-payload")
	d.is("SELECT count(*) FROM task_events WHERE kind = 'completed'", "1", "SELECT status FROM tasks WHERE id = 't_2'", "running")
}
