package home

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mount is a line of /proc/self/mountinfo.
type mount struct {
	device device
	fstype string // such as "ext4", "nfs4" or "fuse.sshfs"
}

// mountOf returns the mount that a file lies on, and false where the kernel or
// the list of mounts does not say.
func mountOf(st *unix.Statx_t) (mount, bool) {
	if st.Mask&unix.STATX_MNT_ID == 0 {
		return mount{}, false
	}
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return mount{}, false
	}
	return findMount(string(list), st.Mnt_id)
}

// findMount looks for a mount in the text of /proc/self/mountinfo:
//
//	36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/sda1 rw
func findMount(list string, id uint64) (mount, bool) {
	want := strconv.FormatUint(id, 10)
	for line := range strings.Lines(list) {
		left, right, ok := strings.Cut(line, " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if !ok || len(l) < 3 || len(r) < 1 || l[0] != want {
			continue
		}
		major, minor, _ := strings.Cut(l[2], ":")
		a, err1 := strconv.ParseUint(major, 10, 32)
		b, err2 := strconv.ParseUint(minor, 10, 32)
		if err1 != nil || err2 != nil {
			return mount{}, false
		}
		return mount{device{uint32(a), uint32(b)}, r[0]}, true
	}
	return mount{}, false
}
