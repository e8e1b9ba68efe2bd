package home

import (
	"errors"
	"path/filepath"
	"strings"
)

// Home is one Hermes installation as this environment sees it.
type Home struct {
	// Root is the kanban root: boards, profiles and Hermes' lock files live
	// under it. Every profile of an installation shares it.
	Root string
	// HermesRoot is the root of the Hermes installation. It differs from Root
	// only where HERMES_KANBAN_HOME moves the boards elsewhere.
	HermesRoot string
	// Profile is the home of the profile in use (HERMES_HOME), the same as
	// HermesRoot for the default profile.
	Profile string
	// SettingsFile is our own configuration; it need not exist.
	SettingsFile string
	// StateDir is where this program remembers what is only its own (view,
	// badges, log file). It need not exist. Journals live elsewhere: see
	// Board.StateRoot.
	StateDir string

	env         Env
	pinnedDB    string // HERMES_KANBAN_DB
	workspaces  string // HERMES_KANBAN_WORKSPACES_ROOT
	attachments string // HERMES_KANBAN_ATTACHMENTS_ROOT
	stateRoot   string // HERMES_TUI_STATE_ROOT
}

// Find locates the Hermes home of an environment. It only computes paths:
// nothing has to exist and nothing is created.
func Find(env Env) (*Home, error) {
	if env.UserHome == "" {
		return nil, errors.New("cannot tell where Hermes lives: the user has no home directory; set HOME")
	}
	h := &Home{
		env:          env,
		SettingsFile: filepath.Join(env.xdg("XDG_CONFIG_HOME", ".config"), "config.yaml"),
		StateDir:     env.xdg("XDG_STATE_HOME", filepath.Join(".local", "state")),
	}
	var profile, root, settings string
	for _, v := range []struct {
		name string
		to   *string
	}{
		{"HERMES_HOME", &profile},
		{"HERMES_KANBAN_HOME", &root},
		{"HERMES_KANBAN_DB", &h.pinnedDB},
		{"HERMES_KANBAN_WORKSPACES_ROOT", &h.workspaces},
		{"HERMES_KANBAN_ATTACHMENTS_ROOT", &h.attachments},
		{"HERMES_TUI_STATE_ROOT", &h.stateRoot},
		{"HERMES_TUI_CONFIG", &settings},
	} {
		p, err := env.path(v.name)
		if err != nil {
			return nil, err
		}
		*v.to = p
	}
	native := filepath.Join(env.UserHome, ".hermes")
	h.HermesRoot = hermesRoot(native, profile)
	h.Profile = or(profile, native)
	h.Root = or(root, h.HermesRoot)
	h.SettingsFile = or(settings, h.SettingsFile)
	return h, nil
}

// hermesRoot applies Hermes' rule: a profile home belongs to the installation
// above it, so that every profile sees the same boards.
func hermesRoot(native, profile string) string {
	switch {
	case profile == "" || inside(resolve(profile), resolve(native)):
		return native
	case filepath.Base(filepath.Dir(profile)) == "profiles":
		return filepath.Dir(filepath.Dir(profile))
	}
	return profile
}

// DelegatedChild reports whether this process runs inside a delegated child of
// Hermes, where every write to a board is refused.
func (h *Home) DelegatedChild() bool {
	return h.env.Get("HERMES_DELEGATED_CHILD_CONTEXT") != ""
}

// HermesBin is the program that HERMES_BIN names (a path or a name on PATH),
// or an empty text.
func (h *Home) HermesBin() string { return strings.TrimSpace(h.env.Get("HERMES_BIN")) }

// Env is the environment this home was found in.
func (h *Home) Env() Env { return h.env }

// GatewayLock is the file that a Hermes gateway locks for as long as it
// dispatches. This program never takes it; see GatewayHolds.
func (h *Home) GatewayLock() string { return filepath.Join(h.kanban(), ".dispatcher.lock") }

// ScratchTip is the file that Hermes touches once per installation, when the
// first scratch workspace was made.
func (h *Home) ScratchTip() string { return filepath.Join(h.Root, ".scratch_tip_shown") }

func (h *Home) kanban() string { return filepath.Join(h.Root, "kanban") }

// resolve follows the links in path as far as it exists and keeps the rest.
func resolve(path string) string {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// inside reports whether path is dir or lies below it. Both are clean.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
