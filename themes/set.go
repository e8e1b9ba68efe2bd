package themes

import (
	"fmt"
	"slices"
	"strings"
)

// Set is the themes that can be chosen: those that are built in, and a person's
// own. The zero Set has the former alone.
type Set struct {
	own    []Theme
	broken []Broken
}

// Broken is a theme file that cannot be used.
type Broken struct {
	Name string // as the file is called, not checked
	Err  error  // names the file and what to do
}

// Add takes in a person's own theme.
func (s *Set) Add(t Theme) { s.own = append(s.own, t) }

// Refuse remembers a file that cannot be used, so that the person is told.
func (s *Set) Refuse(name string, err error) { s.broken = append(s.broken, Broken{name, err}) }

// Own lists a person's own themes.
func (s Set) Own() []Theme { return s.own }

// Broken lists the files that cannot be used.
func (s Set) Broken() []Broken { return s.broken }

// Names lists every name that Pick accepts, the default first.
func (s Set) Names() []string {
	names := []string{Auto, "dark", "light", "high-contrast", "monochrome"}
	for _, t := range slices.Concat(palettes, s.own) {
		names = append(names, t.Name)
	}
	return names
}

// Pick returns the theme of that name. Auto and high-contrast have a dark and
// a light form; darkBackground chooses. An unknown name is an error that lists
// the known ones, or says what is wrong with its file.
func (s Set) Pick(name string, darkBackground bool) (Theme, error) {
	pair := func(dark, light Theme) Theme {
		if darkBackground {
			return dark
		}
		return light
	}
	switch name {
	case Auto, "":
		return pair(Dark, Light), nil
	case "dark":
		return Dark, nil
	case "light":
		return Light, nil
	case "high-contrast":
		return pair(HighContrastDark, HighContrastLight), nil
	case "monochrome":
		return Monochrome, nil
	}
	for _, t := range slices.Concat(palettes, s.own) {
		if t.Name == name {
			return t, nil
		}
	}
	for _, b := range s.broken {
		if b.Name == name {
			return Theme{}, b.Err
		}
	}
	return Theme{}, fmt.Errorf("theme %q is unknown; known are %s", name, strings.Join(slices.Sorted(slices.Values(s.Names())), ", "))
}
