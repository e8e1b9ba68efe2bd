package home

import (
	"os"
	"path/filepath"
	"slices"
)

// DefaultProfile is the profile that always exists.
const DefaultProfile = "default"

// HasProfile reports whether an assignee is an installed Hermes profile. The
// name is compared as Hermes stores it, trimmed and in lower case. A name that
// is no name of a profile ("..", "a/b") is none, whatever lies there.
func (h *Home) HasProfile(assignee string) bool {
	_, ok := h.ProfileHome(assignee)
	return ok
}

// ProfileHome returns the folder a worker of that profile gets as HERMES_HOME,
// and false if there is no such profile.
func (h *Home) ProfileHome(assignee string) (string, bool) {
	p := normalise(assignee)
	if p == DefaultProfile {
		return h.HermesRoot, true
	}
	if !name.MatchString(p) {
		return "", false
	}
	for _, dir := range h.profileDirs() {
		if home := filepath.Join(dir, p); isDir(home) {
			return home, true
		}
	}
	return "", false
}

// Profiles lists the installed profiles: default first, the others by name. A
// folder that cannot be read counts as empty.
func (h *Home) Profiles() []string {
	var found []string
	for _, dir := range h.profileDirs() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if p := e.Name(); p != DefaultProfile && name.MatchString(p) && isDir(filepath.Join(dir, p)) {
				found = append(found, p)
			}
		}
	}
	slices.Sort(found)
	return append([]string{DefaultProfile}, slices.Compact(found)...)
}

// profileDirs are the folders that hold profiles. Where the boards were moved
// away from the installation, its own profiles still count.
func (h *Home) profileDirs() []string {
	dirs := []string{filepath.Join(h.Root, "profiles")}
	if h.HermesRoot != h.Root {
		dirs = append(dirs, filepath.Join(h.HermesRoot, "profiles"))
	}
	return dirs
}
