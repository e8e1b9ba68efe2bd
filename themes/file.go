package themes

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// basedOn is the key that names a theme whose colours are taken over.
const basedOn = "based_on"

// fileName is what a theme of a person may be called: the word goes to the
// screen, into the settings and onto command lines.
var fileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// CheckName says what is wrong with the name of a person's own theme.
func CheckName(name string) error {
	switch {
	case !fileName.MatchString(name):
		return fmt.Errorf("%q is no name of a theme; use up to 32 of a-z, 0-9, - and _", clip(name))
	case slices.Contains(Names(), name):
		return fmt.Errorf("%q is a theme that is built in; give the file another name", name)
	}
	return nil
}

// Parse reads the text of a theme file. It names every colour, or the theme that
// the others are taken from (based_on). An unknown key, one that comes twice and
// a value that is no colour are errors that name line and key.
func Parse(name string, data []byte) (Theme, error) {
	if err := CheckName(name); err != nil {
		return Theme{}, err
	}
	values, err := scalars(data)
	if err != nil {
		return Theme{}, err
	}
	t, err := base(values[basedOn])
	if err != nil {
		return Theme{}, err
	}
	var missing []string
	for _, c := range colours {
		to := c.of(&t)
		v, given := values[c.Key]
		switch {
		case given && isColour(v.Value):
			*to = strings.ToLower(v.Value)
		case given:
			return Theme{}, wrong(v, c.Key, "is %s; %s", describe(v), wantColour(v))
		case *to == "":
			missing = append(missing, c.Key)
		}
	}
	if len(missing) > 0 {
		return Theme{}, fmt.Errorf("missing: %s; add them, or take them from another theme, such as %s: dark", strings.Join(missing, ", "), basedOn)
	}
	t.Name, t.Dark = name, luminance(t.Base) < luminance(t.Text)
	return t, nil
}

// base is the theme that a file begins with.
func base(v *yaml.Node) (Theme, error) {
	if v == nil {
		return Theme{}, nil
	}
	var known []string
	for _, t := range append([]Theme{Dark, Light}, palettes...) {
		if t.Name == v.Value {
			return t, nil
		}
		known = append(known, t.Name)
	}
	return Theme{}, wrong(v, basedOn, "is %s; one of these belongs here: %s", describe(v), strings.Join(known, ", "))
}

// scalars reads a flat mapping of known keys.
func scalars(data []byte) (map[string]*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("not readable as YAML: %s", clip(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("says nothing; write a colour for each key, or based_on: dark and the colours that differ")
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a mapping of keys to colours", root.Line)
	}
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		_, known := colourNamed(k.Value)
		_, twice := values[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || !known && k.Value != basedOn:
			return nil, wrong(k, k.Value, "is unknown; known are %s", strings.Join(keys(), ", "))
		case twice:
			return nil, wrong(k, k.Value, "is there twice; remove one")
		}
		values[k.Value] = v
	}
	return values, nil
}

// keys are the keys of a theme file, in its order.
func keys() []string {
	list := []string{basedOn}
	for _, c := range colours {
		list = append(list, c.Key)
	}
	return list
}

// File is the text of a theme file with these colours, each with its meaning.
func (t Theme) File() string {
	var b strings.Builder
	for _, c := range colours {
		fmt.Fprintf(&b, "%-16s%q  # %s\n", c.Key+":", *c.of(&t), strings.ReplaceAll(strings.ReplaceAll(c.Meaning, "`", ""), "*", ""))
	}
	return b.String()
}

// KeyTable is the table of the keys of a theme file as Markdown.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| key | what it colours |\n|---|---|\n")
	for _, c := range colours {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Key, c.Meaning)
	}
	return b.String()
}

func wrong(n *yaml.Node, key, format string, args ...any) error {
	return fmt.Errorf("line %d: key %q: %s", n.Line, clip(key), fmt.Sprintf(format, args...))
}

// wantColour says what a colour looks like. A colour that is not quoted is a
// comment for YAML, so that its key has no value.
func wantColour(n *yaml.Node) string {
	if n.ShortTag() == "!!null" {
		return `a colour in quotes belongs here, such as "#7cc4ff": without quotes # begins a comment`
	}
	return `a colour belongs here, such as "#7cc4ff"`
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return "not a single word"
	case n.ShortTag() == "!!null":
		return "empty"
	}
	return strconv.Quote(clip(n.Value))
}

// clip keeps an error short whatever the file says.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
