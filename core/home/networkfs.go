package home

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// IsNetworkFS reports whether a path lies on a file system where locks and
// memory maps cannot be trusted between machines, and which one, such as "nfs4"
// or "fuse.sshfs". Of a path that is not there the nearest folder that exists
// is asked.
func IsNetworkFS(path string) (remote bool, kind string, err error) {
	for dir := path; ; dir = filepath.Dir(dir) {
		kind, err := fsType(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			continue
		}
		if err != nil {
			return false, "", fmt.Errorf("see what file system %q lies on: %w", path, err)
		}
		return isNetwork(kind), kind, nil
	}
}

// networkTypes are file systems whose files live on another machine, or on the
// other side of a virtual machine's wall.
var networkTypes = []string{
	"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "ncpfs", "ncp",
	"9p", "virtiofs", "vboxsf", "vmhgfs", "prl_fs",
	"afs", "ceph", "coda", "glusterfs", "lustre", "beegfs", "gpfs", "ocfs2", "gfs2", "orangefs",
}

// isNetwork classifies the name of a file system. FUSE says nothing of what is
// behind it, so all of it counts but the kind made for local disks.
func isNetwork(fstype string) bool {
	t := strings.ToLower(fstype)
	if t == "fuseblk" || strings.HasPrefix(t, "fuseblk.") {
		return false
	}
	return slices.Contains(networkTypes, t) || strings.Contains(t, "fuse")
}
