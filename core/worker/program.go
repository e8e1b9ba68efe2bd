package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// errNotFound: no folder of PATH has the program.
var errNotFound = errors.New("not found on PATH")

// FindProgram returns the absolute path of a program as the worker's own
// environment names it. A folder of PATH that is not absolute is passed over,
// and so is a relative path: both would depend on where this program was started
// and let a workspace say what is run.
func FindProgram(name string, env []string) (string, error) {
	path, err := expandHome(name, env)
	switch {
	case err != nil:
		return "", err
	case filepath.IsAbs(path):
		return path, executable(path)
	case name == "" || strings.ContainsRune(name, filepath.Separator):
		return "", fmt.Errorf("find the program %q: give a name on PATH or an absolute path", name)
	}
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path := filepath.Join(dir, name); executable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("find the program %q: %w; install it, or say where it is (HERMES_BIN for Hermes)", name, errNotFound)
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "run", Path: path, Err: errors.New("not a regular file")}
	}
	if err == nil {
		err = unix.Access(path, unix.X_OK)
	}
	if err != nil {
		return fmt.Errorf("find the program %q: %w", path, err)
	}
	return nil
}

// expandHome replaces a leading "~" by the home folder of the environment.
func expandHome(path string, env []string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home := lookup(env, "HOME")
	if !filepath.IsAbs(home) {
		return "", fmt.Errorf("the path %q needs HOME, which is not set", path)
	}
	return filepath.Join(home, path[1:]), nil
}
