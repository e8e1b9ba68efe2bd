package themes

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func builtin() []Theme {
	return append([]Theme{Dark, Light, HighContrastDark, HighContrastLight}, palettes...)
}

func TestEveryTextCanBeRead(t *testing.T) {
	for _, theme := range builtin() {
		least := Readable
		if theme.Name == "high-contrast" {
			least = 7
		}
		for _, pair := range theme.HardToRead(least) {
			t.Errorf("%s (dark %v): %s, want %.1f", theme.Name, theme.Dark, pair, least)
		}
	}
}

// The measure itself: the two ends of the scale, and a pair whose contrast is
// known from the text of WCAG 2.
func TestContrastIsThatOfWCAG(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#777777", 1}, {"#767676", "#ffffff", 4.54}} {
		if got := contrast(test.a, test.b); math.Abs(got-test.want) > 0.005 {
			t.Errorf("%s on %s: %.3f, want %.2f", test.a, test.b, got, test.want)
		}
	}
}

// A theme has as many colours as the table of keys, so that none can be
// forgotten there.
func TestEveryColourOfAThemeHasAKey(t *testing.T) {
	v := reflect.ValueOf(&Dark).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		if field.Kind() != reflect.String || v.Type().Field(i).Name == "Name" {
			continue
		}
		if !slices.ContainsFunc(colours, func(c colour) bool { return c.of(&Dark) == field.Addr().Interface().(*string) }) {
			t.Errorf("%s has no key", v.Type().Field(i).Name)
		}
	}
}

// Colours that mean different things are told apart on their own ground.
func TestStatesThatCallForSomebodyHaveTheirOwnColour(t *testing.T) {
	for _, theme := range builtin() {
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
