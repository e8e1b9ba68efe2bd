package themes

import (
	"fmt"
	"math"
	"strconv"
)

// colour is one of the semantic colours: its key in a theme file, what it is
// for, and where it stands in a Theme. A text has to be readable on every ground
// that the screen puts it on.
type colour struct {
	Key, Meaning string
	of           func(*Theme) *string
	text         bool   // read on background, selection and raised
	on           string // key of the one colour this text stands on
}

// colours is every semantic colour, in the order of a theme file.
var colours = []colour{
	{Key: "background", Meaning: "the terminal's background that the theme is made for; it is not painted, but it is the text of an alarm", of: func(t *Theme) *string { return &t.Base }, on: "danger"},
	{Key: "text", Meaning: "titles and everything that is read", of: func(t *Theme) *string { return &t.Text }, text: true},
	{Key: "muted", Meaning: "what is only looked up: ids, ages, hints", of: func(t *Theme) *string { return &t.Muted }, text: true},
	{Key: "faint", Meaning: "lines and ornaments, never text", of: func(t *Theme) *string { return &t.Faint }},
	{Key: "accent", Meaning: "the one colour that says *here*: focus, keys", of: func(t *Theme) *string { return &t.Accent }, text: true},
	{Key: "on_accent", Meaning: "text on `accent`", of: func(t *Theme) *string { return &t.OnAccent }, on: "accent"},
	{Key: "selection", Meaning: "background of the selected card", of: func(t *Theme) *string { return &t.Selection }},
	{Key: "raised", Meaning: "background of the header and of dialogs", of: func(t *Theme) *string { return &t.Raised }},
	{Key: "waiting", Meaning: "triage, todo and scheduled", of: func(t *Theme) *string { return &t.Waiting }, text: true},
	{Key: "ready", Meaning: "ready", of: func(t *Theme) *string { return &t.Ready }, text: true},
	{Key: "running", Meaning: "running", of: func(t *Theme) *string { return &t.Running }, text: true},
	{Key: "blocked", Meaning: "blocked", of: func(t *Theme) *string { return &t.Blocked }, text: true},
	{Key: "review", Meaning: "review", of: func(t *Theme) *string { return &t.Review }, text: true},
	{Key: "done", Meaning: "done", of: func(t *Theme) *string { return &t.Done }, text: true},
	{Key: "attention", Meaning: "odd values, no owner, unclaimed: look here", of: func(t *Theme) *string { return &t.Attention }, text: true},
	{Key: "danger", Meaning: "errors, and what cannot be undone", of: func(t *Theme) *string { return &t.Danger }, text: true},
	{Key: "reconciled", Meaning: "a card that was just reconciled", of: func(t *Theme) *string { return &t.Reconciled }, text: true},
	{Key: "on_reconciled", Meaning: "text on `reconciled`", of: func(t *Theme) *string { return &t.OnReconciled }, on: "reconciled"},
	{Key: "quarantined", Meaning: "a card whose journal went to quarantine, and banners", of: func(t *Theme) *string { return &t.Quarantined }, text: true},
	{Key: "on_quarantined", Meaning: "text on `quarantined`", of: func(t *Theme) *string { return &t.OnQuarantined }, on: "quarantined"},
}

func colourNamed(key string) (colour, bool) {
	for _, c := range colours {
		if c.Key == key {
			return c, true
		}
	}
	return colour{}, false
}

// Pair is a text and the ground it stands on, by the keys of their colours.
type Pair struct {
	Text, Ground string
	Contrast     float64 // of WCAG 2, from 1 to 21
}

func (p Pair) String() string {
	return fmt.Sprintf("%s on %s has a contrast of %.1f to 1", p.Text, p.Ground, math.Floor(p.Contrast*10)/10)
}

// Readable is the least contrast of a text: WCAG 2, level AA.
const Readable = 4.5

// HardToRead lists the pairs of a theme with less contrast than least, in the
// order of a theme file.
func (t Theme) HardToRead(least float64) []Pair {
	if t.Plain {
		return nil
	}
	var found []Pair
	for _, c := range colours {
		grounds := []string{"background", "selection", "raised"}
		if !c.text {
			grounds = grounds[:0]
		}
		if c.on != "" {
			grounds = append(grounds, c.on)
		}
		for _, key := range grounds {
			ground, _ := colourNamed(key)
			if got := contrast(*c.of(&t), *ground.of(&t)); got < least {
				found = append(found, Pair{c.Key, key, got})
			}
		}
	}
	return found
}

// contrast is the contrast of two colours "#rrggbb" by WCAG 2.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of WCAG 2, from 0 to 1.
func luminance(hex string) float64 {
	v, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		return 0 // every colour was checked where it was read
	}
	part := func(shift uint) float64 {
		c := float64(v>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// isColour reports whether s is "#rrggbb".
func isColour(s string) bool {
	if len(s) != 7 || s[0] != '#' {
		return false
	}
	_, err := strconv.ParseUint(s[1:], 16, 32)
	return err == nil
}
