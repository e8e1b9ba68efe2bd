package home

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestThemeFilesAreReadAndOddOnesRefused(t *testing.T) {
	dir := t.TempDir()
	h, err := Find(Env{UserHome: dir, Cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := h.ThemeFiles(); files != nil || err != nil {
		t.Errorf("without a folder: %v, %v", files, err)
	}
	if err := os.MkdirAll(filepath.Join(h.ThemeDir(), "folder.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"mine.yaml": "text", ".mine.yaml.swp": "x", "other.yml": "x", "giant.yaml": strings.Repeat("#", themeLimit+1),
	} {
		if err := os.WriteFile(filepath.Join(h.ThemeDir(), name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("mine.yaml", filepath.Join(h.ThemeDir(), "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(h.ThemeDir(), "pipe.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := h.ThemeFiles()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		if got[f.Name] = string(f.Data); f.Err != nil {
			got[f.Name] = f.Err.Error()
		}
	}
	for name, want := range map[string]string{
		"mine": "text", "other.yml": "NAME.yaml", "giant": "larger than 65536 bytes",
		"link": "is a link", "pipe": "not a regular file", "folder": "not a regular file",
	} {
		if !strings.Contains(got[name], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("also found: %v", got)
	}
}
