package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// openPalette lists every action that belongs to what is on the screen.
func (m *Model) openPalette() tea.Cmd {
	p := newPicker("Commands")
	for i := range m.actions {
		a := &m.actions[i]
		if a.id == "palette" || !m.inScope(a.scope) || a.group == groupMove {
			continue
		}
		it := item{name: strings.ReplaceAll(a.id, "-", " "), about: a.help, key: keyNames(m.signs.Up, a.keys[:min(1, len(a.keys))]), run: func(m *Model) tea.Cmd { return m.run(a) }}
		if a.enabled != nil {
			it.why = text.Clean(a.enabled(m))
		}
		p.items = append(p.items, it)
	}
	return m.openPicker(p)
}

// openThemes lets the person choose a theme, which is shown while it is looked
// at.
func (m *Model) openThemes() tea.Cmd {
	before := m.opts.Theme
	p := newPicker("Theme")
	about := map[string]string{themes.Auto: "dark or light, as the terminal is", "high-contrast": "as readable as can be", "monochrome": "signs and words only"}
	for _, name := range m.opts.Themes.Names() {
		p.items = append(p.items, item{name: name, about: m.aboutTheme(about[name], name), run: func(m *Model) tea.Cmd {
			m.setTheme(name)
			m.theme, m.touched = name, true
			m.say("the theme is " + name)
			return nil
		}})
	}
	for _, b := range m.opts.Themes.Broken() {
		p.items = append(p.items, item{name: text.Clean(b.Name), why: text.Clean(b.Err.Error())})
	}
	p.preview = func(m *Model, it item) {
		if it.why == "" {
			m.setTheme(it.name)
		}
	}
	p.undo = func(m *Model) { m.setTheme(before) }
	if m.colourless {
		p.head += ": this terminal shows no colours"
	}
	return m.openPicker(p)
}

// aboutTheme says of a theme with nothing else to say which terminals it is for,
// and of a person's own what is hard to read in it.
func (m *Model) aboutTheme(about, name string) string {
	theme, err := m.opts.Themes.Pick(name, true)
	if about != "" || err != nil {
		return about
	}
	if pairs := theme.HardToRead(themes.Readable); len(pairs) > 0 {
		return "hard to read: " + pairs[0].String()
	}
	if theme.Dark {
		return "for dark terminals"
	}
	return "for light terminals"
}

func (m *Model) setTheme(name string) {
	m.opts.Theme = name
	m.restyle()
}
