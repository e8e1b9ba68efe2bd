package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/columns"
)

// onlyDrawn are the actions that change nothing but the picture, or that have a
// command of their own here.
var onlyDrawn = []string{"palette", "density", "lanes", "mouse", "themes", "copy-id", "copy-title", "pick", "pick-range", "filter", "help", "close", "search", "follow"}

// spoken reports whether an action can be done by its name, without a picture.
func spoken(a *action) bool {
	switch a.group {
	case groupMove, groupAsk:
		return false
	case groupPage:
		return slices.Contains([]string{"choose", "restore", "accept"}, a.id)
	}
	return !slices.Contains(onlyDrawn, a.id)
}

// own are the commands that take the place of looking at the screen.
func (t *teller) own(name string) func(rest string) {
	switch name {
	case "list", "ls":
		return t.list
	case "status":
		return func(string) { t.status(); t.state = "" }
	case "filter":
		return t.filter
	case "help", "?":
		return t.help
	}
	return nil
}

// aliases are other names of actions, which people try first.
var aliases = map[string]string{"show": "open", "exit": "quit", "stats": "statistics", "new": "create", "retry": "requeue"}

// help names every command.
func (t *teller) help(rest string) {
	lines := []string{
		"list [WORDS]: the cards, column by column; words, @owner, #status, tenant:, !attention narrow it",
		"status: the board in numbers", "filter [WORDS]: list only some cards from now on; alone, all again",
		"help [WORD]: these lines, or those with the word",
	}
	for i := range t.m.actions {
		a := &t.m.actions[i]
		if !spoken(a) {
			continue
		}
		words := a.id
		if other := aliasOf(a.id); other != "" {
			words += " or " + other
		}
		if takes := a.takes(); takes != "" {
			words += " " + takes
		}
		words += ": " + a.help
		lines = append(lines, words)
	}
	for _, l := range lines {
		if strings.Contains(strings.ToLower(l), strings.ToLower(rest)) {
			t.line(l)
		}
	}
}

func aliasOf(id string) string {
	for alias, of := range aliases {
		if of == id {
			return alias
		}
	}
	return ""
}

// takes says what follows the name of an action.
func (a *action) takes() string {
	card := a.group == groupCards && !slices.Contains([]string{"create", "undo", "redo"}, a.id) || slices.Contains([]string{"why", "log", "graph"}, a.id)
	switch {
	case a.scope == onPage:
		return "NUMBER"
	case a.id == "reconcile" || a.id == "replay":
		return "[ID]"
	case a.many:
		return "ID..."
	case card:
		return "ID"
	}
	return ""
}

// list says every card that the board shows.
func (t *teller) list(rest string) {
	m := t.m
	if m.snap == nil {
		t.line("There is no board to list.")
		return
	}
	f := newFilter()
	f.set(rest)
	keep, told := f.keep(), 0
	for i, h := range m.board.Heads() {
		var cards []*core.Card
		for _, c := range m.board.Cards(i) {
			if keep == nil || keep(c) {
				cards = append(cards, c)
			}
		}
		if len(cards) == 0 {
			continue
		}
		t.line(fmt.Sprintf("%s, %s:", columns.Title(h.Status), several(len(cards), "card")))
		for _, c := range cards {
			t.line("  " + strings.TrimSpace(squeeze(m.board.Describe(c, m.now()))))
		}
		told += len(cards)
	}
	if told == 0 {
		t.line("No cards.")
	}
}

// filter narrows what list says from now on.
func (t *teller) filter(rest string) {
	t.m.filter.set(rest)
	t.m.page = nil
	t.m.fieldChanged()
	if rest == "" {
		t.line("All cards are listed.")
		return
	}
	shown, all := t.m.filterCounts()
	t.line(fmt.Sprintf("Listed from now on: %d of %d cards.", shown, all))
}

// chooseLine chooses the line of the page whose number was given.
func (t *teller) chooseLine() {
	number, err := strconv.Atoi(strings.TrimSpace(t.args))
	if p, ok := t.m.page.(cursored); ok && err == nil {
		at, _ := p.cursor()
		t.m.page.scroll(number - 1 - at)
		t.args = ""
	}
}
