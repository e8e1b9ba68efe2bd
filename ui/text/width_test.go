package text

import (
	"strings"
	"testing"
)

func TestFitIsExact(t *testing.T) {
	for _, s := range []string{"", "a", "hello world", "日本語のタイトル", "e\u0301e\u0301e\u0301", "🔐x🔐"} {
		for w := range 14 {
			if got := Width(Fit(s, w)); got != w {
				t.Errorf("Fit(%q, %d) takes %d cells", s, w, got)
			}
			if got := Width(TruncateLeft(s, w)); got > w {
				t.Errorf("TruncateLeft(%q, %d) takes %d cells", s, w, got)
			}
		}
	}
	if got := Spaces(600); got != strings.Repeat(" ", 600) {
		t.Error("long padding is wrong")
	}
}

func TestTruncateLeftKeepsTheEnd(t *testing.T) {
	if got := TruncateLeft("/home/you/.hermes/kanban.db", 12); got != "…s/kanban.db" {
		t.Errorf("got %q", got)
	}
}

func TestWrapStaysInside(t *testing.T) {
	for _, line := range Wrap("one two-three four\n\n日本語のタイトルです averyveryverylongword", 8) {
		if Width(line) > 8 {
			t.Errorf("%q is wider than 8", line)
		}
	}
	if got := Wrap("a\n\nb", 5); len(got) != 3 || got[1] != "" {
		t.Errorf("blank line lost: %q", got)
	}
}
