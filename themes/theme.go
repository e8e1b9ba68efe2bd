package themes

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

// Names lists every theme that is built in, the default first.
func Names() []string { return Set{}.Names() }

// Pick returns the theme of that name among those that are built in, as
// Set.Pick does.
func Pick(name string, darkBackground bool) (Theme, error) { return Set{}.Pick(name, darkBackground) }
