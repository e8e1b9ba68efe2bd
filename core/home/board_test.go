package home

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
)

func TestParseSlug(t *testing.T) {
	for text, want := range map[string]string{
		"swe": "swe", " SWE\n": "swe", "a_b-c": "a_b-c", "0": "0", strings.Repeat("a", 64): strings.Repeat("a", 64),
	} {
		if got, err := ParseSlug(text); err != nil || got != want {
			t.Errorf("%q gave %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "  ", "-a", "_archived", "a/b", "..", ".", "a.b", "a b", "ä", "\u212a", "a\n\nb", "a\x00", strings.Repeat("a", 65)} {
		if got, err := ParseSlug(text); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%q gave %q, %v", text, got, err)
		}
	}
}

func FuzzParseSlug(f *testing.F) {
	for _, s := range []string{"default", " SWE ", "../../etc", "_a", "a\x00", "İ", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		slug, err := ParseSlug(text)
		if err != nil {
			if slug != "" || !errors.Is(err, core.ErrInvalid) {
				t.Fatalf("%q gave %q with %v", text, slug, err)
			}
			return
		}
		if again, err := ParseSlug(slug); err != nil || again != slug {
			t.Fatalf("%q gave %q, and that gave %q, %v", text, slug, again, err)
		}
		if dir := filepath.Join("/boards", slug); filepath.Dir(dir) != "/boards" || len(slug) > 64 {
			t.Fatalf("%q leaves the folder of the boards: %q", text, dir)
		}
	})
}

func TestPathsOfABoard(t *testing.T) {
	for _, c := range []struct {
		name, slug string
		vars       []string
		want       Board
	}{
		{"default", "default", nil, Board{DB: "@/.hermes/kanban.db", Workspaces: "@/.hermes/kanban/workspaces",
			Attachments: "@/.hermes/kanban/attachments", Logs: "@/.hermes/kanban/logs", StateRoot: "@/.hermes/kanban/cli-lanes"}},
		{"named", " SWE ", nil, Board{DB: "@/.hermes/kanban/boards/swe/kanban.db", Workspaces: "@/.hermes/kanban/boards/swe/workspaces",
			Attachments: "@/.hermes/kanban/boards/swe/attachments", Logs: "@/.hermes/kanban/boards/swe/logs", StateRoot: "@/.hermes/kanban/cli-lanes"}},
		{"pinned", "swe", []string{"HERMES_KANBAN_DB=@/x.db", "HERMES_KANBAN_WORKSPACES_ROOT=~/w", "HERMES_KANBAN_ATTACHMENTS_ROOT=@/a"},
			Board{DB: "@/x.db", Workspaces: "@/w", Attachments: "@/a", Logs: "@/.hermes/kanban/boards/swe/logs", StateRoot: "@/x.db.lanes"}},
		{"pinned to its own file", "swe", []string{"HERMES_KANBAN_DB=@/.hermes/kanban/boards/swe/kanban.db"},
			Board{DB: "@/.hermes/kanban/boards/swe/kanban.db", Workspaces: "@/.hermes/kanban/boards/swe/workspaces",
				Attachments: "@/.hermes/kanban/boards/swe/attachments", Logs: "@/.hermes/kanban/boards/swe/logs", StateRoot: "@/.hermes/kanban/cli-lanes"}},
		{"a state root of its own", "default", []string{"HERMES_KANBAN_DB=@/x.db", "HERMES_TUI_STATE_ROOT=@/j"},
			Board{DB: "@/x.db", Workspaces: "@/.hermes/kanban/workspaces", Attachments: "@/.hermes/kanban/attachments", Logs: "@/.hermes/kanban/logs", StateRoot: "@/j"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := found(t, c.vars...)
			put(t, at(dir, "@/.hermes/kanban/boards/swe/board.json"), "{}")
			got, err := h.Board(c.slug)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			want.Slug = normalise(c.slug)
			want.Meta.Name = title(want.Slug)
			for _, p := range []*string{&want.DB, &want.Workspaces, &want.Attachments, &want.Logs, &want.StateRoot} {
				*p = at(dir, *p)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLockFilesLieBesideTheDatabase(t *testing.T) {
	b := Board{DB: "/k/kanban.db"}
	got := []string{b.DispatchLock(), b.InitLock(), b.LoopLock()}
	want := []string{"/k/kanban.db.dispatch.lock", "/k/kanban.db.init.lock", "/k/kanban.db.hermes-tui.lock"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestStateRootFollowsLinks(t *testing.T) {
	h, dir := found(t, "HERMES_KANBAN_DB=@/link/kanban.db")
	put(t, at(dir, "@/.hermes/kanban/current"), "")
	if err := os.Symlink(at(dir, "@/.hermes"), at(dir, "@/link")); err != nil {
		t.Fatal(err)
	}
	b, err := h.Board("default")
	if err != nil {
		t.Fatal(err)
	}
	if want := at(dir, "@/.hermes/kanban/cli-lanes"); b.StateRoot != want {
		t.Errorf("the home's own file by another name has the state root %q, want %q", b.StateRoot, want)
	}
}

func TestBoardInANamedFile(t *testing.T) {
	h, dir := found(t, "HERMES_KANBAN_DB=@/pinned.db")
	put(t, at(dir, "@/.hermes/kanban/boards/swe/kanban.db"), "")
	for _, c := range []struct{ db, slug, wantSlug, wantDB, wantState string }{
		{"~/x.db", "", "default", "@/x.db", "@/x.db.lanes"},
		{"x.db", "swe", "swe", "@/cwd/x.db", "@/cwd/x.db.lanes"},
		{"~/.hermes/kanban.db", "", "default", "@/.hermes/kanban.db", "@/.hermes/kanban/cli-lanes"},
		{"~/.hermes/kanban/boards/swe/kanban.db", "", "swe", "@/.hermes/kanban/boards/swe/kanban.db", "@/.hermes/kanban/cli-lanes"},
		{"~/.hermes/kanban.db", "swe", "swe", "@/.hermes/kanban.db", "@/.hermes/kanban.db.lanes"},
	} {
		b, err := h.BoardAt(c.db, c.slug)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{b.Slug, b.DB, b.StateRoot}
		if want := []string{c.wantSlug, at(dir, c.wantDB), at(dir, c.wantState)}; !slices.Equal(got, want) {
			t.Errorf("%q as %q: got %q, want %q", c.db, c.slug, got, want)
		}
	}
	if _, err := h.BoardAt("x.db", "a/b"); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("a bad slug gave %v", err)
	}
}

func TestUnknownBoardIsNotInvented(t *testing.T) {
	h, dir := found(t)
	before := tree(t, dir)
	if _, err := h.Board("gone"); !errors.Is(err, ErrNoBoard) || !strings.Contains(err.Error(), `"gone"`) {
		t.Errorf("got %v", err)
	}
	if _, err := h.Board("../x"); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("looking changed the home: %q", after)
	}
}

func slugsOf(t *testing.T, h *Home) []string {
	t.Helper()
	boards, err := h.Boards()
	if err != nil {
		t.Fatal(err)
	}
	var slugs []string
	for _, b := range boards {
		slugs = append(slugs, b.Slug)
	}
	return slugs
}

func TestListOfBoards(t *testing.T) {
	h, dir := found(t)
	if got := slugsOf(t, h); !slices.Equal(got, []string{"default"}) {
		t.Errorf("an empty home has %q", got)
	}
	for _, f := range []string{"zoo/kanban.db", "ant/board.json", "_archived/old-1/kanban.db", "Big/kanban.db", "no.dots/kanban.db", "empty/x", "default/board.json"} {
		put(t, at(dir, "@/.hermes/kanban/boards/"+f), "{}")
	}
	if got := slugsOf(t, h); !slices.Equal(got, []string{"default", "ant", "zoo"}) {
		t.Errorf("got %q", got)
	}
}

func TestMetaIsReadWithTolerance(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          Meta
	}{
		{"all of it", `{"slug":"other","name":"My Work","description":"d","icon":"i","color":"#fff","default_workdir":"/w","project_id":"p","created_at":1700000000,"archived":true,"x":1}`,
			Meta{"My Work", "d", "i", "#fff", "/w", "p", 1700000000, true}},
		{"wrong types", `{"name":5,"description":null,"created_at":"x","archived":"yes"}`, Meta{Name: "My Board"}},
		{"a fraction of a second", `{"created_at":12.7}`, Meta{Name: "My Board", CreatedAt: 12}},
		{"damaged", `{"name":"x"`, Meta{Name: "My Board"}},
		{"no object", `[1]`, Meta{Name: "My Board"}},
		{"null", `null`, Meta{Name: "My Board"}},
		{"a byte order mark", "\ufeff{\"name\":\"N\"}", Meta{Name: "N"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := found(t)
			put(t, at(dir, "@/.hermes/kanban/boards/my-board/board.json"), c.content)
			b, err := h.Board("my-board")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, b.Meta); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRewritingMetaKeepsUnknownKeys(t *testing.T) {
	h, dir := found(t)
	file := at(dir, "@/.hermes/kanban/boards/swe/board.json")
	put(t, file, `{"future": {"big": 12345678901234567890, "html": "<&>"}, "slug": "wrong", "icon": "i", "db_path": "/x"}`)
	if err := h.WriteMeta("swe", Meta{Name: "A <b>", CreatedAt: 7}); err != nil {
		t.Fatal(err)
	}
	got := get(t, file)
	want := `{
  "archived": false,
  "created_at": 7,
  "future": {
    "big": 12345678901234567890,
    "html": "<&>"
  },
  "icon": "",
  "name": "A <b>",
  "slug": "swe"
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
}

func TestRewritingMetaOfTheDefaultBoard(t *testing.T) {
	h, dir := found(t)
	if err := h.WriteMeta("default", Meta{Name: "Home"}); err != nil {
		t.Fatal(err)
	}
	if b, err := h.Board("default"); err != nil || b.Meta.Name != "Home" {
		t.Errorf("got %+v, %v", b, err)
	}
	if _, err := os.Stat(at(dir, "@/.hermes/kanban/boards/default/board.json")); err != nil {
		t.Error(err)
	}
}

func TestDamagedMetaIsNotOverwritten(t *testing.T) {
	h, dir := found(t)
	file := at(dir, "@/.hermes/kanban/boards/swe/board.json")
	for _, content := range []string{`{"a":`, `[]`, `null`} {
		put(t, file, content)
		if err := h.WriteMeta("swe", Meta{Name: "n"}); err == nil {
			t.Errorf("%q was taken", content)
		}
		if got := get(t, file); got != content {
			t.Errorf("%q became %q", content, got)
		}
	}
	if err := h.WriteMeta("gone", Meta{}); !errors.Is(err, ErrNoBoard) {
		t.Errorf("got %v", err)
	}
}

func TestCreateMakesNoDatabase(t *testing.T) {
	h, dir := found(t)
	b, err := h.Create(" My-Board ", Meta{Description: "d"}, 1700000000)
	if err != nil {
		t.Fatal(err)
	}
	if b.Slug != "my-board" || b.Meta.Name != "My Board" || b.Meta.CreatedAt != 1700000000 || b.Meta.Description != "d" {
		t.Errorf("got %+v", b)
	}
	entries, err := os.ReadDir(at(dir, "@/.hermes/kanban/boards/my-board"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "board.json" {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	var keys map[string]any
	if err := json.Unmarshal([]byte(get(t, at(dir, "@/.hermes/kanban/boards/my-board/board.json"))), &keys); err != nil || keys["slug"] != "my-board" {
		t.Errorf("board.json says %v, %v", keys, err)
	}
	for _, taken := range []string{"my-board", "default"} {
		if _, err := h.Create(taken, Meta{}, 1); !errors.Is(err, core.ErrRefused) {
			t.Errorf("%q again: %v", taken, err)
		}
	}
	if _, err := h.Create("_archived", Meta{}, 1); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestSwitchWritesTheCurrentBoard(t *testing.T) {
	h, dir := found(t)
	if err := h.SwitchTo("gone"); !errors.Is(err, ErrNoBoard) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(at(dir, "@/.hermes")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused switch created something")
	}
	put(t, at(dir, "@/.hermes/kanban/boards/swe/kanban.db"), "")
	for _, slug := range []string{"swe", "default"} {
		if err := h.SwitchTo(slug); err != nil {
			t.Fatal(err)
		}
		if got := get(t, at(dir, "@/.hermes/kanban/current")); got != slug+"\n" {
			t.Errorf("current says %q", got)
		}
		if got, notice := h.Active(); got != slug || notice != "" {
			t.Errorf("active is %q, %q", got, notice)
		}
	}
}

func TestArchiveMovesTheBoardAside(t *testing.T) {
	h, dir := found(t)
	archived := at(dir, "@/.hermes/kanban/boards/_archived/")
	for i, want := range []string{"swe-100", "swe-100-1", "swe-100-2"} {
		put(t, at(dir, "@/.hermes/kanban/boards/swe/kanban.db"), want)
		if err := h.SwitchTo("swe"); err != nil {
			t.Fatal(err)
		}
		where, err := h.Archive("swe", 100)
		if err != nil {
			t.Fatal(err)
		}
		if where != archived+want || get(t, where+"/kanban.db") != want {
			t.Errorf("round %d: it is in %q", i, where)
		}
		if slug, notice := h.Active(); slug != "default" || notice != "" {
			t.Errorf("round %d: active is %q, %q", i, slug, notice)
		}
	}
	if got := slugsOf(t, h); !slices.Equal(got, []string{"default"}) {
		t.Errorf("boards left: %q", got)
	}
}

func TestArchiveLeavesAnotherActiveBoardAlone(t *testing.T) {
	h, dir := found(t)
	put(t, at(dir, "@/.hermes/kanban/boards/swe/kanban.db"), "")
	put(t, at(dir, "@/.hermes/kanban/boards/ops/kanban.db"), "")
	if err := h.SwitchTo("ops"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Archive("swe", 1); err != nil {
		t.Fatal(err)
	}
	if slug, _ := h.Active(); slug != "ops" {
		t.Errorf("active is %q", slug)
	}
}

func TestDefaultBoardIsNotArchived(t *testing.T) {
	h, dir := found(t)
	put(t, at(dir, "@/.hermes/kanban/boards/default/board.json"), "{}")
	if _, err := h.Archive("default", 1); !errors.Is(err, core.ErrRefused) {
		t.Errorf("got %v", err)
	}
	if _, err := h.Archive("gone", 1); !errors.Is(err, ErrNoBoard) {
		t.Errorf("got %v", err)
	}
	if !exists(at(dir, "@/.hermes/kanban/boards/default/board.json")) {
		t.Error("its folder went away")
	}
}

func TestProfiles(t *testing.T) {
	h, dir := found(t, "HERMES_KANBAN_HOME=@/k")
	for _, p := range []string{"@/k/profiles/dev", "@/.hermes/profiles/ops", "@/.hermes/profiles/dev", "@/k/profiles/Upper", "@/k/profiles/.deleted", "@/k/outside", "@/outside"} {
		if err := os.MkdirAll(at(dir, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, at(dir, "@/k/profiles/file"), "")
	if err := os.Symlink(at(dir, "@/outside"), at(dir, "@/k/profiles/linked")); err != nil {
		t.Fatal(err)
	}
	if got := h.Profiles(); !slices.Equal(got, []string{"default", "dev", "linked", "ops"}) {
		t.Errorf("profiles %q", got)
	}
	for name, want := range map[string]string{
		"default": "@/.hermes", " Dev ": "@/k/profiles/dev", "ops": "@/.hermes/profiles/ops", "DEFAULT": "@/.hermes",
		"ghost": "", "file": "", "": "", ".": "", "..": "", "../outside": "", "dev/": "", "/": "", ".deleted": "", "dev\x00": "",
	} {
		got, ok := h.ProfileHome(name)
		if got != at(dir, want) && (want != "" || got != "") || ok != (want != "") || h.HasProfile(name) != ok {
			t.Errorf("%q is at %q, %v; want %q", name, got, ok, want)
		}
	}
}
