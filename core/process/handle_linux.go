package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// handle holds on to one process, whatever becomes of its number.
type handle struct{ fd int }

// openHandle is called before the process is proven: what is proven afterwards
// under this number cannot be younger than what the handle holds. Without a
// handle (old kernels, some sandboxes) the number has to do.
func openHandle(pid int64) handle {
	fd, err := unix.PidfdOpen(int(pid), 0)
	if err != nil {
		return handle{fd: -1}
	}
	return handle{fd: fd}
}

func (h handle) signal(pid int64, sig syscall.Signal) error {
	if h.fd < 0 {
		return syscall.Kill(int(pid), sig)
	}
	return unix.PidfdSendSignal(h.fd, sig, nil, 0)
}

func (h handle) close() {
	if h.fd >= 0 {
		unix.Close(h.fd)
	}
}
