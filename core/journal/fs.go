package journal

import (
	"errors"
	"io"
)

// Dir is a directory that is held open. Names are single parts; no method
// follows a link. The errors are those of the system calls.
type Dir interface {
	// Enter opens a directory inside, which others may not write to.
	Enter(name string) (Dir, error)
	// Make makes a directory with mode 0700; one that is there is an error.
	Make(name string) error
	// Create makes a new file with mode 0600 for writing.
	Create(name string) (File, error)
	// Open opens what is there for reading, without waiting for anybody: the
	// caller asks what it is before reading.
	Open(name string) (File, error)
	Lstat(name string) (Info, error)
	Readlink(name string) (string, error)
	Unlink(name string) error
	// RenameNew moves a file to another directory or name that must be free
	// there; taken is errTaken.
	RenameNew(name string, to Dir, as string) error
	Names() ([]string, error)
	Chmod(mode uint32) error
	// Sync makes all changes of names in this directory durable.
	Sync() error
	// Lock takes the flock of a file, which is made if it is not there. Held by
	// another is errHeld.
	Lock(name string) (io.Closer, error)
	Close() error
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	Stat() (Info, error)
	Chmod(mode uint32) error
	// Allocate reserves space for that many bytes; the size stays what it is.
	Allocate(bytes int64) error
	// Release gives back what was reserved behind the end of the file.
	Release() error
	Sync() error
	Close() error
}

// kind is what a name leads to.
type kind string

const (
	regular   kind = "file"
	directory kind = "directory"
	symlink   kind = "symlink"
	fifo      kind = "fifo"
	socket    kind = "socket"
	device    kind = "device"
)

// Info is what the file system says of a file.
type Info struct {
	Kind     kind
	Links    uint64
	Owner    uint32
	Mode     uint32 // permission bits
	Size     int64
	Modified int64  // nanoseconds since the epoch
	Changed  int64  // the same, of the last change of anything, its name included
	Device   uint64 // together with Inode: which file it is
	Inode    uint64
}

// sameFile reports whether two looks saw one file.
func (i Info) sameFile(o Info) bool { return i.Device == o.Device && i.Inode == o.Inode }

var (
	errTaken = errors.New("the name is taken")
	errHeld  = errors.New("locked by another process")
)
