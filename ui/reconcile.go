package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// reconcileDialog shows the findings of a dry run before anything is repaired.
// Where cards are picked it is about these only.
type reconcileDialog struct {
	guard
	picked   []bulkCard
	findings []reconcile.Finding
	known    bool
	err      error
}

type found struct {
	findings []reconcile.Finding
	err      error
}

func (m *Model) openReconcile() tea.Cmd {
	m.dialog = &reconcileDialog{picked: m.pickedCards()}
	findings := m.deps.Findings
	return m.ask(func(ctx context.Context) tea.Msg {
		list, err := findings(ctx)
		return found{list, err}
	})
}

func (m *Model) onFound(f found) {
	d, ok := m.dialog.(*reconcileDialog)
	if !ok || d.known {
		return // the person has moved on
	}
	d.findings, d.err, d.known = slices.DeleteFunc(slices.Clone(f.findings), func(f reconcile.Finding) bool { return !d.about(f.Task) }), f.err, true
	d.arm(m.now())
	m.dirty = true
}

func (d *reconcileDialog) about(task string) bool {
	return len(d.picked) == 0 || slices.ContainsFunc(d.picked, func(c bulkCard) bool { return c.seen.ID == task })
}

// repairs lists the cards that a confirmation would write.
func (d *reconcileDialog) repairs() []string {
	var ids []string
	for _, f := range d.findings {
		if f.Action != reconcile.Hold && f.Action != reconcile.Show {
			ids = append(ids, f.Task)
		}
	}
	return ids
}

// maxFindings bounds how many findings are listed.
const maxFindings = 50

func (d *reconcileDialog) title() string {
	title := "Reconcile"
	if len(d.picked) > 0 {
		title += " " + several(len(d.picked), "picked card")
	}
	if len(d.findings) > 0 {
		title += ": " + several(len(d.findings), "finding")
	}
	return title
}

func (d *reconcileDialog) field() *field          { return nil }
func (d *reconcileDialog) foot(*Model, int) []row { return nil }

func (d *reconcileDialog) hints() []hint {
	if n := len(d.repairs()); n > 0 {
		return []hint{{"y", fmt.Sprintf("repair %s", several(n, "card"))}, {"esc", "leave them"}}
	}
	return []hint{{"esc", "close"}}
}

func (d *reconcileDialog) body(m *Model, width int) []row {
	ink := &m.styles.Raised
	switch {
	case d.err != nil:
		return paragraph("Cannot compare the board with what is true: "+text.Clean(d.err.Error()), width, ink.Danger)
	case !d.known:
		return []row{{{Text: "Comparing the board with what is true" + m.signs.Ellipsis, Style: ink.Muted}}}
	case len(d.findings) == 0:
		return []row{{{Text: m.signs.Done + " ", Style: ink.Running}, {Text: d.allTrue(), Style: ink.Text}}}
	}
	var rows []row
	for i, f := range d.findings {
		if i == maxFindings {
			return append(rows, row{{Text: fmt.Sprintf("and %d more", len(d.findings)-i), Style: ink.Muted}})
		}
		sign, does, style := m.signs.Reconciled, string(f.Action), ink.Reconciled
		switch f.Action {
		case reconcile.Block:
			sign, style = m.signs.Blocked, ink.Blocked
		case reconcile.Hold:
			sign, style = m.signs.Held, ink.Muted
		case reconcile.Show:
			sign, does, style = m.signs.Held, "to look at", ink.Muted
		}
		rows = append(rows,
			row{{Text: sign + " ", Style: style}, {Text: text.Clean(f.Task), Style: ink.Strong}, {Text: "  " + does, Style: style}},
			row{{Text: "  " + text.Clean(f.Reason), Style: ink.Text}})
		if f.Evidence != "" {
			rows = append(rows, row{{Text: "  " + text.Clean(f.Evidence), Style: ink.Muted}})
		}
	}
	return rows
}

func (d *reconcileDialog) allTrue() string {
	if len(d.picked) > 0 {
		return "The board says what is true of them. Nothing to repair."
	}
	return "The board says what is true. Nothing to repair."
}

func (d *reconcileDialog) confirm(m *Model) tea.Cmd {
	ids := d.repairs()
	if !d.known || !d.ready(m.now()) {
		return nil
	}
	m.dialog = nil
	if len(ids) == 0 {
		return nil
	}
	repair := m.deps.Reconcile
	m.say("reconciling " + several(len(ids), "card") + m.signs.Ellipsis)
	return m.ask(func(ctx context.Context) tea.Msg {
		done, err := repair(ctx, ids)
		return answered{text: "reconciled " + several(len(done), "card"), err: err, reconciled: done}
	})
}

// several is a number with its noun.
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
