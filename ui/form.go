package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// form asks for what an act on a card needs. It stays open, with what was typed,
// until the board has taken it; only then, or when the person gives up, it goes.
// What is given up is kept as a draft until the same form is opened again.
type form struct {
	guard
	head    string
	name    string // the card's title, empty for none
	does    string // what confirming does: "block"
	entries []*entry
	at      int
	draft   string // key of the draft
	initial []string

	// card is what the act is guarded by. Where look is set, what stands behind
	// the card is asked first and shown.
	card operator.Card
	look bool
	seen *operator.Standing
	warn []string // what else will happen, in words

	// send carries the act out, stop says that its worker may be stopped. check
	// names what is missing or wrong, empty for nothing.
	send  func(m *Model, f *form, stop bool) tea.Cmd
	check func(f *form) string

	lookErr  error
	busy     bool
	complain string
}

// entry is one thing that a form asks for: a line, a text, or a choice.
type entry struct {
	label    string
	required bool
	line     *field
	area     *area
	choices  []string
	chosen   int
	hint     string // shown while it is empty
}

func line(label, value string) *entry {
	f := newField()
	f.set(value)
	return &entry{label: label, line: &f}
}

func words(label, value string) *entry {
	a := newArea(value)
	return &entry{label: label, area: &a}
}

func choice(label string, choices ...string) *entry { return &entry{label: label, choices: choices} }

func (e *entry) value() string {
	switch {
	case e.line != nil:
		return strings.TrimSpace(e.line.value())
	case e.area != nil:
		return strings.TrimSpace(e.area.value())
	}
	return e.choices[e.chosen]
}

func (e *entry) set(value string) {
	switch {
	case e.line != nil:
		e.line.set(value)
	case e.area != nil:
		e.area.set(value)
	default:
		for i, c := range e.choices {
			if c == value {
				e.chosen = i
			}
		}
	}
}

// openForm shows a form, with the draft that was left of it, if any.
func (m *Model) openForm(f *form) tea.Cmd {
	f.initial = f.values()
	if kept := m.drafts[f.draft]; len(kept) == len(f.entries) {
		for i, e := range f.entries {
			e.set(kept[i])
		}
	}
	m.dialog = f
	if f.look {
		return m.lookBehind(f)
	}
	f.arm(m.now())
	return nil
}

func (f *form) values() []string {
	values := make([]string, len(f.entries))
	for i, e := range f.entries {
		values[i] = e.value()
	}
	return values
}

func (f *form) title() string { return f.head }

func (f *form) current() *entry {
	if len(f.entries) == 0 || f.blind() {
		return nil
	}
	return f.entries[f.at]
}

// blind reports whether nothing can be decided yet, or at all.
func (f *form) blind() bool {
	return f.look && (f.seen == nil || f.seen.NeedsDeadWord)
}

func (f *form) field() *field {
	if e := f.current(); e != nil {
		return e.line
	}
	return nil
}

// live reports whether a worker must be stopped first.
func (f *form) live() bool { return f.seen != nil && f.seen.Stoppable() }

func (f *form) hints() []hint {
	if f.blind() {
		return []hint{{"esc", "close"}}
	}
	key, e := "enter", f.current()
	switch {
	case e == nil:
		key = "y"
	case e.area != nil:
		key = "^s"
	}
	does := f.does
	if f.live() {
		does = "stop worker, then " + does
	}
	hints := []hint{{key, does}}
	if len(f.entries) > 1 {
		hints = append(hints, hint{"tab", "next"})
	}
	if e != nil && e.area != nil {
		hints = append(hints, hint{"^o", "editor"})
	}
	if e != nil && e.choices != nil {
		hints = append(hints, hint{"left/right", "choose"})
	}
	return append(hints, hint{"esc", "leave it"})
}

func (f *form) body(m *Model, width int) []row {
	rows := f.about(m, width)
	if f.blind() || len(f.entries) == 0 {
		return rows
	}
	if len(rows) > 0 {
		rows = append(rows, nil)
	}
	for i, e := range f.entries {
		rows = append(rows, e.rows(m, width, i == f.at && !f.busy)...)
	}
	return rows
}

// about is what a person has to know before anything is entered.
func (f *form) about(m *Model, width int) []row {
	ink := &m.styles.Raised
	var rows []row
	if f.name != "" {
		rows = append(rows, row{{Text: f.name, Style: ink.Strong}})
	}
	switch {
	case f.lookErr != nil:
		return append(rows, paragraph("Cannot look behind this card: "+text.Clean(f.lookErr.Error()), width, ink.Danger)...)
	case f.look && f.seen == nil:
		return append(rows, nil, row{{Text: "Looking what stands behind it" + m.signs.Ellipsis, Style: ink.Muted}})
	case f.look:
		rows = append(rows, f.behind(m, width)...)
	}
	if len(rows) > 0 && len(f.warn) > 0 {
		rows = append(rows, nil)
	}
	for _, w := range f.warn {
		rows = append(rows, paragraph(w, width, ink.Attention)...)
	}
	return rows
}

// behind says what stands behind the card, where anything does.
func (f *form) behind(m *Model, width int) []row {
	ink := &m.styles.Raised
	if !f.seen.Held() {
		return nil
	}
	worker := workerFact(f.seen, ink)
	rows := []row{nil, {{Text: text.Fit(worker.name, 11), Style: ink.Muted}, {Text: text.Clean(worker.words), Style: worker.style}}}
	if f.seen.Sighting.Evidence != "" {
		rows = append(rows, row{{Text: text.Fit("evidence", 11), Style: ink.Muted}, {Text: text.Clean(f.seen.Sighting.Evidence), Style: ink.Text}})
	}
	rows = append(rows, nil)
	switch {
	case f.seen.NeedsDeadWord:
		return append(rows, paragraph("Nothing tells whether its worker still lives, so the card stays as it is. Requeue it first (r), which asks for your word.", width, ink.Attention)...)
	case f.live():
		return append(rows, paragraph("Its worker is stopped first; if it cannot be stopped, nothing happens.", width, ink.Text)...)
	}
	return append(rows, paragraph("No worker lives.", width, ink.Muted)...)
}

// labelWidth is the room for the name of what is asked for.
const labelWidth = 11

func (e *entry) rows(m *Model, width int, focused bool) []row {
	ink := &m.styles.Raised
	style := ink.Muted
	if focused {
		style = ink.Accent
	}
	label := columns.Piece{Text: text.Fit(e.label, labelWidth), Style: style}
	room := width - labelWidth
	switch {
	case e.choices != nil:
		return e.choiceRows(m, label, room, focused)
	case e.line != nil && focused:
		return []row{append(row{label}, e.line.window(room, ink, m.styles.Brand)...)}
	case e.line != nil:
		return []row{{label, {Text: text.Clean(e.line.value()), Style: ink.Text}}}
	}
	lines := e.area.rows(room, areaHeight, ink, m.styles.Brand, focused)
	for len(lines) < 3 {
		lines = append(lines, nil)
	}
	out := []row{append(row{label}, lines[0]...)}
	for _, l := range lines[1:] {
		out = append(out, append(row{{Text: text.Spaces(labelWidth), Style: ink.Fill}}, l...))
	}
	return out
}

// areaHeight is how many lines of a text are seen at once.
const areaHeight = 8

// choiceRows sets the choices side by side, in as many lines as they need.
func (e *entry) choiceRows(m *Model, label columns.Piece, room int, focused bool) []row {
	ink := &m.styles.Raised
	rows, used := []row{{label}}, 0
	for i, c := range e.choices {
		if c == "" {
			c = "none"
		}
		style := ink.Muted
		if i == e.chosen {
			style = ink.Strong
			if focused {
				style = m.styles.Brand
			}
		}
		if used += len(c) + 2; used > room {
			rows, used = append(rows, row{{Text: text.Spaces(labelWidth), Style: ink.Fill}}), len(c)+2
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], columns.Piece{Text: " " + c + " ", Style: style})
	}
	return rows
}

func (f *form) foot(m *Model, width int) []row {
	ink := &m.styles.Raised
	switch {
	case f.busy:
		return []row{nil, {{Text: "writing" + m.signs.Ellipsis, Style: ink.Muted}}}
	case f.complain != "":
		return append([]row{nil}, paragraph(f.complain, width, ink.Danger)...)
	}
	if e := f.current(); e != nil && e.hint != "" && e.value() == "" {
		return append([]row{nil}, paragraph(e.hint, width, ink.Muted)...)
	}
	return nil
}

// take gives a key to what is being typed. What is left to the table of actions
// is confirming and leaving.
func (f *form) take(m *Model, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	key, e := msg.String(), f.current()
	if e == nil || key == "esc" || key == "ctrl+c" {
		return nil, false
	}
	m.dirty = true
	if f.busy {
		return nil, true
	}
	switch {
	case key == "tab" || key == "down" && e.area == nil:
		f.at = (f.at + 1) % len(f.entries)
	case key == "shift+tab" || key == "up" && e.area == nil:
		f.at = (f.at + len(f.entries) - 1) % len(f.entries)
	case key == "ctrl+s" || key == "enter" && e.area == nil:
		if msg.IsRepeat {
			return nil, true
		}
		return f.confirm(m), true
	case key == "ctrl+o" && e.area != nil:
		return m.editOutside(f, e), true
	case e.line != nil:
		e.line.key(msg)
	case e.area != nil:
		e.area.key(msg)
	case key == "right" || key == "space":
		e.chosen = (e.chosen + 1) % len(e.choices)
	case key == "left":
		e.chosen = (e.chosen + len(e.choices) - 1) % len(e.choices)
	}
	return nil, true
}

// insert takes pasted text.
func (f *form) insert(s string) {
	switch e := f.current(); {
	case e == nil || f.busy:
	case e.line != nil:
		e.line.insert(text.Clean(s))
	case e.area != nil:
		e.area.insert(text.CleanLines(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")))
	}
}

func (f *form) confirm(m *Model) tea.Cmd {
	if f.busy || f.blind() || !f.ready(m.now()) {
		return nil
	}
	f.complain = f.missing()
	if f.complain != "" {
		return nil
	}
	f.busy = true
	return f.send(m, f, f.live())
}

// missing names what the person still has to give.
func (f *form) missing() string {
	for i, e := range f.entries {
		if e.required && e.value() == "" {
			f.at = i
			return "Nothing was written: " + e.label + " is missing."
		}
	}
	if f.check != nil {
		return f.check(f)
	}
	return ""
}

// cancel keeps what was typed.
func (f *form) cancel(m *Model) {
	if typed := f.values(); !slices.Equal(typed, f.initial) {
		m.drafts[f.draft] = typed
	}
}
