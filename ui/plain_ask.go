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
	if t.asked == d && t.waiting {
		return
	}
	t.waiting = true
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
			ways = append(ways, yes+" ("+h.does+")")
		case h.key == "esc":
			ways = append(ways, no+" ("+h.does+")")
		case len(h.key) == 1:
			ways = append(ways, h.key+" ("+h.does+")")
		}
	}
	if len(ways) == 1 && d.field() == nil {
		t.m.cancelDialog()
		return
	}
	t.line("Answer " + strings.Join(ways, " or ") + ".")
}

// askForm asks for the next thing that a form wants. Where that came with the
// command nothing else is asked, unless there was something to read first.
func (t *teller) askForm(f *form) {
	if f.blind() {
		t.askHints(f)
		return
	}
	if t.args != "" && len(f.entries) > 0 {
		f.entries[0].set(t.args)
		t.args, f.at = "", len(f.entries)
		if !f.look && len(f.warn) == 0 {
			t.heard = append([]heard{{line: yes}}, t.heard...)
			return
		}
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
	words := strings.ToUpper(e.label[:1]) + e.label[1:] + "? "
	if e.choices != nil {
		words += "One of: " + strings.Join(each(e.choices, orNone), ", ") + ". "
	} else if e.hint != "" {
		words += e.hint + " "
	}
	switch now := text.Clean(e.value()); {
	case e.required && now == "":
		return words + "Write it, or cancel."
	case now == "":
		return words + "An empty line for none, or cancel."
	default:
		return words + "An empty line keeps " + now + ", or cancel."
	}
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
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
	t.said, t.waiting = "", false
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
		f.at = 0
		cmd := f.confirm(t.m)
		t.refused(f)
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

// refused says what a form complains of and closes it, so that the next line is
// a command again. What was written is found there when it is opened anew.
func (t *teller) refused(f *form) {
	if f.complain == "" {
		return
	}
	t.line(f.complain)
	if len(f.entries) > 0 {
		t.line("What was written is kept: give the command again to correct it.")
	}
	t.m.cancelDialog()
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
