package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBigLogsAreTurnedOver(t *testing.T) {
	for name, c := range map[string]struct {
		size    int
		limit   int64
		backups int
		want    map[string]string // file: content, "" for absent
	}{
		"small enough":  {10, 10, 1, map[string]string{"l": "new", "l.1": "one"}},
		"too big":       {11, 10, 1, map[string]string{"l": "", "l.1": "new", "l.2": "two"}},
		"two backups":   {11, 10, 2, map[string]string{"l": "", "l.1": "new", "l.2": "one"}},
		"no backups":    {11, 10, 0, map[string]string{"l": "", "l.1": "one"}},
		"without limit": {11, 0, 1, map[string]string{"l": "new", "l.1": "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "l")
			for file, text := range map[string]string{path: "new" + strings.Repeat(" ", c.size-3), path + ".1": "one", path + ".2": "two"} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			rotate(path, c.limit, c.backups)
			for file, want := range c.want {
				file = filepath.Join(filepath.Dir(path), file)
				if want == "" {
					if exists(file) {
						t.Errorf("%s is still there", file)
					}
				} else if got := strings.TrimSpace(read(t, file)); got != want {
					t.Errorf("%s holds %q, want %q", file, got, want)
				}
			}
		})
	}
}

func TestLogThatIsNoFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "t_1.log")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fifo(t, dir), filepath.Join(dir, "t_2.log")); err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"t_1", "t_2"} {
		if f, err := openLog(dir, task, 1, 1, 1); err == nil {
			f.Close()
			t.Errorf("%s was opened", task)
		}
	}
	if got := read(t, victim); got != "mine" {
		t.Errorf("the file behind the link holds %q", got)
	}
}
