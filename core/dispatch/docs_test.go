package dispatch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsed are the files of a room without its tests.
func parsed(t *testing.T, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// constants are the texts of the constants of a type.
func constants(files []*ast.File, of string) []string {
	var out []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == of {
				out = append(out, texts(spec)...)
			}
			return true
		})
	}
	return out
}

// texts are the string literals below a node.
func texts(n ast.Node) []string {
	var out []string
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// holds are the reasons for which a card may be held: what is given to hold and
// holding, and to the reason of a finding that writes nothing.
func holds(files []*ast.File) []string {
	var out []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if slices.Contains([]string{"hold", "holding"}, nameOf(n.Fun)) {
					out = append(out, texts(n)...)
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if field, ok := left.(*ast.SelectorExpr); ok && (field.Sel.Name == "why" || field.Sel.Name == "Reason") {
						for _, right := range n.Rhs {
							out = append(out, texts(right)...)
						}
					}
				}
			}
			return true
		})
	}
	return out
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

var verb = regexp.MustCompile(`%[dqsv]`)

func TestEveryFindingCauseAndHoldStandsInItsTable(t *testing.T) {
	doc, err := os.ReadFile("../../docs/reconcile.md")
	if err != nil {
		t.Fatal(err)
	}
	for dir, of := range map[string]string{"../reconcile": "Kind", "../board": "Cause"} {
		names := constants(parsed(t, dir), of)
		if len(names) < 9 {
			t.Errorf("only %v found in %s", names, dir)
		}
		for _, name := range names {
			if !strings.Contains(string(doc), "\n| `"+name+"` |") {
				t.Errorf("%s %q stands in no row", of, name)
			}
		}
	}
	reasons := holds(slices.Concat(parsed(t, "."), parsed(t, "../reconcile")))
	if len(reasons) < 20 {
		t.Errorf("only %d reasons found", len(reasons))
	}
	for _, reason := range reasons {
		row := verb.ReplaceAllString(reason, "…")
		if strings.HasSuffix(row, ": ") {
			row += "…"
		}
		if row != "" && !moves(row) && !strings.Contains(string(doc), "\n| "+row+" |") {
			t.Errorf("the hold %q stands in no row", row)
		}
	}
}

// moves reports whether a reason is of a finding that is repaired, not held.
func moves(reason string) bool {
	return strings.HasPrefix(reason, "running without a claim") || strings.HasPrefix(reason, "running with a broken claim")
}
