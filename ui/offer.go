package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// offer is the dialog that asks whether this screen should dispatch. Beside a
// Hermes gateway it offers lanes only.
type offer struct {
	guard
	beside *Beside // nil while that is looked at
}

// neighboured is who dispatches beside the screen.
type neighboured struct {
	offer  *offer
	beside Beside
}

func (m *Model) offerDispatch() tea.Cmd {
	o := &offer{}
	m.dialog = o
	look := m.deps.Beside
	if look == nil {
		o.know(Beside{}, m.now())
		return nil
	}
	return m.ask(func(ctx context.Context) tea.Msg { return neighboured{o, look(ctx)} })
}

func (o *offer) know(b Beside, now time.Time) {
	o.beside = &b
	o.arm(now)
}

func (m *Model) onNeighboured(n neighboured) {
	if m.dialog == n.offer {
		n.offer.know(n.beside, m.now())
		m.dirty = true
	}
}

// lanesOnly reports whether nothing but lanes is left to dispatch.
func (o *offer) lanesOnly() bool { return o.beside != nil && o.beside.Gateway }

// useless reports whether there is nothing to say yes to.
func (o *offer) useless() bool {
	return o.beside == nil || o.beside.Gateway && len(o.beside.Lanes) == 0
}

func (o *offer) title() string {
	if o.lanesOnly() {
		return "Serve lanes from this screen"
	}
	return "Dispatch from this screen"
}

func (o *offer) field() *field          { return nil }
func (o *offer) foot(*Model, int) []row { return nil }

func (o *offer) hints() []hint {
	if o.useless() {
		return []hint{{"esc", "keep watching"}}
	}
	return []hint{{"y", "while open"}, {"a", "always, on this board"}, {"esc", "keep watching"}}
}

func (o *offer) body(m *Model, width int) []row {
	ink := &m.styles.Raised
	every := columns.Span(int64(m.opts.Interval / time.Second))
	switch {
	case o.beside == nil:
		return []row{{{Text: "Looking who else dispatches here" + m.signs.Ellipsis, Style: ink.Muted}}}
	case !o.lanesOnly():
		rows := paragraph("While this screen is open it will claim ready cards, start workers for them, watch these and repair what broke, every "+
			every+".", width, ink.Text)
		return append(append(rows, nil), paragraph("Closing the screen stops nothing that runs. p pauses.", width, ink.Muted)...)
	}
	rows := append(paragraph("A Hermes gateway dispatches on this home and goes on doing so. It starts profiles, and no lanes.", width, ink.Text), nil)
	if o.useless() {
		return append(rows, paragraph("No lane is configured here, so there is nothing left to dispatch: this screen only watches. docs/lanes.md shows how a lane is written.", width, ink.Attention)...)
	}
	rows = append(rows, paragraph("While this screen is open it will start and watch the workers of the lanes, every "+every+": "+
		text.Clean(strings.Join(o.beside.Lanes, ", "))+".", width, ink.Text)...)
	return append(append(rows, nil), paragraph("Everything else is left to the gateway. p pauses.", width, ink.Muted)...)
}

func (o *offer) confirm(m *Model) tea.Cmd {
	if o.useless() || !o.ready(m.now()) {
		return nil
	}
	m.dialog = nil
	m.serveLanes(o.lanesOnly())
	return m.dispatch()
}

// serveLanes tells the ticks of this screen what is theirs.
func (m *Model) serveLanes(only bool) {
	m.disp.lanesOnly = only
	if m.deps.ServeLanes != nil {
		m.deps.ServeLanes(only)
	}
}

// take hears the answer that the table of actions does not know.
func (o *offer) take(m *Model, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() != "a" && msg.Keystroke() != "a" {
		return nil, false
	}
	if msg.IsRepeat || o.useless() || !o.ready(m.now()) {
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
