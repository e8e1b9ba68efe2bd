package home

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// section is one section of Hermes' configuration, read with tolerance: Hermes
// goes on with a default where a value makes no sense, and so do we, but we say
// so.
type section struct {
	file, name string
	node       *yaml.Node // nil where the section is missing
	notices    []string
}

func newSection(file, name string, root *yaml.Node) *section {
	s := &section{file: file, name: name}
	node, ok := lookup(root, name, 0)
	switch {
	case !ok || node.ShortTag() == "!!null":
	case node.Kind == yaml.MappingNode:
		s.node = node
	default:
		s.notices = append(s.notices, fmt.Sprintf("%q line %d: %s is %s, not a section; using defaults",
			file, node.Line, name, describe(node)))
	}
	return s
}

// lookup finds a key in a mapping. As in Python's reader the last of several
// equal keys counts, and what is merged in with << comes after the own keys.
func lookup(n *yaml.Node, key string, depth int) (*yaml.Node, bool) {
	if n == nil || n.Kind != yaml.MappingNode || depth > 8 {
		return nil, false
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == key {
			return follow(n.Content[i+1]), true
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		merged := follow(n.Content[i+1])
		sources := []*yaml.Node{merged}
		if merged.Kind == yaml.SequenceNode {
			sources = merged.Content
		}
		for _, source := range sources {
			if v, ok := lookup(follow(source), key, depth+1); ok {
				return v, true
			}
		}
	}
	return nil, false
}

func (s *section) lookup(key string) (*yaml.Node, bool) { return lookup(s.node, key, 0) }

// value returns the value of a key, nil when it is missing or null.
func (s *section) value(key string) *yaml.Node {
	n, ok := s.lookup(key)
	if !ok || n.ShortTag() == "!!null" {
		return nil
	}
	return n
}

func (s *section) boolean(key string, usual bool) bool {
	n := s.value(key)
	if n == nil {
		return usual
	}
	var v bool
	// Decoding into a bool also takes yes, no, on and off, as Python does.
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 || n.Decode(&v) != nil {
		s.notice(key, n, "true or false", strconv.FormatBool(usual))
		return usual
	}
	return v
}

// integer returns a whole number of at least least. Text that spells a number
// counts, and a fraction is cut off, as Python's int does.
func (s *section) integer(key string, usual, least int64) int64 {
	n := s.value(key)
	if n == nil {
		return usual
	}
	v, ok := wholeNumber(n)
	if !ok || v < least || v > maxSeconds {
		want := "a whole number"
		if least >= 0 {
			want = fmt.Sprintf("a whole number of at least %d", least)
		}
		s.notice(key, n, want, strconv.FormatInt(usual, 10))
		return usual
	}
	return v
}

func wholeNumber(n *yaml.Node) (int64, bool) {
	if n.Kind != yaml.ScalarNode {
		return 0, false
	}
	switch n.ShortTag() {
	case "!!int":
		var v int64
		err := n.Decode(&v)
		return v, err == nil
	case "!!float":
		var f float64
		if n.Decode(&f) != nil || math.IsNaN(f) || math.Abs(f) > 1<<53 {
			return 0, false
		}
		return int64(f), true
	case "!!str":
		v, err := strconv.ParseInt(strings.TrimSpace(n.Value), 10, 64)
		return v, err == nil
	}
	return 0, false
}

func (s *section) text(key string) string {
	n := s.value(key)
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		s.notice(key, n, "a text", "nothing")
		return ""
	}
	return n.Value
}

func (s *section) notice(key string, n *yaml.Node, want, instead string) {
	s.notices = append(s.notices, fmt.Sprintf("%q line %d: %s.%s is %s, not %s; using %s",
		s.file, n.Line, s.name, key, describe(n), want, instead))
}

// describe names a value in a message: scalars word for word and quoted.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "empty"
	}
	return strconv.Quote(clip(n.Value))
}
