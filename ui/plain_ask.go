package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// What a person answers to a question that has no words of its own.
const (
	yes = "yes"
	no  = "no"
)

// ask puts the open dialog into words and says what can be answered. What was
// given with the command answers it as far as it goes.
func (t *teller) ask() {
	d := t.m.dialog
	if t.asked != d {
		t.asked = d
		t.line(clean(d.title()))
		if f, ok := d.(*form); ok {
			t.tellRows(f.about(t.m, plainWidth))
		} else if _, ok := d.(*picker); !ok {
			t.tellRows(d.body(t.m, plainWidth))
		}
	}
	switch d := d.(type) {
	case *form:
		t.askForm(d)
	case *picker:
		t.askPicker(d)
	default:
		t.tellRows(d.foot(t.m, plainWidth))
		t.askHints(d)
	}
}

// askHints says how a dialog without entries is answered, or lets go of one that
// asks nothing.
func (t *teller) askHints(d dialog) {
	var ways []string
	for _, h := range d.hints() {
		switch {
		case d.field() != nil && h.key == "enter":
		case h.key == "y" || h.key == "enter" || h.key == "^s":
			ways = append(ways, yes+" to "+h.does)
		case h.key == "esc":
			ways = append(ways, no+" to "+h.does)
		case len(h.key) == 1:
			ways = append(ways, h.key+" to "+h.does)
		}
	}
	if len(ways) == 1 && d.field() == nil {
		t.m.cancelDialog()
		return
	}
	t.line("Answer " + strings.Join(ways, ", ") + ".")
}

// askForm asks for the next thing that a form wants. A form whose entries came
// with the command is asked for nothing that may stay empty.
func (t *teller) askForm(f *form) {
	if f.blind() {
		t.askHints(f)
		return
	}
	if t.args != "" && len(f.entries) > 0 {
		f.entries[0].set(t.args)
		t.args, f.at = "", len(f.entries)
	}
	if f.at < len(f.entries) {
		t.line(entryWords(f.entries[f.at]))
		return
	}
	t.askHints(&filled{f})
}

// filled is a form of which nothing more is asked.
type filled struct{ *form }

func (f *filled) hints() []hint {
	does := f.does
	if f.live() {
		does = "stop its worker, then " + does
	}
	return []hint{{"y", does}, {"esc", "leave it"}}
}

func (*filled) field() *field { return nil }

// entryWords asks for one entry of a form.
func entryWords(e *entry) string {
	words := strings.ToUpper(e.label[:1]) + e.label[1:]
	if e.choices != nil {
		words += ", one of"
		for i, c := range e.choices {
			if i > 0 {
				words += ","
			}
			words += " " + orNone(c)
		}
	} else if e.hint != "" {
		words += " (" + strings.TrimSuffix(e.hint, ".") + ")"
	}
	switch now := text.Clean(e.value()); {
	case e.required && now == "":
		return words + "? Write it, or cancel."
	case now == "":
		return words + "? An empty line for none, or cancel."
	default:
		return words + "? An empty line keeps " + now + ", or cancel."
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// askPicker lists what can be chosen.
func (t *teller) askPicker(p *picker) {
	if t.args != "" {
		t.heard = append([]heard{{line: t.args}}, t.heard...)
		t.args = ""
		return
	}
	for i, it := range p.items {
		about := it.about
		if it.why != "" {
			about = it.why
		}
		t.line(fmt.Sprintf("%d. %s", i+1, squeeze(it.name+" "+about)))
	}
	t.line("Write a name or a number, or cancel.")
}

// answer gives a line to the open dialog.
func (t *teller) answer(words string) tea.Cmd {
	t.said = ""
	if strings.EqualFold(words, "cancel") || t.asksYesNo() && strings.EqualFold(words, no) {
		t.line("Nothing was done.")
		return t.m.cancelDialog()
	}
	switch d := t.m.dialog.(type) {
	case *form:
		return t.answerForm(d, words)
	case *picker:
		return t.answerPicker(d, words)
	}
	return t.answerHints(t.m.dialog, words)
}

// asksYesNo reports whether the answer to the open dialog is no text.
func (t *teller) asksYesNo() bool {
	switch d := t.m.dialog.(type) {
	case *form:
		return d.at >= len(d.entries)
	case *picker:
		return false
	}
	return true
}

func (t *teller) answerHints(d dialog, words string) tea.Cmd {
	if g, ok := d.(interface{ wasRead() }); ok {
		g.wasRead()
	}
	if f := d.field(); f != nil {
		f.set(words)
		return t.m.run(t.m.action("confirm"))
	}
	if strings.EqualFold(words, yes) {
		return t.m.run(t.m.action("confirm"))
	}
	for _, h := range d.hints() {
		if len(h.key) == 1 && strings.EqualFold(words, h.key) && h.key != "y" {
			return t.m.key(tea.KeyPressMsg{Code: rune(h.key[0]), Text: h.key})
		}
	}
	t.line("That is no answer.")
	return nil
}

func (t *teller) answerForm(f *form, words string) tea.Cmd {
	if f.at >= len(f.entries) {
		if !strings.EqualFold(words, yes) {
			t.line("That is no answer.")
			return nil
		}
		f.wasRead()
		f.at = max(0, len(f.entries)-1)
		cmd := f.confirm(t.m)
		if f.complain != "" {
			t.line(f.complain)
		}
		return cmd
	}
	switch e := f.entries[f.at]; {
	case words == "" && e.required && e.value() == "":
		t.line("It cannot be empty.")
		return nil
	case words == "":
	case e.choices != nil && !e.take(words):
		t.line("That is none of them.")
		return nil
	case e.choices == nil:
		e.set(words)
	}
	f.at++
	return nil
}

// take chooses by name.
func (e *entry) take(words string) bool {
	for i, c := range e.choices {
		if strings.EqualFold(orNone(c), words) {
			e.chosen = i
			return true
		}
	}
	return false
}

func (t *teller) answerPicker(p *picker, words string) tea.Cmd {
	at := -1
	for i, it := range p.items {
		if strings.EqualFold(it.name, words) || fmt.Sprint(i+1) == words {
			at = i
			break
		}
	}
	p.shown, p.at = p.items, at
	if at < 0 && p.free != nil && words != "" {
		p.shown, p.at = []item{*p.free(words)}, 0
	}
	if p.at < 0 {
		t.line("Nothing here is called " + clean(words) + ".")
		return nil
	}
	return p.confirm(t.m)
}
