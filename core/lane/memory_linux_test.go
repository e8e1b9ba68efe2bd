//go:build !race

// The race detector's own memory would be measured with the runner's.

package lane_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
)

func TestAnAgentThatPrintsAHundredMegabytesDoesNotGrowItsRunner(t *testing.T) {
	w := newWorld(t, "  loud:\n    routes:\n      - {command: [loud]}\n")
	w.write("bin/loud", `#!/bin/sh
yes 'a line of output that nobody will ever read' | head -c 100000000
grep VmHWM /proc/$PPID/status > peak
echo '{"status": "completed", "summary": "said it all"}'
`)
	id := w.card("loud")
	d := w.untilStatus(id, core.Done)
	if *d.Runs[0].Summary != "said it all" {
		t.Errorf("run %+v", d.Runs[0])
	}
	text, err := os.ReadFile(filepath.Join(w.workspace(id), "peak"))
	w.must(err)
	var kilobytes int
	if _, err := fmt.Sscanf(string(text), "VmHWM: %d kB", &kilobytes); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	t.Logf("the runner had at most %d MB", kilobytes>>10)
	if kilobytes > 150<<10 {
		t.Errorf("the runner grew to %d MB", kilobytes>>10)
	}
}
