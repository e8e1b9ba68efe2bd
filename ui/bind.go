package ui

import (
	"fmt"
	"slices"
	"strings"
)

// Binding is an action as it is told to a person.
type Binding struct {
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
	Scope  string   `json:"scope"`
	Group  string   `json:"group"`
	Help   string   `json:"help"`
}

// Bindings lists every action of the screen with its keys, in the order of the
// help. keys gives actions other keys than their own; an action that does not
// exist, or a key that two of them would share, is an error.
func Bindings(keys map[string][]string) ([]Binding, error) {
	m := Model{actions: actionTable()}
	if err := m.rebind(keys); err != nil {
		return nil, err
	}
	list := make([]Binding, len(m.actions))
	for i, a := range m.actions {
		list[i] = Binding{a.id, a.keys, a.scope.String(), a.group, a.help}
	}
	return list, nil
}

func (s scope) String() string { return [...]string{"board", "page", "anywhere", "dialog"}[s] }

// rebind gives actions the keys that a person wants.
func (m *Model) rebind(keys map[string][]string) error {
	for name, wanted := range keys {
		at := slices.IndexFunc(m.actions, func(a action) bool { return a.id == name })
		if at < 0 {
			return fmt.Errorf("the configuration gives keys to %q, which is no action; see: hermes-tui keys", name)
		}
		m.actions[at].keys = wanted
	}
	return shared(m.actions)
}

// shared finds two actions that one key would lead to.
func shared(actions []action) error {
	type place struct {
		scope scope
		key   string
	}
	taken := map[place]string{}
	for _, a := range actions {
		scopes := []scope{a.scope}
		if a.scope == anywhere {
			scopes = []scope{onBoard, onPage}
		}
		for _, s := range scopes {
			for _, key := range a.keys {
				if other := taken[place{s, key}]; other != "" && other != a.id {
					return fmt.Errorf("the key %q leads to %q and to %q", key, other, a.id)
				}
				taken[place{s, key}] = a.id
			}
		}
	}
	return nil
}

// KeyTable is the table of keys as Markdown.
func KeyTable(list []Binding) string {
	var b strings.Builder
	group := ""
	for _, k := range list {
		if k.Group != group {
			if group != "" {
				b.WriteString("\n")
			}
			group = k.Group
			fmt.Fprintf(&b, "**%s**\n\n| key | action | does |\n|---|---|---|\n", group)
		}
		names := make([]string, len(k.Keys))
		for i, key := range k.Keys {
			names[i] = "`" + strings.ReplaceAll(key, "|", "\\|") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(names, " "), k.Action, k.Help)
	}
	return b.String()
}
