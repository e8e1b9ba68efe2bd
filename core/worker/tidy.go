package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Tidy removes the leases and launch records of runs that have ended. A lease
// that anybody holds stays, because its holder may still write into the
// workspace. A folder that is not there is no error.
func (d RunDir) Tidy(ended func(task string, run int64) bool) error {
	dir, err := d.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	for _, name := range names {
		task, run, kind, ok := parseFileName(name)
		if !ok || checkNames(d.Board, task, run) != nil || !ended(task, run) {
			continue
		}
		// Once a run has ended nobody takes its lease any more.
		if kind == "lease" && d.Lease(task, run) != LeaseFree {
			continue
		}
		if e := unix.Unlinkat(int(dir.Fd()), name, 0); e != nil && !errors.Is(e, unix.ENOENT) {
			err = errors.Join(err, fmt.Errorf("remove %q: %w", name, e))
		}
	}
	if err != nil {
		return fmt.Errorf("tidy up after ended runs in %q: %w", dir.Name(), err)
	}
	return nil
}

// parseFileName is the inverse of fileName.
func parseFileName(name string) (task string, run int64, kind string, ok bool) {
	task, rest, found := strings.Cut(name, ".")
	number, kind, more := strings.Cut(rest, ".")
	run, err := strconv.ParseInt(number, 10, 64)
	known := kind == "lease" || kind == "launch.json"
	return task, run, kind, found && more && err == nil && known && name == fileName(task, run, kind)
}
