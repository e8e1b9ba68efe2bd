package core_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/hermes-tui/hermes-tui/"

// rooms says which of our rooms each room may import; docs/architecture.md
// draws the same.
var rooms = map[string][]string{
	"core":           {},
	"core/home":      {"core"},
	"core/process":   {"core"},
	"core/board":     {"core"},
	"core/journal":   {"core", "core/board", "core/process", "core/home"},
	"core/worker":    {"core", "core/process", "core/home"},
	"core/lane":      {"core", "core/board", "core/process", "core/home", "core/journal", "core/worker"},
	"core/attention": {"core"},
	"core/reconcile": {"core", "core/board", "core/process"},
	"core/operator":  {"core", "core/board", "core/process", "core/home", "core/journal"},
	"core/dispatch":  {"core", "core/board", "core/process", "core/home", "core/journal", "core/worker", "core/reconcile"},
	"themes":         {},
	"ui/text":        {},
	"ui/columns":     {"core", "themes", "ui/text"},
	"ui":             {"core", "core/board", "core/dispatch", "core/operator", "core/reconcile", "core/journal", "themes", "ui/text", "ui/columns"},
	"demo":           {"core", "core/board", "core/dispatch", "core/home", "core/journal", "core/operator", "core/process", "core/worker"},
	"cmd/hermes-tui": nil, // may import every room
}

// terminal are packages that draw; core must do without them.
var terminal = []string{"charm.land/", "github.com/charmbracelet/"}

func TestEveryRoomImportsOnlyTheRoomsBelowIt(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return checkImports(t, filepath.ToSlash(file), path)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, file, path string) error {
	room := filepath.ToSlash(filepath.Dir(file))
	allowed, known := rooms[room]
	if !known {
		// A room below a room, such as test support, follows its parent.
		parent := filepath.ToSlash(filepath.Dir(room))
		if allowed, known = rooms[parent]; !known {
			t.Errorf("%s: the room %s is not in the plan of the house", file, room)
		}
		allowed = append(slices.Clone(allowed), parent)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if ours, ok := strings.CutPrefix(name, module); ok && rooms[room] != nil && !slices.Contains(allowed, ours) {
			t.Errorf("%s imports %s, which is not below %s", file, ours, room)
		}
		if strings.HasPrefix(room, "core") && slices.ContainsFunc(terminal, func(p string) bool { return strings.HasPrefix(name, p) }) {
			t.Errorf("%s imports the terminal package %s", file, name)
		}
	}
	return nil
}

func TestOnlyTheBoardRoomSpeaksSQL(t *testing.T) {
	for _, dir := range []string{"home", "process", "worker", "reconcile", "operator", "dispatch", "journal", ".", "../ui", "../ui/columns", "../demo", "../cmd/hermes-tui"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range parsed.Imports {
				if spec.Path.Value == `"database/sql"` || strings.HasPrefix(spec.Path.Value, `"modernc.org/sqlite`) {
					t.Errorf("%s imports %s", path, spec.Path.Value)
				}
			}
		}
	}
}
