package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// EmergencyStop is Hermes' file whose existence keeps every dispatcher of the
// home from starting anything.
type EmergencyStop struct {
	Engaged func() (engaged bool, why string)
	Engage  func(reason string) error
	Release func() error
}

func canStopAll(m *Model) string {
	if m.deps.Emergency == nil {
		return "the emergency stop cannot be reached from here"
	}
	return ""
}

// stopWord is what a person types so that a single key stops nothing.
const stopWord = "stop"

// openStopAll asks before everything is stopped, or goes on.
func (m *Model) openStopAll() tea.Cmd {
	e := m.deps.Emergency
	if engaged, why := e.Engaged(); engaged {
		f := &form{head: "Release the emergency stop", does: "release", warn: []string{text.Clean(why), "Dispatchers start cards again from their next tick on."}}
		f.send = send(func(context.Context, sent) (string, error) { return "the emergency stop is released", e.Release() })
		return m.openForm(f)
	}
	f := &form{head: "Emergency stop", does: "stop everything", entries: []*entry{line("type stop", ""), line("reason", "")},
		warn: []string{"No dispatcher of this home, Hermes' own included, starts anything while the stop is there. Workers that run go on."}}
	f.entries[0].required = true
	f.check = func(f *form) string {
		if f.entries[0].value() != stopWord {
			return "Nothing was done: type " + stopWord + " to say so."
		}
		return ""
	}
	f.send = send(func(_ context.Context, s sent) (string, error) {
		return "everything is stopped: nothing new starts anywhere", e.Engage(s.values[1])
	})
	return m.openForm(f)
}
