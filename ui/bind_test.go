package ui

import (
	"strings"
	"testing"
)

func TestKeysCanBeGivenToOtherActions(t *testing.T) {
	list, err := Bindings(map[string][]string{"feed": {"F2"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		if b.Action == "feed" && (len(b.Keys) != 1 || b.Keys[0] != "F2") {
			t.Errorf("the feed is on %q", b.Keys)
		}
	}
	for name, keys := range map[string]map[string][]string{
		"no action":     {"nosuch": {"z"}},
		"a key twice":   {"feed": {"r"}},
		"hidden by one": {"line-up": {"r"}},
	} {
		if _, err := Bindings(keys); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	m := still(t, 120, 40, Options{Keys: map[string][]string{"feed": {"u"}, "unblock": {"f"}}})
	m.press("u")
	if _, ok := m.page.(*feedPage); !ok {
		t.Error("the key that was given does nothing")
	}
}

func TestKeyTableNamesEveryAction(t *testing.T) {
	list, err := Bindings(nil)
	if err != nil {
		t.Fatal(err)
	}
	table := KeyTable(list)
	seen := map[string]bool{}
	for _, b := range list {
		if !strings.Contains(table, "| "+b.Action+" | "+b.Help+" |") {
			t.Errorf("the table lacks %q", b.Action)
		}
		if seen[b.Group] && !strings.Contains(table, "**"+b.Group+"**") {
			t.Errorf("the table lacks the group %q", b.Group)
		}
		seen[b.Group] = true
	}
	if n := strings.Count(table, "\n**") + 1; n != len(seen) {
		t.Errorf("%d headings for %d groups", n, len(seen))
	}
}
