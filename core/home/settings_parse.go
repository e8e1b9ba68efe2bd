package home

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hermes-tui/hermes-tui/core"
)

func readSettings(path string) ([]byte, error) {
	data, err := readFile(path, 1<<20, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// ParseSettings decodes the text of a settings file; file is its name in
// errors.
func ParseSettings(file string, data []byte) (Settings, error) {
	s := defaultSettings()
	root, err := parseYAML(data)
	if err == nil && root != nil {
		err = mapping(root, "", fieldsOf(settingKeys, &s))
	}
	if err != nil {
		return Settings{}, fmt.Errorf("settings %q: %w", file, err)
	}
	return s, nil
}

// decode takes the value of a key, whose full name is for errors.
type decode func(n *yaml.Node, key string) error

// fields are the keys that a mapping may have.
type fields map[string]decode

// wrong is an error about the value of a key.
func wrong(n *yaml.Node, key, format string, args ...any) error {
	return fmt.Errorf("line %d: key %q: %s", n.Line, key, fmt.Sprintf(format, args...))
}

func below(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}

// pairs calls do for each key and value of a mapping. A key that comes twice is
// an error: one of the two would be ignored.
func pairs(n *yaml.Node, key string, do func(name *yaml.Node, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, key, "is %s; a mapping of keys to values belongs here", describe(n))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := follow(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			return wrong(k, key, "has a key that is %s", describe(k))
		}
		if seen[k.Value] {
			return wrong(k, below(key, k.Value), "is there twice; remove one")
		}
		seen[k.Value] = true
		if err := do(k, follow(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

func mapping(n *yaml.Node, key string, known fields) error {
	return pairs(n, key, func(k, v *yaml.Node) error {
		set, ok := known[k.Value]
		if !ok {
			return wrong(k, below(key, k.Value), "is unknown; known here: %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if v.ShortTag() == "!!null" {
			return nil // a key without a value says nothing
		}
		return set(v, below(key, k.Value))
	})
}

// list calls do for each item of a list.
func list(n *yaml.Node, key string, do func(item *yaml.Node, key string) error) error {
	if n.Kind != yaml.SequenceNode {
		return wrong(n, key, "is %s; a list belongs here", describe(n))
	}
	for i, item := range n.Content {
		if err := do(follow(item), fmt.Sprintf("%s[%d]", key, i)); err != nil {
			return err
		}
	}
	return nil
}

func text(to *string) decode {
	return func(n *yaml.Node, key string) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			return wrong(n, key, "is %s; a text belongs here (quote it if it is one)", describe(n))
		}
		*to = n.Value
		return nil
	}
}

func texts(to *[]string) decode {
	return func(n *yaml.Node, key string) error {
		return list(n, key, func(item *yaml.Node, key string) error {
			var t string
			err := text(&t)(item, key)
			*to = append(*to, t)
			return err
		})
	}
}

// command takes a program and its arguments, each a text of its own.
func command(to *[]string) decode {
	return func(n *yaml.Node, key string) error {
		if err := texts(to)(n, key); err != nil {
			return err
		}
		if len(*to) == 0 || strings.TrimSpace((*to)[0]) == "" {
			return wrong(n, key, "is missing or empty; name the program to run")
		}
		if slices.ContainsFunc(*to, func(a string) bool { return strings.ContainsRune(a, 0) }) {
			return wrong(n, key, "contains a zero byte")
		}
		return nil
	}
}

func boolean(to *bool) decode {
	return func(n *yaml.Node, key string) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(to) != nil {
			return wrong(n, key, "is %s; true or false belongs here", describe(n))
		}
		return nil
	}
}

func oneOf[T ~string](to *T, known ...T) decode {
	return func(n *yaml.Node, key string) error {
		var t string
		if err := text(&t)(n, key); err != nil {
			return err
		}
		if !slices.Contains(known, T(t)) {
			return wrong(n, key, "is %s; one of %v belongs here", describe(n), known)
		}
		*to = T(t)
		return nil
	}
}

func columns(to *[]core.Status) decode {
	known := append(slices.Clone(core.Statuses), core.Other)
	return func(n *yaml.Node, key string) error {
		*to = []core.Status{}
		return list(n, key, func(item *yaml.Node, key string) error {
			var s core.Status
			if err := oneOf(&s, known...)(item, key); err != nil {
				return err
			}
			if slices.Contains(*to, s) {
				return wrong(item, key, "names %q a second time", s)
			}
			*to = append(*to, s)
			return nil
		})
	}
}

// keys takes one key or a list of keys for an action.
func keys(to *map[string][]string) decode {
	return func(n *yaml.Node, key string) error {
		*to = map[string][]string{}
		return pairs(n, key, func(action, v *yaml.Node) error {
			var pressed []string
			var err error
			if v.Kind == yaml.SequenceNode {
				err = texts(&pressed)(v, below(key, action.Value))
			} else {
				pressed = []string{""}
				err = text(&pressed[0])(v, below(key, action.Value))
			}
			if err == nil && slices.Contains(pressed, "") {
				err = wrong(v, below(key, action.Value), "is empty; the name of a key belongs here")
			}
			(*to)[action.Value] = pressed
			return err
		})
	}
}

// seconds takes a duration such as 30m or 1h30m, or a number of seconds.
func seconds(to *int64) decode {
	return func(n *yaml.Node, key string) error {
		const want = "a duration of at least a second belongs here, such as 30m"
		if n.Kind != yaml.ScalarNode {
			return wrong(n, key, "is %s; %s", describe(n), want)
		}
		var s float64
		if n.ShortTag() == "!!int" {
			if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
				s = float64(i)
			}
		} else if d, err := time.ParseDuration(n.Value); err == nil {
			s = math.Floor(d.Seconds())
		}
		if s < 1 || s > maxSeconds {
			return wrong(n, key, "is %s; %s", describe(n), want)
		}
		*to = int64(s)
		return nil
	}
}

func lanes(to *map[string]Lane) decode {
	return func(n *yaml.Node, key string) error {
		*to = map[string]Lane{}
		return pairs(n, key, func(assignee, v *yaml.Node) error {
			key := below(key, assignee.Value)
			if !name.MatchString(assignee.Value) {
				return wrong(assignee, key, "is no name of an assignee; use up to 64 of a-z, 0-9, - and _")
			}
			if assignee.Value == DefaultProfile {
				return wrong(assignee, key, "is a Hermes profile everywhere; give the lane another name")
			}
			var l Lane
			err := mapping(v, key, fieldsOf(laneKeys, &l))
			if err == nil && len(l.Routes) == 0 {
				err = wrong(v, below(key, "routes"), "is missing or empty; a lane needs a command to run")
			}
			(*to)[assignee.Value] = l
			return err
		})
	}
}

func routes(to *[]Route) decode {
	return func(n *yaml.Node, key string) error {
		return list(n, key, func(item *yaml.Node, key string) error {
			r, err := route(item, key)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(*to, func(other Route) bool { return other.Name == r.Name }) {
				return wrong(item, below(key, "name"), "is %q, like another route of this lane", r.Name)
			}
			*to = append(*to, r)
			return nil
		})
	}
}

func route(n *yaml.Node, key string) (Route, error) {
	r := Route{Prompt: PromptStdin, Output: OutputObject}
	err := mapping(n, key, fieldsOf(routeKeys, &r))
	if err != nil {
		return r, err
	}
	if len(r.Command) == 0 {
		return r, wrong(n, below(key, "command"), "is missing; name the program to run")
	}
	r.Name = or(r.Name, filepath.Base(r.Command[0]))
	return r, placeholder(n, key, r)
}

// placeholder makes sure that the prompt arrives: what the prompt mode fills in
// is in the command, and nothing stays there that it does not fill in.
func placeholder(n *yaml.Node, key string, r Route) error {
	for _, mode := range []PromptMode{PromptArg, PromptFile} {
		mark := map[PromptMode]string{PromptArg: "{prompt}", PromptFile: "{prompt_file}"}[mode]
		found := slices.ContainsFunc(r.Command, func(a string) bool { return strings.Contains(a, mark) })
		if found && r.Prompt != mode {
			return wrong(n, below(key, "prompt"), "is %q, but the command has %s, which needs prompt: %s", r.Prompt, mark, mode)
		}
		if !found && r.Prompt == mode {
			return wrong(n, below(key, "command"), "has no %s, which prompt: %s fills in", mark, mode)
		}
	}
	return nil
}

func pattern(to **regexp.Regexp) decode {
	return func(n *yaml.Node, key string) error {
		var t string
		if err := text(&t)(n, key); err != nil {
			return err
		}
		re, err := regexp.Compile(t)
		if err != nil {
			return wrong(n, key, "is no pattern: %v", err)
		}
		if re.MatchString("") {
			return wrong(n, key, "is %s, which matches every output", describe(n))
		}
		*to = re
		return nil
	}
}

// variables takes texts, numbers and truth values, all of them as they are
// written. Values may be secrets and are in no error.
func variables(to *map[string]string) decode {
	return func(n *yaml.Node, key string) error {
		*to = map[string]string{}
		return pairs(n, key, func(k, v *yaml.Node) error {
			at := below(key, k.Value)
			if k.Value == "" || strings.ContainsAny(k.Value, "=\x00") {
				return wrong(k, at, "is no name of a variable")
			}
			if v.Kind != yaml.ScalarNode || strings.ContainsRune(v.Value, 0) {
				return wrong(v, at, "is no text that a variable can hold")
			}
			(*to)[k.Value] = v.Value
			return nil
		})
	}
}
