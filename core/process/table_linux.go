package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// wallStart: start times are clock ticks since boot and do not move with the
// wall clock.
const wallStart = false

// startUnits are the units of Identity.Start in one second. The kernel shows
// ticks of a hundredth on every system that Go runs on.
const startUnits = 100

func (t *Table) read(name string) ([]byte, error) {
	proc := t.Proc
	if proc == nil {
		proc = os.DirFS("/proc")
	}
	return fs.ReadFile(proc, name)
}

// readOf reads a file of a process. A missing entry is no proof where processes
// of others are hidden (mount option hidepid): the kernel is asked again, by a
// probe that is no signal.
func (t *Table) readOf(pid int64, name string) ([]byte, error) {
	data, err := t.read(strconv.FormatInt(pid, 10) + "/" + name)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
		return data, err
	}
	if t.Proc == nil {
		if probe := unix.Kill(int(pid), 0); !errors.Is(probe, unix.ESRCH) {
			return nil, fmt.Errorf("its entry is hidden from us: %w", err)
		}
	}
	return nil, ErrNoProcess
}

func (t *Table) look(pid int64) (Facts, error) {
	data, err := t.readOf(pid, "stat")
	if err != nil {
		return Facts{}, err
	}
	return parseStat(data)
}

// parseStat reads /proc/PID/stat (proc(5)). The name of the program stands in
// brackets and may hold anything, brackets and blanks too, so counting starts
// behind the last one.
func parseStat(data []byte) (Facts, error) {
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 || bytes.IndexByte(data, ')') < 0 {
		return Facts{}, fmt.Errorf("stat has an unknown form: %.80q", data)
	}
	var numbers [4]int64
	for i, field := range []int{5, 6, 20, 22} { // as proc(5) counts; fields[0] is its third
		n, err := strconv.ParseInt(fields[field-3], 10, 64)
		if err != nil {
			return Facts{}, fmt.Errorf("stat has an unknown form: %.80q", data)
		}
		numbers[i] = n
	}
	// The first thread may have ended while others go on: that process lives.
	ended := strings.Contains("ZXx", fields[0]) && numbers[2] <= 1
	return Facts{Zombie: ended, Group: numbers[0], Session: numbers[1], Start: numbers[3]}, nil
}

// epoch is "BOOT_ID:PID1START". A half that is not there or hidden is empty, as
// in Hermes; an error of any other sort means that nobody knows.
func (t *Table) epoch() (string, error) {
	boot, err := t.read("sys/kernel/random/boot_id")
	if err != nil && !missing(err) {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	first := ""
	switch stat, err := t.read("1/stat"); {
	case err == nil:
		facts, err := parseStat(stat)
		if err != nil {
			return "", fmt.Errorf("read the start of process 1: %w", err)
		}
		first = strconv.FormatInt(facts.Start, 10)
	case !missing(err):
		return "", fmt.Errorf("read the start of process 1: %w", err)
	}
	if id := strings.TrimSpace(string(boot)); id != "" || first != "" {
		return id + ":" + first, nil
	}
	return "", nil
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// words returns arguments and environment. Both come from the process itself
// and may be anything.
func (t *Table) words(pid int64) (args, env []string, err error) {
	a, errA := t.readOf(pid, "cmdline")
	e, errE := t.readOf(pid, "environ")
	return split(a), split(e), errors.Join(errA, errE)
}

func split(data []byte) []string {
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// startedAt is the wall-clock second at which the process started, as far as
// the clock of now is right.
func (t *Table) startedAt(f Facts, now int64) (int64, error) {
	data, err := t.read("uptime")
	if err != nil {
		return 0, fmt.Errorf("read the uptime: %w", err)
	}
	text, _, _ := strings.Cut(string(data), " ")
	uptime, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("the uptime has an unknown form: %.40q", data)
	}
	return now - (int64(uptime) - f.Start/startUnits), nil
}

func (t *Table) pids() ([]int64, error) {
	proc := t.Proc
	if proc == nil {
		proc = os.DirFS("/proc")
	}
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil, err
	}
	var pids []int64
	for _, e := range entries {
		if pid, err := strconv.ParseInt(e.Name(), 10, 32); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
