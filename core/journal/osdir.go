package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// osDir is a directory of the real file system.
type osDir struct{ file *os.File }

const (
	enterFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fileFlags  = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// enterRoot opens the state root. A link may lead to it; below it none is
// followed.
func enterRoot(path string) (Dir, error) {
	fd, err := again1(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, fmt.Errorf("enter the state root %q: %w", path, err)
	}
	return &osDir{os.NewFile(uintptr(fd), path)}, nil
}

// makeRoot makes the state root with all that is missing above it, and makes
// each new name durable, however it came to be there.
func makeRoot(path string) (Dir, error) {
	missing := []string{path}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(missing[i], 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the state root: %w", err)
		}
		above, err := enterRoot(filepath.Dir(missing[i]))
		if err != nil {
			return nil, err
		}
		err = above.Sync()
		_ = above.Close()
		if err != nil {
			return nil, fmt.Errorf("make the state root %q durable: %w", path, err)
		}
	}
	return enterRoot(path)
}

func (d *osDir) fd() int { return int(d.file.Fd()) }

func (d *osDir) Enter(name string) (Dir, error) {
	fd, err := again1(func() (int, error) { return unix.Openat(d.fd(), name, enterFlags, 0) })
	if err != nil {
		return nil, d.failed("enter", name, err)
	}
	inside := &osDir{os.NewFile(uintptr(fd), filepath.Join(d.file.Name(), name))}
	info, err := statOf(inside.file)
	if err == nil && info.Mode&0o022 != 0 {
		// Whoever can write here can forge results.
		err = errors.New("others may write there; chmod it to 0700")
	}
	if err != nil {
		inside.Close()
		return nil, d.failed("enter", name, err)
	}
	return inside, nil
}

func (d *osDir) Make(name string) error {
	return d.failed("make", name, again0(func() error { return unix.Mkdirat(d.fd(), name, 0o700) }))
}

func (d *osDir) Create(name string) (File, error) {
	return d.open("create", name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|fileFlags)
}

func (d *osDir) Open(name string) (File, error) {
	return d.open("open", name, unix.O_RDONLY|fileFlags)
}

func (d *osDir) open(verb, name string, flags int) (File, error) {
	fd, err := again1(func() (int, error) { return unix.Openat(d.fd(), name, flags, 0o600) })
	if err != nil {
		return nil, d.failed(verb, name, err)
	}
	return &osFile{fd: fd, name: filepath.Join(d.file.Name(), name)}, nil
}

func (d *osDir) Lstat(name string) (Info, error) {
	var st unix.Stat_t
	err := again0(func() error { return unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Info{}, d.failed("look at", name, err)
	}
	return infoOf(&st), nil
}

func (d *osDir) Readlink(name string) (string, error) {
	room := make([]byte, unix.PathMax)
	n, err := again1(func() (int, error) { return unix.Readlinkat(d.fd(), name, room) })
	return string(room[:max(n, 0)]), d.failed("read the link", name, err)
}

func (d *osDir) Unlink(name string) error {
	return d.failed("remove", name, again0(func() error { return unix.Unlinkat(d.fd(), name, 0) }))
}

// RenameNew looks and then renames where the file system has no exclusive
// rename: of a run there is one writer.
func (d *osDir) RenameNew(name string, to Dir, as string) error {
	target, ok := to.(*osDir)
	if !ok {
		return d.failed("rename", name, errors.New("to another kind of directory"))
	}
	err := again0(func() error { return renameNew(d.fd(), name, target.fd(), as) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		if _, there := target.Lstat(as); there == nil {
			err = unix.EEXIST
		} else {
			err = again0(func() error { return unix.Renameat(d.fd(), name, target.fd(), as) })
		}
	}
	if errors.Is(err, unix.EEXIST) {
		err = errTaken
	}
	return d.failed("rename", name, err)
}

func (d *osDir) Names() ([]string, error) {
	// A handle of its own: the position in a listing belongs to the handle.
	fd, err := again1(func() (int, error) { return unix.Openat(d.fd(), ".", enterFlags, 0) })
	if err != nil {
		return nil, d.failed("list", ".", err)
	}
	listing := os.NewFile(uintptr(fd), d.file.Name())
	defer listing.Close()
	names, err := listing.Readdirnames(-1)
	return names, d.failed("list", ".", err)
}

func (d *osDir) Chmod(mode uint32) error {
	return d.failed("change the mode of", ".", again0(func() error { return unix.Fchmod(d.fd(), mode) }))
}

func (d *osDir) Sync() error {
	return d.failed("sync", ".", again0(func() error { return fullSync(d.fd()) }))
}

func (d *osDir) Lock(name string) (io.Closer, error) {
	fd, err := again1(func() (int, error) { return unix.Openat(d.fd(), name, unix.O_RDWR|unix.O_CREAT|fileFlags, 0o600) })
	if err != nil {
		return nil, d.failed("open the lock", name, err)
	}
	f := &osFile{fd: fd, name: name}
	err = again0(func() error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	if err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errHeld
		}
		return nil, d.failed("lock", name, err)
	}
	return f, nil
}

func (d *osDir) Close() error { return d.file.Close() }

func (d *osDir) failed(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %q in %q: %w", verb, name, d.file.Name(), err)
}

// osFile is a file of the real file system. It is no os.File, which would hand
// a FIFO to the poller.
type osFile struct {
	fd   int
	name string
}

func (f *osFile) Read(p []byte) (int, error) {
	n, err := again1(func() (int, error) { return unix.Read(f.fd, p) })
	if err == nil && n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return max(n, 0), f.failed("read", err)
}

// Write writes everything or fails.
func (f *osFile) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := again1(func() (int, error) { return unix.Write(f.fd, p[done:]) })
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, f.failed("write", err)
		}
		done += n
	}
	return done, nil
}

func (f *osFile) Stat() (Info, error) {
	var st unix.Stat_t
	err := again0(func() error { return unix.Fstat(f.fd, &st) })
	return infoOf(&st), f.failed("look at", err)
}

func (f *osFile) Chmod(mode uint32) error {
	return f.failed("change the mode of", again0(func() error { return unix.Fchmod(f.fd, mode) }))
}

// Allocate falls back to nothing where the file system cannot reserve: then the
// slot is a name like any other.
func (f *osFile) Allocate(bytes int64) error {
	err := again0(func() error { return allocate(f.fd, bytes) })
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return f.failed("reserve space in", err)
}

// Release cuts the file at its own end, which frees the blocks behind it.
func (f *osFile) Release() error {
	info, err := f.Stat()
	if err == nil {
		err = f.failed("cut", again0(func() error { return unix.Ftruncate(f.fd, info.Size) }))
	}
	return err
}

func (f *osFile) Sync() error {
	return f.failed("sync", again0(func() error { return fullSync(f.fd) }))
}

// Close is not tried again: the handle is gone whatever it answers.
func (f *osFile) Close() error { return f.failed("close", unix.Close(f.fd)) }

func (f *osFile) failed(verb string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %q: %w", verb, f.name, err)
}

func statOf(f *os.File) (Info, error) {
	var st unix.Stat_t
	err := again0(func() error { return unix.Fstat(int(f.Fd()), &st) })
	return infoOf(&st), err
}

func infoOf(st *unix.Stat_t) Info {
	kinds := map[uint32]kind{
		unix.S_IFREG: regular, unix.S_IFDIR: directory, unix.S_IFLNK: symlink, unix.S_IFIFO: fifo, unix.S_IFSOCK: socket,
	}
	mode := uint32(st.Mode)
	k, known := kinds[mode&unix.S_IFMT]
	if !known {
		k = device
	}
	return Info{
		Kind: k, Links: uint64(st.Nlink), Owner: st.Uid, Mode: mode & 0o7777, Size: st.Size,
		Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(), Device: uint64(st.Dev), Inode: st.Ino,
	}
}

// again0 and again1 repeat a call that a signal interrupted.
func again0(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func again1(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
