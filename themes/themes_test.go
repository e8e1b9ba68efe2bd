package themes

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// luminance is the relative luminance of WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("%q is no colour", hex)
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

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	if x < y {
		x, y = y, x
	}
	return (x + 0.05) / (y + 0.05)
}

func TestEveryTextCanBeRead(t *testing.T) {
	for _, theme := range append([]Theme{Dark, Light, HighContrastDark, HighContrastLight}, palettes...) {
		least := 4.5
		if theme.Name == "high-contrast" {
			least = 7
		}
		texts := map[string]string{
			"text": theme.Text, "muted": theme.Muted, "accent": theme.Accent, "waiting": theme.Waiting,
			"ready": theme.Ready, "running": theme.Running, "blocked": theme.Blocked, "review": theme.Review,
			"done": theme.Done, "attention": theme.Attention, "danger": theme.Danger,
			"reconciled": theme.Reconciled, "quarantined": theme.Quarantined,
		}
		grounds := map[string]string{"base": theme.Base, "selection": theme.Selection, "raised": theme.Raised}
		for name, fg := range texts {
			for ground, bg := range grounds {
				if got := contrast(t, fg, bg); got < least {
					t.Errorf("%s (dark %v): %s on %s has %.2f, want %.1f", theme.Name, theme.Dark, name, ground, got, least)
				}
			}
		}
		for name, pair := range map[string][2]string{
			"accent": {theme.OnAccent, theme.Accent}, "reconciled": {theme.OnReconciled, theme.Reconciled},
			"quarantined": {theme.OnQuarantined, theme.Quarantined}, "alarm": {theme.Base, theme.Danger},
		} {
			if got := contrast(t, pair[0], pair[1]); got < least {
				t.Errorf("%s (dark %v): text on %s has %.2f", theme.Name, theme.Dark, name, got)
			}
		}
	}
}

// Colours that mean different things are told apart on their own ground.
func TestStatesThatCallForSomebodyHaveTheirOwnColour(t *testing.T) {
	for _, theme := range append([]Theme{Dark, Light, HighContrastDark, HighContrastLight}, palettes...) {
		seen := map[string]string{}
		for name, colour := range map[string]string{"ready": theme.Ready, "running": theme.Running, "blocked": theme.Blocked, "danger": theme.Danger} {
			if other, taken := seen[colour]; taken {
				t.Errorf("%s: %s looks like %s", theme.Name, name, other)
			}
			seen[colour] = name
		}
		if theme.Reconciled == theme.Quarantined {
			t.Errorf("%s: the two flashes look alike", theme.Name)
		}
	}
}

func TestPickFollowsTheBackground(t *testing.T) {
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			theme, err := Pick(name, dark)
			if err != nil {
				t.Fatal(err)
			}
			if (name == Auto || name == "high-contrast") && theme.Dark != dark {
				t.Errorf("%s does not follow a background with dark=%v", name, dark)
			}
		}
	}
	if _, err := Pick("nosuch", true); err == nil || !strings.Contains(err.Error(), "light") {
		t.Errorf("an unknown name must name the known ones, got %v", err)
	}
}

func TestMonochromeWritesNoColour(t *testing.T) {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		if v.Type() == reflect.TypeOf(Style{}) {
			before := v.FieldByName("before").String()
			for _, code := range strings.FieldsFunc(before, func(r rune) bool { return r < '0' || r > '9' }) {
				if n, _ := strconv.Atoi(code); n >= 30 {
					t.Errorf("a style of the monochrome theme writes %q", before)
				}
			}
			return
		}
		if v.Kind() == reflect.Struct {
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
	s := Build(Monochrome)
	walk(reflect.ValueOf(*s))
	if s.Selected.Strong == s.Board.Strong {
		t.Error("the selected card looks like any other")
	}
}

func TestEverySignTakesOneCell(t *testing.T) {
	for _, set := range []Signs{Unicode, ASCII} {
		v := reflect.ValueOf(set)
		var signs []string
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Array {
				for j := range f.Len() {
					signs = append(signs, f.Index(j).String())
				}
			} else {
				signs = append(signs, f.String())
			}
		}
		for _, sign := range signs {
			if ansi.StringWidth(sign) != 1 || ansi.StringWidthWc(sign) != 1 {
				t.Errorf("%q does not take one cell", sign)
			}
		}
	}
}
