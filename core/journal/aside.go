package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// errStays: a directory is never moved; it is listed where it is.
var errStays = errors.New("it is a directory, which stays where it is; remove it")

const (
	// maxAsides bounds how many files of one name the quarantine takes.
	maxAsides = 1000
	// maxAsideName keeps a long name short enough for what is added to it.
	maxAsideName = 220
)

// quarantine opens the quarantine, which nobody but its owner may look into.
func (f *Folder) quarantine() (Dir, error) {
	q, err := makeDir(f.dir, quarantineFolder)
	if err != nil {
		return nil, err
	}
	if info, err := f.dir.Lstat(quarantineFolder); err == nil && info.Mode != 0o700 {
		_ = q.Chmod(0o700)
	}
	return q, nil
}

// putAside moves a file to the quarantine, where it is named after as, and
// returns its name there. Nothing is overwritten and no byte changes. Of what is
// no file of its own, a description is put there and the name is removed.
func (f *Folder) putAside(dir Dir, file, as string) (string, error) {
	info, err := dir.Lstat(file)
	if err != nil {
		return "", err
	}
	if info.Kind == directory {
		return "", errStays
	}
	q, err := f.quarantine()
	if err != nil {
		return "", err
	}
	defer q.Close()
	var there string
	switch {
	case info.Kind == regular && info.Links == 1:
		there, err = moveAside(dir, file, q, as)
	case info.Kind == regular && info.Size <= MaxRecord:
		there, err = f.copyAside(dir, file, q, as)
	default:
		there, err = describeAside(dir, file, info, q, as)
	}
	if err != nil {
		return "", err
	}
	// A power cut that undoes the move leaves the file where it was, and the
	// next pass moves it again.
	_, _ = q.Sync(), dir.Sync()
	return there, nil
}

// moveAside renames the file. Its mode is set through a handle, so that no link
// that takes its place is touched.
func moveAside(dir Dir, file string, q Dir, as string) (string, error) {
	if h, err := dir.Open(file); err == nil {
		if info, err := h.Stat(); err == nil && info.Kind == regular && info.Links == 1 && info.Mode != 0o600 {
			_ = h.Chmod(0o600) // not ours to change where it belongs to another user
		}
		_ = h.Close()
	}
	return free(as, func(name string) error { return dir.RenameNew(file, q, name) })
}

// copyAside copies a file that has other names, and leaves those alone.
func (f *Folder) copyAside(dir Dir, file string, q Dir, as string) (string, error) {
	h, err := dir.Open(file)
	if err != nil {
		return "", err
	}
	defer h.Close()
	data, err := readAll(h)
	if err != nil {
		return "", err
	}
	return exchange(dir, file, q, as, data)
}

// description stands in the quarantine for what cannot be moved there.
type description struct {
	Name   string `json:"name"`
	Kind   kind   `json:"kind"`
	Target string `json:"target,omitempty"` // of a link
	Size   int64  `json:"size,omitempty"`
	Links  uint64 `json:"links,omitempty"`
}

func describeAside(dir Dir, file string, info Info, q Dir, as string) (string, error) {
	d := description{Name: file, Kind: info.Kind}
	switch info.Kind {
	case symlink:
		target, err := dir.Readlink(file)
		if err != nil {
			return "", err
		}
		d.Target = target
	case regular:
		d.Size, d.Links = info.Size, info.Links
	}
	data, err := json.Marshal(d)
	if err != nil {
		return "", err
	}
	return exchange(dir, file, q, as, append(data, '\n'))
}

// exchange writes a new file into the quarantine and then removes the name. One
// with these very bytes, which a crash left there, is as good.
func exchange(dir Dir, file string, q Dir, as string, data []byte) (string, error) {
	there, err := free(as, func(name string) error {
		h, err := q.Create(name)
		if taken(err) && holds(q, name, data) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err = h.Write(data); err == nil {
			err = h.Sync()
		}
		if err = errors.Join(err, h.Close()); err != nil {
			_ = q.Unlink(name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if err := q.Sync(); err != nil {
		return "", err
	}
	return there, dir.Unlink(file)
}

// free calls try with names in the quarantine until one is not taken.
func free(as string, try func(name string) error) (string, error) {
	if len(as) > maxAsideName {
		as = as[:maxAsideName]
	}
	name := as + quarantineSuffix
	for n := 1; n <= maxAsides; n++ {
		err := try(name)
		if !taken(err) {
			return name, err
		}
		name = fmt.Sprintf("%s.%d%s", as, n, quarantineSuffix)
	}
	return "", fmt.Errorf("the quarantine has %d files named after %q already: %w", maxAsides, as, fs.ErrExist)
}

func holds(q Dir, name string, data []byte) bool {
	_, there, err := readFile(q, name, func(uint32) bool { return true })
	return err == nil && string(there) == string(data)
}
