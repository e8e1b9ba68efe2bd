package dispatch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// A worker works in another folder than its dispatcher, and must not find
// another home there.
func TestRelativePathsOfTheEnvironmentLeadAWorkerToTheSameHome(t *testing.T) {
	w := newWorld(t)
	env := w.d.Home.Env()
	env.Vars = append([]string{"HERMES_TUI_STATE_ROOT=state", "HERMES_TUI_CONFIG=settings.yaml"}, env.Vars...)
	for i, v := range env.Vars {
		if strings.HasPrefix(v, "HERMES_KANBAN_HOME=") {
			env.Vars[i] = "HERMES_KANBAN_HOME=."
		}
	}
	h, err := home.Find(env)
	w.must(err)
	w.d.Starter.(*dispatch.Workers).Home = h
	id := w.card(board.NewTask{Assignee: "shows"})
	log := filepath.Join(w.d.Place.Logs, id+".log")
	var text string
	w.until("the worker has shown its environment", func(*dispatch.Report) bool {
		data, _ := os.ReadFile(log)
		text = string(data)
		return strings.Contains(text, "HERMES_PROFILE=")
	})
	for _, want := range []string{"HERMES_KANBAN_HOME=" + w.dir, "HERMES_TUI_STATE_ROOT=" + filepath.Join(w.dir, "state"), "HERMES_TUI_CONFIG=" + filepath.Join(w.dir, "settings.yaml")} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the worker lacks %s:\n%s", want, text)
		}
	}
}
