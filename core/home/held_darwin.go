package home

import (
	"errors"
	"fmt"
	"io/fs"
)

// Held reports whether somebody holds an exclusive lock on a file. A file that
// is not there is held by nobody; an error means that it cannot be known.
func Held(path string) (bool, error) {
	held, err := heldShared(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("see who holds the lock %q: %w", path, err)
	}
	return held, nil
}
