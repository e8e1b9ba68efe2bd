package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Held reports whether somebody holds an exclusive lock on a file, without
// taking it even for a moment: the kernel's list of locks is read. A file that
// is not there is held by nobody; an error means that it cannot be known.
func Held(path string) (bool, error) {
	id, err := identify(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var held bool
	if err == nil {
		var list []byte
		if list, err = os.ReadFile("/proc/locks"); err == nil {
			return lockedIn(string(list), id), nil
		}
		held, err = heldShared(path)
	}
	if err != nil {
		return false, fmt.Errorf("see who holds the lock %q: %w", path, err)
	}
	return held, nil
}

// fileID is a file as the kernel's list of locks names it.
type fileID struct {
	devices []device
	inode   uint64
}

type device struct{ major, minor uint32 }

// identify looks at what a path leads to. The list of locks names the device of
// the whole file system; stat of a btrfs subvolume names another one, so that of
// the mount counts too.
func identify(path string) (fileID, error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_MNT_ID, &st); err != nil {
		return fileID{}, err
	}
	id := fileID{inode: st.Ino, devices: []device{{st.Dev_major, st.Dev_minor}}}
	if m, ok := mountOf(&st); ok && !slices.Contains(id.devices, m.device) {
		id.devices = append(id.devices, m.device)
	}
	return id, nil
}

// lockedIn looks for an exclusive lock on a file in the text of /proc/locks:
//
//	1: FLOCK  ADVISORY  WRITE 4242 08:01:131074 0 EOF
//
// Somebody who waits has an arrow after the number, so that no field is where it
// is looked for.
func lockedIn(list string, id fileID) bool {
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 6 || f[3] != "WRITE" {
			continue
		}
		part := strings.Split(f[5], ":")
		if len(part) != 3 {
			continue
		}
		major, err1 := strconv.ParseUint(part[0], 16, 32)
		minor, err2 := strconv.ParseUint(part[1], 16, 32)
		inode, err3 := strconv.ParseUint(part[2], 10, 64)
		if errors.Join(err1, err2, err3) == nil && inode == id.inode &&
			slices.Contains(id.devices, device{uint32(major), uint32(minor)}) {
			return true
		}
	}
	return false
}
