package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/columns"
)

// offer is the dialog that asks whether this screen should dispatch.
type offer struct{ guard }

func (m *Model) offerDispatch() tea.Cmd {
	o := &offer{}
	o.arm(m.now())
	m.dialog = o
	return nil
}

func (o *offer) title() string          { return "Dispatch from this screen" }
func (o *offer) field() *field          { return nil }
func (o *offer) foot(*Model, int) []row { return nil }

func (o *offer) hints() []hint {
	return []hint{{"y", "while open"}, {"a", "always, on this board"}, {"esc", "keep watching"}}
}

func (o *offer) body(m *Model, width int) []row {
	rows := paragraph("While this screen is open it will claim ready cards, start workers for them, watch these and repair what broke, every "+
		columns.Span(int64(m.opts.Interval/time.Second))+".", width, m.styles.Raised.Text)
	rows = append(rows, nil)
	return append(rows, paragraph("Closing the screen stops nothing that runs. p pauses.", width, m.styles.Raised.Muted)...)
}

func (o *offer) confirm(m *Model) tea.Cmd {
	if !o.ready(m.now()) {
		return nil
	}
	m.dialog = nil
	return m.dispatch()
}

// take hears the answer that the table of actions does not know.
func (o *offer) take(m *Model, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() != "a" && msg.Keystroke() != "a" {
		return nil, false
	}
	if msg.IsRepeat || !o.ready(m.now()) {
		return nil, true
	}
	m.always, m.touched, m.dirty = true, true, true
	return o.confirm(m), true
}

func (o *offer) insert(string) {}

// watch takes the answer back. A tick under way is not cut short.
func (m *Model) watch() tea.Cmd {
	m.disp.mode = watching
	m.disp.turn++
	m.always, m.touched = false, true
	m.say("only watching: running workers go on, nothing new starts from here")
	return nil
}
