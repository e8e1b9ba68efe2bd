package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Place says where the journals of one board lie.
type Place struct {
	Root string // the state root, absolute
	Slug string // of the board
	// DB is the board's file. Where root replays, its owner's records count too.
	DB string
}

// Folder is the state folder of a board, held open.
type Folder struct {
	dir    Dir
	slug   string
	owners []uint32 // whose files are trusted
}

// Open opens the folder for looking and replaying. The error wraps
// fs.ErrNotExist where nothing was ever written.
func (p Place) Open() (*Folder, error) {
	root, err := enterRoot(p.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openFolder(root, p.Slug, p.owners())
}

// Make opens the folder for writing, making what is missing. Its name is durable
// when Make returns.
func (p Place) Make() (*Folder, error) {
	root, err := makeRoot(p.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return makeFolder(root, p.Slug, p.owners())
}

func (p Place) owners() []uint32 {
	own := []uint32{uint32(os.Geteuid())}
	if info, err := os.Stat(p.DB); err == nil && own[0] == 0 {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			own = append(own, st.Uid)
		}
	}
	return own
}

// HasPending reports whether a result of that run waits to be applied. An error
// means that it cannot be known.
func (p Place) HasPending(task string, run int64) (bool, error) {
	f, err := p.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.has(Name{Task: task, Run: run}.pending())
}

func openFolder(root Dir, slug string, owners []uint32) (*Folder, error) {
	if !validBoard(slug) {
		return nil, fmt.Errorf("open the journals of a board: %q is no slug", slug)
	}
	dir, err := root.Enter(slug)
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, slug: slug, owners: owners}, nil
}

func makeFolder(root Dir, slug string, owners []uint32) (*Folder, error) {
	if !validBoard(slug) {
		return nil, fmt.Errorf("make the folder of a board: %q is no slug", slug)
	}
	dir, err := makeDir(root, slug)
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, slug: slug, owners: owners}, nil
}

// makeDir opens a directory that is made where it is not there. The name is
// made durable in any case: another process may have made it just before.
func makeDir(above Dir, name string) (Dir, error) {
	if err := above.Make(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := above.Sync(); err != nil {
		return nil, err
	}
	return above.Enter(name)
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.dir.Close() }

func (f *Folder) has(name string) (bool, error) {
	_, err := f.dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (f *Folder) trusts(owner uint32) bool {
	for _, own := range f.owners {
		if owner == own {
			return true
		}
	}
	return false
}
