package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ThemeFile is a file of the person's own themes, as it was found.
type ThemeFile struct {
	Name string // without its ending, not checked
	Path string
	Data []byte
	Err  error // why it was not read
}

// The most theme files that are read, and the most bytes of one.
const (
	mostThemes = 100
	themeLimit = 64 << 10
)

// ThemeDir is the folder of the person's own themes, beside the settings. It
// need not exist.
func (h *Home) ThemeDir() string { return filepath.Join(filepath.Dir(h.SettingsFile), "themes") }

// ThemeFiles reads the person's own themes anew, in the order of their names.
// Hidden files are left out, links are not followed. No folder means none.
func (h *Home) ThemeFiles() ([]ThemeFile, error) {
	entries, err := os.ReadDir(h.ThemeDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the folder of themes: %w", err)
	}
	var files []ThemeFile
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if len(files) == mostThemes {
			return files, fmt.Errorf("read the folder of themes %q: it has more than %d files; the rest is left out", h.ThemeDir(), mostThemes)
		}
		files = append(files, h.themeFile(e.Name()))
	}
	return files, nil
}

func (h *Home) themeFile(file string) ThemeFile {
	f := ThemeFile{Path: filepath.Join(h.ThemeDir(), file)}
	var yaml bool
	if f.Name, yaml = strings.CutSuffix(file, ".yaml"); !yaml {
		f.Err = errors.New("is no theme; a theme file is called NAME.yaml")
		return f
	}
	f.Data, f.Err = readFile(f.Path, themeLimit, unix.O_NOFOLLOW)
	switch {
	case errors.Is(f.Err, syscall.ELOOP):
		f.Err = errors.New("is a link, which is not followed; copy the file there")
	case errors.Is(f.Err, errNotRegular):
		f.Err = errors.New("is not a regular file; remove it from this folder")
	}
	var path *os.PathError
	if errors.As(f.Err, &path) {
		f.Err = fmt.Errorf("cannot be read: %w", path.Err)
	}
	return f
}
