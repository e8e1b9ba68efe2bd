package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
)

// cardActions are what a person can do to the selected card.
func cardActions() []action {
	act := func(id, key, label, help string, enabled func(*Model) string, run func(*Model) tea.Cmd) action {
		return action{id: id, scope: anywhere, keys: []string{key}, label: label, help: help, group: groupCards, acts: true, enabled: enabled, run: run}
	}
	known := movable("changed")
	table := []action{
		act("answer", "R", "answer", "answer a blocked card: a comment, and it goes on", movable("answered: it is not blocked", core.Blocked), (*Model).openAnswer),
		act("unblock", "u", "", "let a blocked or parked card go on", orPicked(movable("unblocked", core.Blocked, core.Scheduled)), forPicked((*Model).unblock, (*Model).bulkUnblock)),
		act("promote", "P", "", "make a todo or blocked card ready", movable("promoted", core.Todo, core.Blocked), (*Model).promote),
		act("complete", "C", "", "finish a card, with a summary", movable("completed", core.Running, core.Ready, core.Blocked, core.Review), (*Model).openComplete),
		act("block", "B", "", "stop work on a card until somebody decides", movable("blocked", core.Running, core.Ready), (*Model).openBlock),
		act("park", "H", "", "park a card until it is unblocked", movable("parked", core.Todo, core.Ready, core.Running, core.Blocked), (*Model).openSchedule),
		act("archive", "a", "", "put a card away", orPicked(movable("archived again", notArchived...)), forPicked((*Model).openArchive, (*Model).bulkArchive)),
		act("review", "V", "", "hand a card to a reviewer", movable("handed to review", core.Running, core.Ready), (*Model).openReview),
		act("send-back", "<", "", "send a card under review back to whoever did the work", movable("sent back: nobody reviews it", core.Review, core.Running), (*Model).openSendBack),
		act("stop", "K", "", "stop the worker and nothing else", movable("stopped: no worker has it", core.Running), (*Model).openStop),
		act("assign", "o", "", "give a card to another owner, or to nobody", orPicked(movable("given away while it runs: requeue it first", notRunning...)), forPicked((*Model).openAssign, (*Model).bulkAssign)),
		act("priority-up", "+", "", "raise the priority", known, func(m *Model) tea.Cmd { return m.prioritize(1) }),
		act("priority-down", "-", "", "lower the priority", known, func(m *Model) tea.Cmd { return m.prioritize(-1) }),
		act("comment", "c", "", "add a comment", known, (*Model).openComment),
		act("edit", "e", "", "edit title, text and priority", known, (*Model).openEdit),
		act("create", "n", "", "make a new card", canCreate, (*Model).openCreate),
	}
	for i := range table {
		table[i].many = slices.Contains([]string{"unblock", "archive", "assign"}, table[i].id)
	}
	return table
}

var (
	notArchived = []core.Status{core.Triage, core.Todo, core.Scheduled, core.Ready, core.Running, core.Blocked, core.Review, core.Done}
	notRunning  = []core.Status{core.Triage, core.Todo, core.Scheduled, core.Ready, core.Blocked, core.Review, core.Done, core.Archived}
)

func canCreate(m *Model) string {
	if m.deps.Acts == nil {
		return "cards cannot be made here"
	}
	return needsBoard(m)
}
