package themes

import (
	"fmt"
	"slices"
	"strings"
)

// Theme is a set of semantic colours, each "#rrggbb" or empty for the colour
// that the terminal uses by itself.
type Theme struct {
	Name string
	Dark bool

	// Base is the background the colours are made for. It is not painted: the
	// terminal's own background is. Contrast is measured against it.
	Base string

	Text     string // titles and everything that is read
	Muted    string // what is only looked up: ids, ages, hints
	Faint    string // lines and ornaments, never text
	Accent   string // the one colour that says "here": selection, focus, keys
	OnAccent string // text on Accent

	Selection string // background of the selected card
	Raised    string // background of the header, and of what lies over the board

	// The states.
	Waiting   string // triage, todo, scheduled
	Ready     string
	Running   string
	Blocked   string
	Review    string
	Done      string
	Attention string // odd values, no owner, unclaimed: look here
	Danger    string // errors, what cannot be undone

	// The two flashes, and text on them.
	Reconciled    string
	OnReconciled  string
	Quarantined   string
	OnQuarantined string

	// Plain marks a theme without colours: reverse, bold and underline do what
	// colours do elsewhere.
	Plain bool
}

// Auto is the name of the default theme, which follows the terminal's
// background.
const Auto = "auto"

// Names lists every theme name that Pick accepts, the default first.
func Names() []string {
	names := []string{Auto, "dark", "light", "high-contrast", "monochrome"}
	for _, p := range palettes {
		names = append(names, p.Name)
	}
	return names
}

// Pick returns the theme of that name. Auto and high-contrast have a dark and
// a light form; darkBackground chooses. An unknown name is an error that lists
// the known ones.
func Pick(name string, darkBackground bool) (Theme, error) {
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
	for _, p := range palettes {
		if p.Name == name {
			return p, nil
		}
	}
	return Theme{}, fmt.Errorf("theme %q is unknown; known are %s", name, strings.Join(slices.Sorted(slices.Values(Names())), ", "))
}
