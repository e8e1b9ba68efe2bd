//go:build linux

package home

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestListOfLocksOfTheKernel(t *testing.T) {
	id := fileID{devices: []device{{8, 1}, {0, 0x2f}}, inode: 131074}
	for line, want := range map[string]bool{
		"1: FLOCK  ADVISORY  WRITE 4242 08:01:131074 0 EOF\n":    true,
		"12: FLOCK  ADVISORY  WRITE 4242 00:2f:131074 0 EOF\n":   true,
		"1: POSIX  ADVISORY  WRITE 4242 08:01:131074 0 EOF\n":    true,
		"1: -> FLOCK  ADVISORY  WRITE 4242 08:01:131074 0 EOF\n": false, // it waits
		"1: FLOCK  ADVISORY  READ  4242 08:01:131074 0 EOF\n":    false, // somebody else who looks
		"1: FLOCK  ADVISORY  WRITE 4242 08:02:131074 0 EOF\n":    false,
		"1: FLOCK  ADVISORY  WRITE 4242 08:01:131075 0 EOF\n":    false,
		"1: FLOCK  ADVISORY  WRITE 4242 zz:01:131074 0 EOF\n":    false,
		"1: FLOCK  ADVISORY  WRITE 4242 <none>:0 0 EOF\n":        false,
		"garbage\n":    false,
		"":             false,
		"1: FLOCK\n\n": false,
	} {
		if got := lockedIn("7: POSIX ADVISORY READ 1 08:01:9 0 EOF\n"+line, id); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestListOfMounts(t *testing.T) {
	const list = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
36 22 0:47 / /home/u/my\040files rw shared:5 master:1 - fuse.sshfs host:/x rw
37 22 bad / /x rw - tmpfs none rw
38 22 0:30 /@sub /b rw - btrfs /dev/sdb rw,subvol=/@sub
nonsense
`
	for id, want := range map[uint64]mount{22: {device{8, 1}, "ext4"}, 36: {device{0, 47}, "fuse.sshfs"}, 38: {device{0, 30}, "btrfs"}} {
		if got, ok := findMount(list, id); !ok || got != want {
			t.Errorf("mount %d: %+v, %v", id, got, ok)
		}
	}
	for _, id := range []uint64{2, 3, 37, 99} {
		if got, ok := findMount(list, id); ok {
			t.Errorf("mount %d: %+v", id, got)
		}
	}
}

func TestMagicNumbersOfFileSystems(t *testing.T) {
	for _, magic := range []uint32{unix.NFS_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.NCP_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CEPH_SUPER_MAGIC, unix.CODA_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC} {
		if kind := fsName(magic); !isNetwork(kind) {
			t.Errorf("%#x is %q, which counts as local", magic, kind)
		}
	}
	for _, magic := range []uint32{unix.EXT4_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC} {
		if kind := fsName(magic); isNetwork(kind) {
			t.Errorf("%#x is %q, which counts as a network", magic, kind)
		}
	}
}

func TestMemoryOfTheMachine(t *testing.T) {
	if got, err := parseMeminfo("MemFree: 1 kB\nMemTotal:       16318480 kB\n"); err != nil || got != 16318480*1024 {
		t.Errorf("got %d, %v", got, err)
	}
	for _, text := range []string{"", "MemTotal:\n", "MemTotal: x kB\n", "MemTotal: 5 MB\n", "MemTotal: 99999999999999999999 kB\n"} {
		if got, err := parseMeminfo(text); err == nil {
			t.Errorf("%q gave %d", text, got)
		}
	}
}

// The kernel's list is what the gateway is seen by, so taking the lock for a
// moment, which could keep a gateway from starting, is not needed here.
func TestTheKernelListsOurLocks(t *testing.T) {
	if _, err := os.Stat("/proc/locks"); err != nil {
		t.Skip("this system has no /proc/locks: ", err)
	}
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	id, err := identify(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	if !lockedIn(string(list), id) {
		t.Errorf("%+v is not in\n%s", id, list)
	}
}
