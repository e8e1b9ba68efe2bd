package home

import (
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Key is one key of our own configuration, for a person.
type Key struct {
	Key     string `json:"key"`
	Type    string `json:"type"`
	Default string `json:"default"` // as it would be written; empty: nothing is set
	Meaning string `json:"meaning"`
}

// field is a key together with what reads its value into a T. The parser reads by
// these tables and the reference is printed from them, so that they cannot differ.
type field[T any] struct {
	Key
	into func(*T) decode
}

func fieldsOf[T any](table []field[T], to *T) fields {
	known := fields{}
	for _, f := range table {
		known[f.Key.Key] = f.into(to)
	}
	return known
}

// choices names the values that a key takes.
func choices[T ~string](known ...T) string {
	var words []string
	for _, k := range known {
		words = append(words, string(k))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

var (
	dispatchModes = []DispatchMode{DispatchAsk, DispatchWatch, DispatchLanes, DispatchAlways}
	densities     = []Density{Compact, Normal, Roomy}
	promptModes   = []PromptMode{PromptArg, PromptStdin, PromptFile}
	outputFormats = []OutputFormat{OutputObject, OutputClaude, OutputCodex}
)

var settingKeys = []field[Settings]{
	{Key{"dispatch", choices(dispatchModes...), "ask", "what a screen does about dispatching when it opens a board: watch and offer it, only watch, start cards of lanes alone, start every card that may start"},
		func(s *Settings) decode { return oneOf(&s.Dispatch, dispatchModes...) }},
	{Key{"theme", "the name of a theme", "", "the theme of the screen; see [themes.md](themes.md)"},
		func(s *Settings) decode { return text(&s.Theme) }},
	{Key{"density", choices(densities...), "normal", "how much of a card the board shows"},
		func(s *Settings) decode { return oneOf(&s.Density, densities...) }},
	{Key{"columns", "a list of statuses: " + choices(append(core.Statuses[:len(core.Statuses):len(core.Statuses)], core.Other)...), "", "the columns to show, in this order"},
		func(s *Settings) decode { return columns(&s.Columns) }},
	{Key{"keys", "a mapping of actions to a key or a list of keys", "", "other keys for actions; the names are those of [keys.md](keys.md)"},
		func(s *Settings) decode { return keys(&s.Keys) }},
	{Key{"mouse", "true or false", "false", "clicks are taken from the start"},
		func(s *Settings) decode { return boolean(&s.Mouse) }},
	{Key{"motion", "true or false", "true", "a card to which something happened pulses for a few seconds; without, it keeps one steady mark"},
		func(s *Settings) decode { return boolean(&s.Motion) }},
	{Key{"notify", "true or false", "false", "the terminal is asked to notify when a card needs a person while nobody looks"},
		func(s *Settings) decode { return boolean(&s.Notify) }},
	{Key{"notify_command", "a list: a program and its arguments", "", "run by a dispatcher without a screen when a card needs somebody; see [dispatching.md](dispatching.md)"},
		func(s *Settings) decode { return command(&s.NotifyCommand) }},
	{Key{"allow_network_fs", "true or false", "false", "dispatch on a board that lies on a network file system: one machine alone uses it"},
		func(s *Settings) decode { return boolean(&s.AllowNetworkFS) }},
	{Key{"lanes", "a mapping of assignees to lanes", "", "names whose cards a command-line agent works on; see [lanes.md](lanes.md)"},
		func(s *Settings) decode { return lanes(&s.Lanes) }},
}

var laneKeys = []field[Lane]{
	{Key{"routes", "a list of routes", "", "the programs to try, in order; at least one"},
		func(l *Lane) decode { return routes(&l.Routes) }},
	{Key{"max_runtime", "a duration such as 30m, or seconds", "", "how long a run may take, all routes together"},
		func(l *Lane) decode { return seconds(&l.MaxRuntime) }},
}

var routeKeys = []field[Route]{
	{Key{"name", "text", "", "for the log; where it is missing, the program's"},
		func(r *Route) decode { return text(&r.Name) }},
	{Key{"command", "a list: a program and its arguments", "", "what to run, never through a shell; always needed"},
		func(r *Route) decode { return command(&r.Command) }},
	{Key{"prompt", choices(promptModes...), "stdin", "how the agent gets its prompt: in place of `{prompt}`, on standard input, in the file in place of `{prompt_file}`"},
		func(r *Route) decode { return oneOf(&r.Prompt, promptModes...) }},
	{Key{"output", choices(outputFormats...), "object", "how the result is found in what is printed"},
		func(r *Route) decode { return oneOf(&r.Output, outputFormats...) }},
	{Key{"quota", "a regular expression", "", "over the last 4,000 bytes of output; a match means a quota, as exit code 75 does"},
		func(r *Route) decode { return pattern(&r.Quota) }},
	{Key{"env", "a mapping of names to values", "", "variables added for this route"},
		func(r *Route) decode { return variables(&r.Env) }},
}

// Section is a group of keys of our own configuration.
type Section struct {
	Name string `json:"name"`
	Keys []Key  `json:"keys"`
}

// Reference lists every key of our own configuration.
func Reference() []Section {
	return []Section{
		{"The file", plain(settingKeys)}, {"A lane", plain(laneKeys)}, {"A route of a lane", plain(routeKeys)},
	}
}

func plain[T any](table []field[T]) []Key {
	var list []Key
	for _, f := range table {
		list = append(list, f.Key)
	}
	return list
}

// ReferenceTable is the reference as Markdown.
func ReferenceTable() string {
	var b strings.Builder
	for _, s := range Reference() {
		fmt.Fprintf(&b, "\n### %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", s.Name)
		for _, k := range s.Keys {
			usual := ""
			if k.Default != "" {
				usual = "`" + k.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Key, k.Type, usual, k.Meaning)
		}
	}
	return b.String()
}
