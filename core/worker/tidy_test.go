package worker

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatEndedRunsLeftIsRemovedUnlessItIsHeld(t *testing.T) {
	d := RunDir{filepath.Join(t.TempDir(), "state"), "default"}
	if err := d.Tidy(func(string, int64) bool { return true }); err != nil || exists(d.StateRoot) {
		t.Errorf("without a folder: %v", err)
	}
	for run := range int64(3) {
		f, err := d.takeLease(t.Context(), "t_1", run+1, noSleep)
		if err != nil {
			t.Fatal(err)
		}
		if run == 1 {
			defer f.Close() // somebody of the second run is still there
		} else {
			f.Close()
		}
		if err := d.WriteLaunch(Launch{Task: "t_1", Run: run + 1}); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(d.StateRoot, d.Board, "run")
	for _, name := range []string{"notes.txt", "t_1.x.lease", "t_1.01.lease", "..1.lease"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Tidy(func(task string, run int64) bool { return task == "t_1" && run < 3 }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{"..1.lease", "notes.txt", "t_1.01.lease", "t_1.2.lease", "t_1.3.launch.json", "t_1.3.lease", "t_1.x.lease"}
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}
