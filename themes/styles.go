package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style puts a look around a text. It is a lipgloss style reduced to what it
// writes before and after the text, because cards are drawn by the hundred and
// need neither borders nor padding.
type Style struct{ before, after string }

// Render returns s in this style. s must be one line without styles inside.
func (s Style) Render(text string) string {
	if text == "" || s.before == "" {
		return text
	}
	return s.before + text + s.after
}

func reduce(s lipgloss.Style) Style {
	before, after, _ := strings.Cut(s.Render("x"), "x")
	return Style{before, after}
}

// Ink is the set of styles for text on one background: the terminal's, the
// selected card's, or that of what lies over the board.
type Ink struct {
	Text, Strong, Muted, Faint, Accent Style

	Waiting, Ready, Running, Blocked, Review, Done Style
	Attention, Danger, Reconciled, Quarantined     Style

	// Fill is the bare background.
	Fill Style
}

// Styles is everything the screen is drawn with.
type Styles struct {
	Theme    Theme
	Board    Ink // on the terminal's background
	Selected Ink // on the selected card
	Raised   Ink // header, dialogs

	// Key caps and the word that starts the header.
	Brand Style
	// The two flashes at full strength.
	FlashReconciled, FlashQuarantined Style
	// A banner across the screen: something needs a person's eye.
	Banner, Alarm Style
}

// Build turns a theme into styles.
func Build(t Theme) *Styles {
	s := &Styles{
		Theme:            t,
		Board:            t.ink(""),
		Selected:         t.ink(t.Selection),
		Raised:           t.ink(t.Raised),
		Brand:            t.block(t.OnAccent, t.Accent),
		FlashReconciled:  t.block(t.OnReconciled, t.Reconciled),
		FlashQuarantined: t.block(t.OnQuarantined, t.Quarantined),
		Banner:           t.block(t.OnQuarantined, t.Quarantined),
		Alarm:            t.block(t.Base, t.Danger),
	}
	if t.Plain {
		s.Selected.Strong = reduce(lipgloss.NewStyle().Bold(true).Reverse(true))
	}
	return s
}

// block is text on a coloured field.
func (t Theme) block(fg, bg string) Style {
	if t.Plain {
		return reduce(lipgloss.NewStyle().Bold(true).Reverse(true))
	}
	return reduce(lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(fg)).Background(lipgloss.Color(bg)))
}

func (t Theme) ink(background string) Ink {
	base := lipgloss.NewStyle()
	if t.Plain {
		plain, bold, faint := reduce(base), reduce(base.Bold(true)), reduce(base.Faint(true))
		return Ink{
			Text: plain, Strong: bold, Muted: plain, Faint: faint, Accent: bold,
			Waiting: plain, Ready: plain, Running: plain, Blocked: bold, Review: plain, Done: plain,
			Attention: bold, Danger: bold, Reconciled: bold, Quarantined: bold, Fill: plain,
		}
	}
	if background != "" {
		base = base.Background(lipgloss.Color(background))
	}
	in := func(colour string) Style { return reduce(base.Foreground(lipgloss.Color(colour))) }
	return Ink{
		Text: in(t.Text), Strong: reduce(base.Bold(true).Foreground(lipgloss.Color(t.Text))),
		Muted: in(t.Muted), Faint: in(t.Faint), Accent: in(t.Accent),
		Waiting: in(t.Waiting), Ready: in(t.Ready), Running: in(t.Running), Blocked: in(t.Blocked),
		Review: in(t.Review), Done: in(t.Done),
		Attention: in(t.Attention), Danger: in(t.Danger),
		Reconciled: in(t.Reconciled), Quarantined: in(t.Quarantined),
		Fill: reduce(base),
	}
}
