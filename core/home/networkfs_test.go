package home

import (
	"path/filepath"
	"testing"
)

func TestNetworkFileSystemsByName(t *testing.T) {
	for kind, want := range map[string]bool{
		"nfs": true, "nfs4": true, "cifs": true, "smb3": true, "smbfs": true, "afpfs": true, "9p": true, "virtiofs": true,
		"fuse": true, "fuse.sshfs": true, "fuse.rclone": true, "macfuse": true, "osxfuse": true, "CEPH": true,
		"ext4": false, "xfs": false, "btrfs": false, "zfs": false, "tmpfs": false, "overlay": false, "apfs": false, "hfs": false,
		"fuseblk": false, "fuseblk.ntfs": false, "local": false, "": false,
	} {
		if got := isNetwork(kind); got != want {
			t.Errorf("%q: %v", kind, got)
		}
	}
}

func TestFileSystemOfAPathThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	remote, kind, err := IsNetworkFS(dir)
	if err != nil || kind == "" {
		t.Fatalf("got %q, %v", kind, err)
	}
	remote2, kind2, err := IsNetworkFS(filepath.Join(dir, "not", "there", "kanban.db"))
	if err != nil || remote2 != remote || kind2 != kind {
		t.Errorf("got %v, %q, %v; the folder says %v, %q", remote2, kind2, err, remote, kind)
	}
	put(t, filepath.Join(dir, "file"), "")
	if _, _, err := IsNetworkFS(filepath.Join(dir, "file", "x")); err == nil {
		t.Error("a path through a file was classified")
	}
}
