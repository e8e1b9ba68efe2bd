package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/hermes-tui/hermes-tui/core/process"
)

// openLog opens LOGS/TASKID.log for a new run: turned over if it has grown too
// big, appended to, and marked, so that the end of an earlier run is never taken
// for that of this one.
func openLog(dir, task string, run, rotateBytes int64, backups int) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the logs: %w", err)
	}
	path := filepath.Join(dir, task+".log")
	rotate(path, rotateBytes, backups)
	// A log holds whatever the worker prints, which may be secrets.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of the worker: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil {
		mark := process.RunMark(task, run) + "\n"
		if info.Size() > 0 {
			mark = "\n" + mark // the last run may have ended within a line
		}
		_, err = f.WriteString(mark)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("begin the log %q of the worker: %w", path, err)
	}
	return f, nil
}

// rotate makes room when the log is bigger than limit bytes: .log becomes
// .log.1, .log.1 becomes .log.2 and so on up to backups, and without backups it
// is removed. A log that cannot be turned over goes on growing: that is no
// reason not to start a worker. Zero and negative limits never turn it over.
func rotate(path string, limit int64, backups int) {
	info, err := os.Lstat(path)
	if err != nil || limit <= 0 || !info.Mode().IsRegular() || info.Size() <= limit {
		return
	}
	if backups <= 0 {
		_ = os.Remove(path)
		return
	}
	name := func(i int) string { return path + "." + strconv.Itoa(i) }
	for i := backups - 1; i >= 1; i-- {
		_ = os.Rename(name(i), name(i+1))
	}
	_ = os.Rename(path, name(1))
}
