package journal

import "golang.org/x/sys/unix"

func renameNew(fromDir int, from string, toDir int, to string) error {
	return unix.Renameat2(fromDir, from, toDir, to, unix.RENAME_NOREPLACE)
}

func allocate(fd int, bytes int64) error {
	return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, bytes)
}

func fullSync(fd int) error { return unix.Fsync(fd) }
