package home

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFindLocatesTheRoots(t *testing.T) {
	for _, c := range []struct {
		name                  string
		vars                  []string
		root, hermes, profile string
	}{
		{"nothing set", nil, "@/.hermes", "@/.hermes", "@/.hermes"},
		{"empty counts as unset", []string{"HERMES_HOME=", "HERMES_KANBAN_HOME= "}, "@/.hermes", "@/.hermes", "@/.hermes"},
		{"a profile of the usual home", []string{"HERMES_HOME=@/.hermes/profiles/dev"}, "@/.hermes", "@/.hermes", "@/.hermes/profiles/dev"},
		{"anything inside the usual home", []string{"HERMES_HOME=@/.hermes/a/b"}, "@/.hermes", "@/.hermes", "@/.hermes/a/b"},
		{"a profile of another home", []string{"HERMES_HOME=@/h/profiles/dev"}, "@/h", "@/h", "@/h/profiles/dev"},
		{"another home", []string{"HERMES_HOME=@/h"}, "@/h", "@/h", "@/h"},
		{"a home that only looks like the usual one", []string{"HERMES_HOME=@/.hermes2"}, "@/.hermes2", "@/.hermes2", "@/.hermes2"},
		{"a tilde", []string{"HERMES_HOME=~/h/"}, "@/h", "@/h", "@/h"},
		{"a relative path", []string{"HERMES_HOME=h"}, "@/cwd/h", "@/cwd/h", "@/cwd/h"},
		{"the boards elsewhere", []string{"HERMES_HOME=@/h/profiles/dev", "HERMES_KANBAN_HOME=  ~/k "}, "@/k", "@/h", "@/h/profiles/dev"},
		{"the first of two equal variables", []string{"HERMES_HOME=@/a", "HERMES_HOME=@/b"}, "@/a", "@/a", "@/a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := found(t, c.vars...)
			got := []string{h.Root, h.HermesRoot, h.Profile}
			want := []string{at(dir, c.root), at(dir, c.hermes), at(dir, c.profile)}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if all := tree(t, dir); len(all) != 1 {
				t.Errorf("finding a home created %q", all[1:])
			}
		})
	}
}

func TestFindFollowsLinksIntoTheUsualHome(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".hermes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, ".hermes"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	h, err := Find(Env{UserHome: dir, Vars: []string{"HERMES_HOME=" + dir + "/link/profiles/not-there"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, ".hermes"); h.Root != want {
		t.Errorf("root %q, want %q", h.Root, want)
	}
}

func TestFindRefusesWhatItCannotLocate(t *testing.T) {
	for name, env := range map[string]Env{
		"no user home":                    {},
		"the home of another user":        {UserHome: "/u", Vars: []string{"HERMES_HOME=~other/h"}},
		"relative, and nobody knows to":   {UserHome: "/u", Vars: []string{"HERMES_KANBAN_DB=x.db"}},
		"a zero byte in the middle of it": {UserHome: "/u", Vars: []string{"HERMES_HOME=/a\x00b"}},
	} {
		if h, err := Find(env); err == nil {
			t.Errorf("%s: found %+v", name, h)
		}
	}
}

func TestOurOwnPlaces(t *testing.T) {
	for _, c := range []struct {
		name            string
		vars            []string
		settings, state string
	}{
		{"usual", nil, "@/.config/hermes-tui/config.yaml", "@/.local/state/hermes-tui"},
		{"XDG", []string{"XDG_CONFIG_HOME=@/c", "XDG_STATE_HOME=@/s"}, "@/c/hermes-tui/config.yaml", "@/s/hermes-tui"},
		{"XDG must be absolute", []string{"XDG_CONFIG_HOME=c", "XDG_STATE_HOME=s"}, "@/.config/hermes-tui/config.yaml", "@/.local/state/hermes-tui"},
		{"ours wins", []string{"XDG_CONFIG_HOME=@/c", "HERMES_TUI_CONFIG=~/my.yaml"}, "@/my.yaml", "@/.local/state/hermes-tui"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := found(t, c.vars...)
			if h.SettingsFile != at(dir, c.settings) || h.StateDir != at(dir, c.state) {
				t.Errorf("settings %q, state %q", h.SettingsFile, h.StateDir)
			}
		})
	}
}

func TestSystemReadsThisProcess(t *testing.T) {
	t.Setenv("HERMES_BIN", "/opt/hermes")
	t.Setenv("HOME", t.TempDir())
	env := System()
	if env.UserHome != os.Getenv("HOME") || env.Get("HERMES_BIN") != "/opt/hermes" || env.Cwd == "" {
		t.Errorf("got home %q, bin %q, cwd %q", env.UserHome, env.Get("HERMES_BIN"), env.Cwd)
	}
	if total, err := env.MemTotal(); err != nil || total < 64<<20 {
		t.Errorf("memory %d, %v", total, err)
	}
}

func TestMarksOfHermesInTheEnvironment(t *testing.T) {
	h, dir := found(t, "HERMES_DELEGATED_CHILD_CONTEXT=1", "HERMES_BIN= hermes ")
	if !h.DelegatedChild() || h.HermesBin() != "hermes" {
		t.Errorf("delegated %v, bin %q", h.DelegatedChild(), h.HermesBin())
	}
	if got, want := h.ScratchTip(), dir+"/.hermes/.scratch_tip_shown"; got != want {
		t.Errorf("scratch tip %q, want %q", got, want)
	}
	h, _ = found(t, "HERMES_DELEGATED_CHILD_CONTEXT=")
	if h.DelegatedChild() || h.HermesBin() != "" {
		t.Error("empty variables must count as unset")
	}
}

func TestActiveBoard(t *testing.T) {
	const current = "@/.hermes/kanban/current"
	for _, c := range []struct {
		name, env, current string
		want               string
		notice             []string // parts of it; none: no notice
	}{
		{"nothing said", "", "", "default", nil},
		{"the file", "", "swe\n", "swe", nil},
		{"normalised", "", " SWE \n", "swe", nil},
		{"a byte order mark", "", "\ufeffswe\r\nother\r\n", "swe", nil},
		{"the variable wins", "ops", "swe\n", "ops", nil},
		{"the variable names nothing", "gone", "swe\n", "swe", []string{"HERMES_KANBAN_BOARD", `"gone"`, `"swe"`}},
		{"the file is stale", "", "missing-board\n", "default", []string{"current", `"missing-board"`, `"default"`}},
		{"the file is hostile", "", "../../etc\n", "default", []string{`"../../etc"`, `"default"`}},
		{"the file holds a control sequence", "", "\x1b]0;x\x07\n", "default", []string{`\x1b`}},
		{"both are wrong", "a/b", "gone\n", "default", []string{`"a/b"`, `"gone"`}},
		{"an empty first line", "", "\nswe\n", "default", nil},
		{"default by name", "", "default\n", "default", nil},
		{"only a folder", "", "empty\n", "default", []string{`"empty"`}},
		{"far too long", "", strings.Repeat("a", 5000), "default", []string{"larger than"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := found(t, "HERMES_KANBAN_BOARD="+c.env)
			put(t, at(dir, "@/.hermes/kanban/boards/swe/kanban.db"), "")
			put(t, at(dir, "@/.hermes/kanban/boards/ops/board.json"), "{}")
			put(t, at(dir, "@/.hermes/kanban/boards/empty/notes"), "")
			if c.current != "" {
				put(t, at(dir, current), c.current)
			}
			before := tree(t, dir)
			slug, notice := h.Active()
			if slug != c.want {
				t.Errorf("active board %q, want %q", slug, c.want)
			}
			if (notice == "") != (c.notice == nil) {
				t.Errorf("notice %q", notice)
			}
			for _, part := range c.notice {
				if !strings.Contains(notice, part) {
					t.Errorf("notice %q does not say %q", notice, part)
				}
			}
			if after := tree(t, dir); !slices.Equal(before, after) {
				t.Errorf("looking changed the home: %q", after)
			}
		})
	}
}

func TestActiveBoardThatCannotBeRead(t *testing.T) {
	h, dir := found(t)
	if err := os.MkdirAll(at(dir, "@/.hermes/kanban/current"), 0o755); err != nil {
		t.Fatal(err)
	}
	slug, notice := h.Active()
	if slug != DefaultBoard || !strings.Contains(notice, "cannot be read") {
		t.Errorf("got %q, %q", slug, notice)
	}
}
