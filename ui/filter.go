package ui

import (
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// filter narrows the board: words of the title or id, "@name" for who owns the
// card, "#status" for where it stands, "tenant:name", and "!attention" for what
// a person should look at. All words must fit.
type filter struct {
	field
	open bool // being typed
}

func newFilter() filter { return filter{field: newField()} }

// keep returns the test for one card, nil for an empty filter.
func (f *filter) keep() func(*core.Card) bool {
	words := strings.Fields(strings.ToLower(f.value()))
	if len(words) == 0 {
		return nil
	}
	return func(c *core.Card) bool {
		for _, word := range words {
			if !fits(c, word) {
				return false
			}
		}
		return true
	}
}

func fits(c *core.Card, word string) bool {
	if name, ok := strings.CutPrefix(word, "@"); ok {
		return strings.Contains(strings.ToLower(c.Assignee), name)
	}
	if status, ok := strings.CutPrefix(word, "#"); ok {
		return strings.HasPrefix(strings.ToLower(string(c.Status)), status)
	}
	if tenant, ok := strings.CutPrefix(word, "tenant:"); ok {
		return strings.Contains(strings.ToLower(c.Tenant), tenant)
	}
	if word == "!attention" {
		return needsAttention(c)
	}
	return strings.Contains(strings.ToLower(c.Title), word) || strings.Contains(strings.ToLower(c.ID), word)
}

// needsAttention reports whether a card waits for a person or is not as it
// should be.
func needsAttention(c *core.Card) bool {
	switch {
	case c.Status == core.Blocked, c.Status == core.Review, !c.Status.Known():
		return true
	case c.Status == core.Ready && c.Assignee == "":
		return true
	case c.Status == core.Running && (c.ClaimLock == "" || c.WorkerPID == 0):
		return true
	}
	return len(c.Odd) > 0 || c.Failures > 0
}
