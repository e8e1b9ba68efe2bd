package columns

import (
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
)

// Facts is what the screen knows of the cards beside the snapshot.
type Facts struct {
	// Known reports whether a worker can be started for this assignee. Nil
	// means that nobody asked.
	Known func(assignee string) bool
	// Held gives, by card id, why the last tick decided nothing about it.
	Held map[string]string
	// Passed are the ids of cards that the last tick did not start for a reason
	// of their own or of their assignee.
	Passed map[string]bool
}

// Board is the columns with a selection, badges and what was drawn before.
type Board struct {
	styles *themes.Styles
	signs  themes.Signs
	still  bool

	snap     *core.Snapshot
	lists    []list
	filter   func(*core.Card) bool
	archived bool
	facts    Facts
	next     string // id of the card that starts next

	sel      string // id of the selected card, empty on an empty board
	col, row int    // where it stands
	density  Density
	marks    map[string]mark

	order   Order
	chosen  []core.Status // the columns a person wants, nil for the usual ones
	lanes   bool
	laneTop int // first visible row of the board in lanes
	picked  map[string]bool
	anchor  string // where a range of picked cards begins

	kept    map[string]drawn
	renders int
}

// list is one column as it is shown.
type list struct {
	status core.Status
	cards  []*core.Card
	all    int // without the filter
	top    int // first visible card
}

// New returns an empty board. Still turns all motion off.
func New(styles *themes.Styles, signs themes.Signs, still bool) *Board {
	return &Board{styles: styles, signs: signs, still: still, marks: map[string]mark{}, picked: map[string]bool{}, kept: map[string]drawn{}}
}

// SetStyles changes the theme.
func (b *Board) SetStyles(styles *themes.Styles) {
	b.styles = styles
	clear(b.kept)
}

// SetFacts replaces what is known beside the snapshot.
func (b *Board) SetFacts(f Facts) {
	b.facts = f
	b.findNext()
}

// SetSnapshot swaps the board for a newer one. The selection stays on its card
// wherever that went; if it is gone, a neighbour is selected.
func (b *Board) SetSnapshot(s *core.Snapshot) {
	b.snap = s
	for id := range b.marks {
		if s.ByID[id] == nil {
			delete(b.marks, id)
		}
	}
	for id := range b.picked {
		if s.ByID[id] == nil {
			delete(b.picked, id)
		}
	}
	b.rebuild()
	b.findNext()
}

// SetFilter shows only the cards that keep wants; nil shows all.
func (b *Board) SetFilter(keep func(*core.Card) bool) {
	b.filter = keep
	b.rebuild()
}

// ToggleArchived shows or hides the column of archived cards.
func (b *Board) ToggleArchived() {
	b.archived = !b.archived
	b.rebuild()
}

// CycleDensity goes to the next density and returns it.
func (b *Board) CycleDensity() Density {
	b.density = (b.density + 1) % densities
	return b.density
}

// rebuild makes the lists of the columns and finds the selection in them.
func (b *Board) rebuild() {
	if b.snap == nil {
		return
	}
	tops := map[core.Status]int{}
	for _, l := range b.lists {
		tops[l.status] = l.top
	}
	b.lists = b.lists[:0]
	for _, c := range b.shown() {
		cards := b.arrange(c.Cards)
		if b.filter != nil {
			cards = slices.DeleteFunc(slices.Clone(cards), func(c *core.Card) bool { return !b.filter(c) })
		}
		b.lists = append(b.lists, list{status: c.Status, cards: cards, all: len(c.Cards), top: tops[c.Status]})
	}
	b.reselect()
}

// findNext finds the card that a dispatcher would start first: the highest
// priority, of these the one that has waited longest.
func (b *Board) findNext() {
	b.next = ""
	if b.snap == nil {
		return
	}
	var first *core.Card
	for _, column := range b.snap.Columns {
		if column.Status != core.Ready {
			continue
		}
		for _, c := range column.Cards {
			if first != nil && c.Priority < first.Priority {
				break // the column is ordered by priority
			}
			if b.startable(c) && (first == nil || c.CreatedAt < first.CreatedAt) {
				first = c
			}
		}
	}
	if first != nil {
		b.next = first.ID
	}
}

func (b *Board) startable(c *core.Card) bool {
	return c.Assignee != "" && b.facts.Held[c.ID] == "" && !b.facts.Passed[c.ID] && (b.facts.Known == nil || b.facts.Known(c.Assignee))
}
