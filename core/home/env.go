package home

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// Env is everything this program takes from its surroundings to find its way.
type Env struct {
	// Vars are the environment variables in the form "NAME=value".
	Vars []string
	// UserHome is the home directory of the user, an absolute path.
	UserHome string
	// Cwd is what relative paths are relative to, an absolute path.
	Cwd string
	// MemTotal returns the memory of the machine in bytes. A nil function
	// stands for a machine that cannot tell.
	MemTotal func() (uint64, error)
}

// System returns the environment of this process. A part that cannot be found
// stays empty; Find says so where it needs it.
func System() Env {
	e := Env{Vars: os.Environ(), MemTotal: memTotal}
	e.Cwd, _ = os.Getwd()
	e.UserHome = e.Get("HOME")
	if e.UserHome == "" {
		if u, err := user.Current(); err == nil {
			e.UserHome = u.HomeDir
		}
	}
	return e
}

// Get returns the value of a variable. An empty value counts as unset, as it
// does for Hermes.
func (e Env) Get(name string) string {
	for _, v := range e.Vars {
		if key, value, ok := strings.Cut(v, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// path returns the absolute path that a variable names, or an empty text when
// it is unset or blank.
func (e Env) path(name string) (string, error) {
	value := strings.TrimSpace(e.Get(name))
	if value == "" {
		return "", nil
	}
	p, err := e.Abs(value)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// Abs returns text as an absolute, clean path. A leading ~ is the user's home.
func (e Env) Abs(text string) (string, error) {
	switch {
	case strings.ContainsRune(text, 0):
		return "", fmt.Errorf("path %q contains a zero byte", text)
	case text == "~" || strings.HasPrefix(text, "~/"):
		return filepath.Join(e.UserHome, text[1:]), nil
	case strings.HasPrefix(text, "~"):
		return "", fmt.Errorf("path %q: the home of another user is not looked up; write the full path", text)
	case filepath.IsAbs(text):
		return filepath.Clean(text), nil
	case e.Cwd == "":
		return "", fmt.Errorf("path %q is relative and the current directory is unknown; write the full path", text)
	}
	return filepath.Join(e.Cwd, text), nil
}

// xdg returns the folder that an XDG variable names for this program. As the
// XDG base directory rules ask, a relative value is ignored.
func (e Env) xdg(name, fallback string) string {
	base := e.Get(name)
	if !filepath.IsAbs(base) {
		base = filepath.Join(e.UserHome, fallback)
	}
	return filepath.Join(base, "hermes-tui")
}
