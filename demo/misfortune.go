package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hermes-tui/hermes-tui/core/journal"
)

// card finds the agent's card and the place of its journal in the environment, as
// every worker does.
func (a Agent) card() (journal.Place, journal.Name, error) {
	get := a.Env.Get
	run, err := strconv.ParseInt(get("HERMES_KANBAN_RUN_ID"), 10, 64)
	if err != nil {
		return journal.Place{}, journal.Name{}, fmt.Errorf("no run to report for: %w", err)
	}
	root := filepath.Join(get("HERMES_KANBAN_HOME"), "kanban", "cli-lanes")
	place := journal.Place{Root: root, Slug: get("HERMES_KANBAN_BOARD"), DB: get("HERMES_KANBAN_DB")}
	return place, journal.Name{Task: get("HERMES_KANBAN_TASK"), Run: run}, nil
}

// makeDurable writes the result as a runner does, but tells the board nothing.
func (a Agent) makeDurable() error {
	place, name, err := a.card()
	if err != nil {
		return err
	}
	folder, err := place.Make()
	if err != nil {
		return err
	}
	defer folder.Close()
	result, summary := done, "Done, and all checks pass."
	fmt.Fprintln(a.Out, "the result is durable; now the runner dies before the board hears of it")
	return folder.Write(journal.Record{Board: place.Slug, Task: name.Task, Run: name.Run, Result: &result, Summary: &summary, WrittenAt: a.Clock.Now()}, nil)
}

// leave puts a journal where a runner would, but one that cannot be trusted.
func (a Agent) leave(text string) error {
	place, name, err := a.card()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Out, "the runner dies and leaves a journal that nobody can trust")
	return os.WriteFile(filepath.Join(place.Root, place.Slug, name.String()+".terminal.pending.json"), []byte(text), 0o600)
}
