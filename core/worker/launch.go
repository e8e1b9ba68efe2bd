package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Launch says that a dispatcher of ours is about to start a worker. The record
// is written before the claim commits and removed once the worker's pid is on
// the board. A claim without a pid whose record is still there was made by a
// dispatcher that died in between; a claim without a record was made by hand.
type Launch struct {
	Task        string `json:"task"`
	Run         int64  `json:"run"`
	ClaimerPID  int64  `json:"claimer_pid"`
	Fingerprint string `json:"claimer_fingerprint"` // as package process writes it
	Time        int64  `json:"time"`                // seconds since the epoch
	// Once says that the dispatcher was to run a single tick. Such a record stays
	// until the run has ended: the end of that dispatcher is nothing that its
	// workers went down with.
	Once bool `json:"once,omitempty"`
}

// launchLimit in bytes; a record is far smaller.
const launchLimit = 4096

// WriteLaunch makes the record durable: when it returns, neither a crash nor a
// power cut leaves the claim without it.
func (d RunDir) WriteLaunch(l Launch) error {
	if err := checkNames(d.Board, l.Task, l.Run); err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("write the launch record of card %q: %w", l.Task, err)
	}
	dir, err := d.open(true)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := writeFile(dir, fileName(l.Task, l.Run, "launch.json"), append(text, '\n')); err != nil {
		return fmt.Errorf("write the launch record of card %q: %w", l.Task, err)
	}
	return nil
}

// writeFile replaces the file in one step: whole or not at all.
func writeFile(dir *os.File, name string, data []byte) error {
	at, temporary := int(dir.Fd()), name+".tmp"
	// What a crash left of an earlier attempt; of a run there is one writer.
	if err := unix.Unlinkat(at, temporary, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	f, err := openAt(dir, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := unix.Renameat(at, temporary, at, name); err != nil {
		return err
	}
	return dir.Sync()
}

// RemoveLaunch takes the record away. One that is not there is no error.
func (d RunDir) RemoveLaunch(task string, run int64) error {
	if err := checkNames(d.Board, task, run); err != nil {
		return err
	}
	dir, err := d.open(false)
	if err == nil {
		defer dir.Close()
		err = unix.Unlinkat(int(dir.Fd()), fileName(task, run, "launch.json"), 0)
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove the launch record of card %q: %w", task, err)
	}
	return nil
}

// ReadLaunch returns the record of a run. The error wraps fs.ErrNotExist when
// there is none. Any other error means that it is not known.
func (d RunDir) ReadLaunch(task string, run int64) (Launch, error) {
	if err := checkNames(d.Board, task, run); err != nil {
		return Launch{}, err
	}
	dir, err := d.open(false)
	if err != nil {
		return Launch{}, err
	}
	defer dir.Close()
	f, err := openAt(dir, fileName(task, run, "launch.json"), unix.O_RDONLY)
	if err != nil {
		return Launch{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, launchLimit))
	if err != nil {
		return Launch{}, fmt.Errorf("read the launch record of card %q: %w", task, err)
	}
	var l Launch
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&l); err != nil || l.Task != task || l.Run != run {
		return Launch{}, fmt.Errorf("the launch record %q in %q is not one of run %d; remove it", f.Name(), dir.Name(), run)
	}
	return l, nil
}
