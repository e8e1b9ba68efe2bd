package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"golang.org/x/sys/unix"
)

// wallStart: start times come from the wall clock, and a later reading of the
// same process may be off when that clock was set.
const wallStart = true

// startUnits are the units of Identity.Start in one second.
const startUnits = 100

// zombie is SZOMB of sys/proc.h.
const zombie = 5

func (t *Table) look(pid int64) (Facts, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", int(pid))
	if err != nil {
		// An unknown pid gives an answer of length zero, which reads as an I/O
		// error; the kernel is asked again, by a probe that is no signal.
		if errors.Is(unix.Kill(int(pid), 0), unix.ESRCH) {
			return Facts{}, ErrNoProcess
		}
		return Facts{}, err
	}
	if int64(info.Proc.P_pid) != pid {
		return Facts{}, ErrNoProcess
	}
	// The session is asked for apart; that of a process which just ended is of
	// no interest, and one that may not be asked for reads as no session.
	session, _ := unix.Getsid(int(pid))
	start := info.Proc.P_starttime
	seconds := float64(start.Sec) + float64(start.Usec)/1e6
	return Facts{
		Zombie: info.Proc.P_stat == zombie,
		// Hermes rounds half to even, and the texts have to be equal.
		Start:   int64(math.RoundToEven(seconds * startUnits)),
		Group:   int64(info.Eproc.Pgid),
		Session: int64(session),
	}, nil
}

// epoch is empty: start times here are points in time, which no boot repeats,
// and Hermes compares the whole text.
func (t *Table) epoch() (string, error) { return "", nil }

// words takes kern.procargs2 apart: the number of arguments, the path of the
// program, zero bytes, the arguments, the environment.
func (t *Table) words(pid int64) (args, env []string, err error) {
	data, err := unix.SysctlRaw("kern.procargs2", int(pid))
	if err != nil {
		return nil, nil, err
	}
	if len(data) < 4 {
		return nil, nil, errors.New("kern.procargs2 is too short")
	}
	count := int(binary.NativeEndian.Uint32(data))
	_, rest, _ := bytes.Cut(data[4:], []byte{0})
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	count = max(0, min(count, len(words)))
	return words[:count], words[count:], nil
}

func (t *Table) startedAt(f Facts, _ int64) (int64, error) { return f.Start / startUnits, nil }

func (t *Table) pids() ([]int64, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	var pids []int64
	for i := range all {
		if pid := int64(all[i].Proc.P_pid); pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
