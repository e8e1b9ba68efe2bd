package columns

import (
	"cmp"
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
)

// Order is how the cards of a column are sorted.
type Order uint8

// The orders. Usual is by priority, then newest; finished cards by completion.
const (
	Usual Order = iota
	Oldest
	Newest
	ByTitle
	Latest // where something happened last
	orders
)

// String is the order's name.
func (o Order) String() string {
	return [...]string{"usual", "oldest first", "newest first", "title", "latest first"}[o]
}

// OrderNamed is the order of that name, the usual one for any other.
func OrderNamed(name string) Order {
	for o := range orders {
		if o.String() == name {
			return o
		}
	}
	return Usual
}

// DensityNamed is the density of that name, the normal one for any other.
func DensityNamed(name string) Density {
	for d := range densities {
		if d.String() == name {
			return d
		}
	}
	return Normal
}

func (o Order) compare(a, b *core.Card) int {
	n := 0
	switch o {
	case Oldest:
		n = cmp.Compare(a.CreatedAt, b.CreatedAt)
	case Newest:
		n = cmp.Compare(b.CreatedAt, a.CreatedAt)
	case ByTitle:
		n = cmp.Compare(a.Title, b.Title)
	case Latest:
		n = cmp.Compare(touched(b), touched(a))
	}
	return cmp.Or(n, cmp.Compare(a.ID, b.ID))
}

// touched is the latest moment that a card tells of.
func touched(c *core.Card) int64 {
	return max(c.CreatedAt, c.StartedAt, c.CompletedAt, c.RunStarted, c.Heartbeat)
}

// arrange sorts the cards of a column as the person wants them.
func (b *Board) arrange(cards []*core.Card) []*core.Card {
	if b.order == Usual && !b.lanes {
		return cards
	}
	cards = slices.Clone(cards)
	if b.order != Usual {
		slices.SortFunc(cards, b.order.compare)
	}
	if b.lanes {
		slices.SortStableFunc(cards, func(x, y *core.Card) int { return compareLanes(x.Assignee, y.Assignee) })
	}
	return cards
}

// Order is how cards are sorted now.
func (b *Board) Order() Order { return b.order }

// SetOrder sorts the cards another way.
func (b *Board) SetOrder(o Order) {
	b.order = o
	b.rebuild()
}

// CycleOrder goes to the next order and returns it.
func (b *Board) CycleOrder() Order {
	b.SetOrder((b.order + 1) % orders)
	return b.order
}

// Density is how much room a card gets now.
func (b *Board) Density() Density { return b.density }

// SetDensity gives each card more or less room.
func (b *Board) SetDensity(d Density) { b.density = d }

// Archived reports whether the column of archived cards is shown.
func (b *Board) Archived() bool { return b.archived }

// SetColumns chooses the columns and their order; none means the usual ones.
func (b *Board) SetColumns(statuses []core.Status) {
	b.chosen = statuses
	b.rebuild()
}

// shown lists the columns of the snapshot that are to be seen. Cards of a status
// that we do not know are never left out.
func (b *Board) shown() []core.Column {
	columns := b.snap.Columns
	if len(b.chosen) > 0 {
		columns = nil
		for _, status := range append(slices.Clone(b.chosen), core.Other) {
			at := slices.IndexFunc(b.snap.Columns, func(c core.Column) bool { return c.Status == status })
			if at >= 0 {
				columns = append(columns, b.snap.Columns[at])
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c core.Column) bool {
		return c.Status == core.Archived && !b.archived || c.Status == core.Other && len(c.Cards) == 0
	})
}
