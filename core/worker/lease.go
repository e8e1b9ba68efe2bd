package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrLeaseHeld: a process of that very run is still there.
var ErrLeaseHeld = errors.New("the lease is held")

// LeaseState is the answer of a look at a lease.
type LeaseState int

// Held proves that a process of the run lives: a stopped one holds it too, and
// the kernel frees it however the last of them ends. Free proves nothing by
// itself, because many programs close what they inherit.
const (
	LeaseUnknown LeaseState = iota // it could not be looked at
	LeaseFree
	LeaseHeld
)

// String names the state.
func (s LeaseState) String() string {
	switch s {
	case LeaseFree:
		return "free"
	case LeaseHeld:
		return "held"
	}
	return "unknown"
}

// A look takes the lock for a moment, so a starter tries more than once.
const (
	leaseTries = 25
	leasePause = 20 * time.Millisecond
)

// takeLease locks the lease file of a run, which is made if it is not there. The
// lock belongs to the open file and not to a process: whoever inherits the file
// holds it, and it is never unlocked, only closed.
func (d RunDir) takeLease(ctx context.Context, task string, run int64, sleep func(context.Context, time.Duration) error) (*os.File, error) {
	if err := checkNames(d.Board, task, run); err != nil {
		return nil, err
	}
	dir, err := d.open(true)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, err := openAt(dir, fileName(task, run, "lease"), unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return nil, err
	}
	for range leaseTries {
		if err = flock(f, unix.LOCK_EX); !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		if err := sleep(ctx, leasePause); err != nil {
			f.Close()
			return nil, fmt.Errorf("take the lease of run %d of card %q: %w", run, task, err)
		}
	}
	if err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrLeaseHeld
		}
		return nil, fmt.Errorf("take the lease of run %d of card %q: %w", run, task, err)
	}
	return f, nil
}

// Lease looks whether a process holds the lease of a run. A run without a lease
// file, as all those that Hermes starts, has nobody who holds it. Two looks do
// not see each other.
func (d RunDir) Lease(task string, run int64) LeaseState {
	if checkNames(d.Board, task, run) != nil {
		return LeaseUnknown
	}
	dir, err := d.open(false)
	if err != nil {
		return absent(err)
	}
	defer dir.Close()
	f, err := openAt(dir, fileName(task, run, "lease"), unix.O_RDONLY)
	if err != nil {
		return absent(err)
	}
	defer f.Close()
	switch err := flock(f, unix.LOCK_SH); {
	case err == nil:
		return LeaseFree
	case errors.Is(err, unix.EWOULDBLOCK):
		return LeaseHeld
	}
	return LeaseUnknown
}

func absent(err error) LeaseState {
	if errors.Is(err, fs.ErrNotExist) {
		return LeaseFree
	}
	return LeaseUnknown
}

// flock tries once, and once more for each signal that interrupts it.
func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
