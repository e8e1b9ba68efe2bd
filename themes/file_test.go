package themes

import (
	"strings"
	"testing"
	"unicode"
)

func TestAThemeFileMayNameOnlyWhatDiffers(t *testing.T) {
	got, err := Parse("mine", []byte("based_on: nord\naccent: \"#FFCC00\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	nord, _ := Pick("nord", true)
	nord.Name, nord.Accent = "mine", "#ffcc00"
	if got != nord {
		t.Errorf("got %+v", got)
	}
}

func TestWhatAThemeWritesIsReadBack(t *testing.T) {
	for _, theme := range builtin() {
		got, err := Parse("mine", []byte(theme.File()))
		theme.Name = "mine"
		if err != nil || got != theme {
			t.Errorf("%+v: %v, got %+v", theme, err, got)
		}
	}
}

func TestAThemeFileSaysWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"empty":           {"", "says nothing"},
		"no mapping":      {"- a", "line 1: not a mapping"},
		"unknown key":     {"based_on: dark\ncolour: \"#ffffff\"", `line 2: key "colour": is unknown; known are based_on, background`},
		"twice":           {"based_on: dark\ntext: \"#ffffff\"\ntext: \"#ffffff\"", `line 3: key "text": is there twice`},
		"a name":          {"based_on: dark\ntext: red", `line 2: key "text": is "red"; a colour belongs here, such as "#7cc4ff"`},
		"unquoted":        {"based_on: dark\ntext: #ffffff", "without quotes # begins a comment"},
		"short":           {"based_on: dark\ntext: \"#fff\"", `is "#fff"`},
		"signed":          {"based_on: dark\ntext: \"#+fffff\"", `is "#+fffff"`},
		"a list":          {"based_on: dark\ntext: [\"#ffffff\"]", "is not a single word"},
		"an alias":        {"based_on: dark\ntext: &a \"#ffffff\"\nmuted: *a", "is not a single word"},
		"a merge":         {"<<: {text: \"#ffffff\"}", `key "<<": is unknown`},
		"another's name":  {"based_on: mine", `key "based_on": is "mine"; one of these belongs here: dark, light`},
		"no colours":      {"based_on: monochrome", "one of these belongs here"},
		"missing":         {"text: \"#ffffff\"", "missing: background, muted"},
		"no YAML":         {"a: [", "not readable as YAML: line 1"},
		"control":         {"based_on: dark\ntext: \"\\e[2J\"", `is "\x1b[2J"`},
		"control in key":  {"\"\\e[2J\": x", `key "\x1b[2J"`},
		"something large": {"based_on: " + strings.Repeat("x", 5000), "…"},
	} {
		_, err := Parse("mine", []byte(test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if err != nil && len(err.Error()) > 600 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
	for _, name := range []string{"", "dark", "auto", "nord", "Mine", "a b", "../x", "-x", "é", "a\x1b", strings.Repeat("a", 33)} {
		if _, err := Parse(name, []byte("based_on: dark")); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

func TestPairsThatAreHardToReadAreNamed(t *testing.T) {
	theme, err := Parse("mine", []byte("based_on: dark\nmuted: \"#3d434d\"\non_accent: \"#ffffff\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range theme.HardToRead(Readable) {
		got = append(got, p.Text+" "+p.Ground)
		if !strings.Contains(p.String(), " to 1") {
			t.Error(p)
		}
	}
	if want := "muted background, muted selection, muted raised, on_accent accent"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestASetPicksBetweenBuiltInAndOwn(t *testing.T) {
	var s Set
	mine, err := Parse("mine", []byte("based_on: light"))
	if err != nil {
		t.Fatal(err)
	}
	s.Add(mine)
	_, fault := Parse("bad", []byte("x: y"))
	s.Refuse("bad", fault)
	if got, err := s.Pick("mine", true); err != nil || got != mine {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := s.Pick("bad", true); err != fault {
		t.Errorf("a broken theme says %v", err)
	}
	if _, err := s.Pick("nosuch", true); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("an unknown name must name the known ones, got %v", err)
	}
	if _, err := Pick("mine", true); err == nil {
		t.Error("a theme of one set is in another")
	}
}

// Whatever the file says: no panic, every colour of a theme is one, and an error
// is short and harmless.
func FuzzParse(f *testing.F) {
	f.Add("mine", Dark.File())
	f.Add("mine", "based_on: nord\naccent: \"#ffcc00\"\n")
	f.Add("m\x1b", "a: &a [*a]\n<<: *a")
	f.Add("mine", "\"\\e[2J\": \"\\u202e\"\n---\n- x")
	f.Fuzz(func(t *testing.T, name, file string) {
		theme, err := Parse(name, []byte(file))
		if err != nil {
			if len(err.Error()) > 1000 || strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("the error is %q", err)
			}
			return
		}
		if CheckName(theme.Name) != nil {
			t.Errorf("the name is %q", theme.Name)
		}
		for _, c := range colours {
			if !isColour(*c.of(&theme)) {
				t.Errorf("%s is %q", c.Key, *c.of(&theme))
			}
		}
		if Build(theme).Board.Text.Render("x") == "x" {
			t.Error("a text without a colour")
		}
	})
}
