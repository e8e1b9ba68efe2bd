package home

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// ErrHeld: somebody else holds the lock at this moment.
var ErrHeld = errors.New("locked by another process")

// lockPoll is how often a wait looks again, as Hermes does.
const lockPoll = 50 * time.Millisecond

// Lock is an exclusive flock on a file. The kernel drops it when the process
// ends, however it ends, so there is no stale lock and nothing to steal. The
// file itself stays: it is never deleted, because two processes could then
// hold a lock on two files of one name.
type Lock struct{ file *os.File }

// TryLock takes the lock on a file, which is created if it is not there, with
// the same rights as Hermes gives it. It does not wait: a held lock wraps
// ErrHeld. Any other error means that nobody can know who holds it, and that
// the caller must not go on as if it had it.
func TryLock(path string) (*Lock, error) {
	return lock(path, os.O_CREATE)
}

// LockExisting is TryLock without creating the file. One that is not there
// wraps fs.ErrNotExist.
func LockExisting(path string) (*Lock, error) {
	return lock(path, 0)
}

// WaitLock is TryLock that looks again every 50 ms while the lock is held,
// until bound is used up (the error wraps ErrHeld) or ctx ends (it wraps the
// cause). sleep waits for a duration or until the context ends.
func WaitLock(ctx context.Context, path string, bound time.Duration, sleep func(context.Context, time.Duration) error) (*Lock, error) {
	for left := bound; ; left -= lockPoll {
		l, err := TryLock(path)
		if !errors.Is(err, ErrHeld) || left <= 0 {
			return l, err
		}
		if err := sleep(ctx, min(left, lockPoll)); err != nil {
			return nil, fmt.Errorf("wait for the lock %q: %w", path, err)
		}
	}
}

func lock(path string, flags int) (*Lock, error) {
	// One of several processes may replace the file between opening and
	// locking it; then the lock is on a file without a name and worth nothing.
	for range 3 {
		f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|flags, 0o666)
		if err != nil {
			return nil, fmt.Errorf("open the lock file: %w", err)
		}
		if err := flock(f, unix.LOCK_EX); err != nil {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, fmt.Errorf("%w: %q", ErrHeld, path)
			}
			return nil, fmt.Errorf("lock %q: %w", path, err)
		}
		if named(path, f) {
			return &Lock{file: f}, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("lock %q: the file is being replaced by somebody; look who does that", path)
}

// Release gives the lock back. The file and its text stay.
func (l *Lock) Release() error { return l.file.Close() }

// flock tries once, and once more for each signal that interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// named reports whether f is a regular file and still the one that path names.
func named(path string, f *os.File) bool {
	open, err := f.Stat()
	if err != nil || !open.Mode().IsRegular() {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(open, there)
}

// Holder is who holds a lock of ours, as its file says.
type Holder struct {
	PID     int   `json:"pid"`
	Started int64 `json:"started"` // seconds since the epoch
}

// WriteHolder replaces the text of a lock file that is held, so that others can
// name the holder.
func (l *Lock) WriteHolder(h Holder) error {
	err := l.file.Truncate(0)
	if err == nil {
		_, err = l.file.WriteAt(append(encode(h), '\n'), 0)
	}
	if err != nil {
		return fmt.Errorf("write the holder into %q: %w", l.file.Name(), err)
	}
	return nil
}

// ReadHolder returns what a lock file says of its holder. The text outlives the
// holder, so it means something only while the lock is held, and even then it
// is a name to show and no process to signal.
func ReadHolder(path string) (Holder, error) {
	data, err := readFile(path, 4096, unix.O_NOFOLLOW)
	if err != nil {
		return Holder{}, fmt.Errorf("read the holder of a lock: %w", err)
	}
	var h Holder
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&h); err != nil || h.PID <= 0 {
		return Holder{}, fmt.Errorf("read the holder of a lock: %q does not say {pid, started}", path)
	}
	return h, nil
}

// GatewayHolds reports whether a Hermes gateway dispatches on this home. An
// error means that it cannot be known.
func (h *Home) GatewayHolds() (bool, error) { return Held(h.GatewayLock()) }

// heldShared asks for a shared lock and gives it back at once. Two of these do
// not see each other, but for a moment they can be in the way of somebody who
// takes the lock exclusively.
func heldShared(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = flock(f, unix.LOCK_SH)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// MachineLock is held by a dispatcher of this program while it counts the running
// cards of all boards of this home and claims what that count allows.
func (h *Home) MachineLock() string { return filepath.Join(h.Root, ".hermes-tui.lock") }
