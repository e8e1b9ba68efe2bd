package ui

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// quick does something to the selected card at once, guarded by what the screen
// showed. It is for what can be taken back with another key.
func (m *Model) quick(doing string, do func(ctx context.Context, c operator.Card) (string, error)) tea.Cmd {
	c := m.asSeen(m.target())
	m.say(doing + " " + text.Clean(c.ID) + m.signs.Ellipsis)
	return m.act(nil, c, func(ctx context.Context) (string, error) { return do(ctx, c) })
}

func (m *Model) unblock() tea.Cmd {
	acts := m.deps.Acts
	return m.quick("unblocking", func(ctx context.Context, c operator.Card) (string, error) {
		status, err := acts.Unblock(ctx, c)
		return fmt.Sprintf("%s goes on and is %s", c.ID, status), err
	})
}

func (m *Model) promote() tea.Cmd {
	acts := m.deps.Acts
	return m.quick("promoting", func(ctx context.Context, c operator.Card) (string, error) {
		return c.ID + " is ready", acts.Promote(ctx, c)
	})
}

// prioritize moves the priority by a step from what the screen showed.
func (m *Model) prioritize(step int64) tea.Cmd {
	acts, from := m.deps.Acts, m.target().Priority
	change, c := operator.Change[int64]{From: from, To: from + step}, m.asSeen(m.target())
	return m.actStep(nil, c, priorityStep(c, change), func(ctx context.Context) (string, error) {
		return fmt.Sprintf("%s has priority %d", c.ID, change.To), acts.Edit(ctx, c, operator.Edit{Priority: &change})
	})
}

// names are those for whom a worker can be started.
func (m *Model) names() []string {
	if m.deps.Names == nil {
		return nil
	}
	return m.deps.Names()
}

// openAssign lets the person choose who works on the card.
func (m *Model) openAssign() tea.Cmd {
	c := m.target()
	seen, was := m.asSeen(c), c.Assignee
	return m.openPicker(m.ownerPicker("Who works on "+text.Clean(c.ID), c.Assignee, func(m *Model, name string) tea.Cmd {
		acts := m.deps.Acts
		return m.actStep(nil, seen, ownerStep(seen, was, name), func(ctx context.Context) (string, error) {
			return seen.ID + " belongs to " + orNobody(name), acts.Assign(ctx, seen, name)
		})
	}))
}

// ownerPicker lists who can be started, nobody, and any other name that is
// typed.
func (m *Model) ownerPicker(head, now string, choose func(m *Model, name string) tea.Cmd) *picker {
	p := newPicker(head)
	add := func(name, about string) {
		if name == now {
			about = "now"
		}
		p.items = append(p.items, item{name: text.Clean(orNobody(name)), about: about, run: func(m *Model) tea.Cmd { return choose(m, name) }})
	}
	for _, name := range m.names() {
		add(name, "")
	}
	add("", "nobody starts it")
	p.free = func(typed string) *item {
		about := "no profile and no lane here: no worker will be started"
		if m.deps.Known == nil || m.deps.Known(typed) {
			about = ""
		}
		return &item{name: text.Clean(typed), about: about, run: func(m *Model) tea.Cmd { return choose(m, typed) }}
	}
	return p
}

func orNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// number64 reads a priority; an empty one is none.
func number64(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

func notANumber(e *entry) string {
	if _, err := number64(e.value()); err != nil {
		return "Nothing was written: the " + e.label + " is no whole number."
	}
	return ""
}

// movable returns why an act cannot be done to the target, whose status must be
// one of those given; none given means any that we know.
func movable(verb string, from ...core.Status) func(*Model) string {
	return func(m *Model) string {
		c := m.target()
		switch {
		case c == nil:
			return "no card is selected"
		case m.deps.Acts == nil || m.deps.Stand == nil:
			return "cards cannot be changed here"
		case !c.Status.Known():
			return fmt.Sprintf("the card is %s, which only a newer Hermes understands", printable(c.Status))
		}
		for _, status := range from {
			if c.Status == status {
				return ""
			}
		}
		if len(from) == 0 {
			return ""
		}
		return fmt.Sprintf("the card is %s and cannot be %s", c.Status, verb)
	}
}
