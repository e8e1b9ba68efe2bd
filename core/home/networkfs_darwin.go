package home

import "golang.org/x/sys/unix"

// fsType names the file system that a path lies on.
func fsType(path string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return "", err
	}
	return unix.ByteSliceToString(s.Fstypename[:]), nil
}
