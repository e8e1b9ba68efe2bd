package worker

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exit codes of the barrier.
const (
	// ExitAborted: the barrier closed before anything was started.
	ExitAborted = 76
	// ExitNoExec: the word to go came, and the program could not be started.
	ExitNoExec = 127
)

// What the barrier inherits. The lease stays open for the worker and everything
// that descends from it; the pipes close when the worker's program takes over.
const (
	gateFD   = 3 // read end: one byte to go, end of file to give up
	leaseFD  = 4
	statusFD = 5 // write end: why the program could not be started; nothing if it was
)

// goByte is the word to go.
const goByte = 'g'

// RunBarrier is the body of the hidden subcommand that a worker starts as. args
// are the absolute path of the program and its argv. It returns only when no
// program was started, with the exit code.
func RunBarrier(args []string) int {
	if len(args) < 2 || !inherited() {
		fmt.Fprintln(os.Stderr, "this command is started by the dispatcher and is of no use by hand; nothing was started")
		return ExitAborted
	}
	unix.CloseOnExec(gateFD)
	unix.CloseOnExec(statusFD)
	if !mayGo() {
		return ExitAborted
	}
	unix.Close(gateFD)
	// The environment was made for the worker and is handed on unread.
	err := syscall.Exec(args[0], args[1:], os.Environ())
	text := fmt.Sprintf("start the program %q: %v", args[0], err)
	_, _ = unix.Write(statusFD, []byte(text))
	fmt.Fprintln(os.Stderr, text)
	return ExitNoExec
}

// inherited reports whether the three files are what a dispatcher hands over.
func inherited() bool {
	for fd, kind := range map[int]uint32{gateFD: unix.S_IFIFO, leaseFD: unix.S_IFREG, statusFD: unix.S_IFIFO} {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) != nil || uint32(st.Mode)&unix.S_IFMT != kind {
			return false
		}
	}
	return true
}

// mayGo waits for the word. Anything else, the end of the dispatcher above all,
// means no.
func mayGo() bool {
	var word [1]byte
	for {
		n, err := unix.Read(gateFD, word[:])
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 1 && word[0] == goByte
		}
	}
}
