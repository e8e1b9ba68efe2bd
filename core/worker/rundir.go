package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// RunDir is the folder <StateRoot>/<Board>/run, where leases and launch records
// lie. It is made with mode 0700 and entered without following links below the
// state root.
type RunDir struct {
	StateRoot string // absolute
	Board     string // slug
}

const (
	dirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fileFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
)

func fileName(task string, run int64, kind string) string {
	return task + "." + strconv.FormatInt(run, 10) + "." + kind
}

// open enters the folder. Looking makes nothing: without create a folder that
// is not there is an error that wraps fs.ErrNotExist.
func (d RunDir) open(create bool) (*os.File, error) {
	if create {
		if err := os.MkdirAll(d.StateRoot, 0o700); err != nil {
			return nil, fmt.Errorf("make the state root: %w", err)
		}
	}
	at, err := unix.Open(d.StateRoot, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("enter the state root %q: %w", d.StateRoot, err)
	}
	for _, name := range []string{d.Board, "run"} {
		next, err := enter(at, name, create)
		unix.Close(at)
		if err != nil {
			return nil, fmt.Errorf("enter %q below the state root %q: %w", name, d.StateRoot, err)
		}
		at = next
	}
	return os.NewFile(uintptr(at), d.StateRoot), nil
}

func enter(at int, name string, create bool) (int, error) {
	if create {
		if err := unix.Mkdirat(at, name, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
			return -1, err
		}
	}
	fd, err := unix.Openat(at, name, dirFlags, 0)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, err
	}
	if st.Mode&0o022 != 0 {
		// Whoever can write here can take leases away and forge launch records.
		unix.Close(fd)
		return -1, errors.New("others may write there; chmod it to 0700")
	}
	return fd, nil
}

// openAt opens a regular file in the folder.
func openAt(dir *os.File, name string, flags int) (*os.File, error) {
	fd, err := unix.Openat(int(dir.Fd()), name, flags|fileFlags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	return f, nil
}
