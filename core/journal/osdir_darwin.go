package journal

import (
	"errors"

	"golang.org/x/sys/unix"
)

func renameNew(fromDir int, from string, toDir int, to string) error {
	return unix.RenameatxNp(fromDir, from, toDir, to, unix.RENAME_EXCL)
}

func allocate(fd int, bytes int64) error {
	return unix.FcntlFstore(uintptr(fd), unix.F_PREALLOCATE, &unix.Fstore_t{
		Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: bytes,
	})
}

// fullSync asks the drive to write out its cache too; an ordinary fsync here
// only hands the data to the drive.
func fullSync(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EINVAL) {
		return unix.Fsync(fd)
	}
	return err
}
