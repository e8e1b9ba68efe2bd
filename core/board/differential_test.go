package board_test

import (
	"context"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board/differential"
)

// TestDifferential plays recorded scenarios and compares every row with what
// Hermes left. HERMES_DIFFERENTIAL names another folder of them.
func TestDifferential(t *testing.T) {
	folder, reason := differential.Folder("HERMES_DIFFERENTIAL", "../shared/differential/transitions")
	if folder == "" {
		t.Skip(reason)
	}
	scenarios, err := differential.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			if s.Has("dispatch") || s.Has("reconcile") {
				t.Skip("it has a dispatcher in it; it is played in core/dispatch")
			}
			p, err := differential.Start(context.Background(), s, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			diffs, err := s.Play(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range diffs {
				if i == 20 {
					t.Errorf("and %d more", len(diffs)-i)
					break
				}
				t.Error(d)
			}
		})
	}
}
