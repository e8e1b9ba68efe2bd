package columns

import (
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
)

// Selected returns the selected card, nil on an empty board.
func (b *Board) Selected() *core.Card {
	if b.snap == nil || b.sel == "" {
		return nil
	}
	return b.snap.ByID[b.sel]
}

// Focus is the index of the column that holds the selection.
func (b *Board) Focus() int { return b.col }

// Select puts the selection on a card, if it is on the board.
func (b *Board) Select(id string) bool {
	col, row, found := b.find(id)
	if found {
		b.put(col, row)
	}
	return found
}

func (b *Board) put(col, row int) {
	b.col, b.row, b.sel = col, row, b.lists[col].cards[row].ID
}

// find returns where a card stands. Only the column of its status is searched.
func (b *Board) find(id string) (col, row int, found bool) {
	if b.snap == nil {
		return 0, 0, false
	}
	card := b.snap.ByID[id]
	if card == nil {
		return 0, 0, false
	}
	col = slices.IndexFunc(b.lists, func(l list) bool { return l.status == card.Status.Column() })
	if col < 0 {
		return 0, 0, false
	}
	row = slices.Index(b.lists[col].cards, card)
	return col, row, row >= 0
}

// reselect keeps the selection on its card, or gives it to a neighbour: the
// card that took its place, the last one above, or the nearest column.
func (b *Board) reselect() {
	if col, row, found := b.find(b.sel); found {
		b.put(col, row)
		return
	}
	first := b.sel == ""
	b.sel = ""
	if first {
		b.col = b.startColumn()
	}
	for distance := range len(b.lists) {
		for _, col := range []int{b.col + distance, b.col - distance} {
			if col >= 0 && col < len(b.lists) && len(b.lists[col].cards) > 0 {
				b.put(col, min(b.row, len(b.lists[col].cards)-1))
				return
			}
		}
	}
	b.col, b.row = 0, 0
}

// startColumn is where a person's eye goes first.
func (b *Board) startColumn() int {
	for _, status := range []core.Status{core.Running, core.Ready} {
		col := slices.IndexFunc(b.lists, func(l list) bool { return l.status == status })
		if col >= 0 && len(b.lists[col].cards) > 0 {
			return col
		}
	}
	return 0
}

// MoveRow moves the selection down, or up for a negative n, within its column.
func (b *Board) MoveRow(n int) {
	if b.sel == "" {
		return
	}
	b.put(b.col, min(max(0, b.row+n), len(b.lists[b.col].cards)-1))
}

// MoveColumn moves to the next column that has cards, or to the one before for
// a negative direction, at about the same height on the screen.
func (b *Board) MoveColumn(direction int) {
	if b.sel == "" {
		return
	}
	for col := b.col + direction; col >= 0 && col < len(b.lists); col += direction {
		if l := &b.lists[col]; len(l.cards) > 0 {
			b.put(col, b.beside(col))
			return
		}
	}
}

// beside is the row of another column that is at the selection's height: on the
// screen, or in its lane.
func (b *Board) beside(col int) int {
	l, here := &b.lists[col], &b.lists[b.col]
	row := l.top + b.row - here.top
	if b.lanes {
		owner := here.cards[b.row].Assignee
		first := slices.IndexFunc(here.cards, func(c *core.Card) bool { return c.Assignee == owner })
		row = slices.IndexFunc(l.cards, func(c *core.Card) bool { return compareLanes(c.Assignee, owner) >= 0 })
		switch {
		case row < 0:
			row = len(l.cards) - 1
		case l.cards[row].Assignee == owner:
			for n := b.row - first; n > 0 && row+1 < len(l.cards) && l.cards[row+1].Assignee == owner; n-- {
				row++
			}
		}
	}
	return min(max(0, row), len(l.cards)-1)
}

// CycleColumn is MoveColumn that starts again at the other end.
func (b *Board) CycleColumn(direction int) {
	before := b.col
	if b.MoveColumn(direction); b.col != before || b.sel == "" {
		return
	}
	if direction > 0 {
		b.col = -1
	} else {
		b.col = len(b.lists)
	}
	for col := b.col + direction; col >= 0 && col < len(b.lists); col += direction {
		if len(b.lists[col].cards) > 0 {
			b.put(col, min(b.row, len(b.lists[col].cards)-1))
			return
		}
	}
}

// NextBadge jumps to the next card with a badge, or to the one before for a
// negative direction, through all columns and around the end.
func (b *Board) NextBadge(direction int) bool {
	type place struct{ col, row int }
	var places []place
	for id := range b.marks {
		if col, row, found := b.find(id); found {
			places = append(places, place{col, row})
		}
	}
	if len(places) == 0 {
		return false
	}
	order := func(a, b place) int {
		if a.col != b.col {
			return a.col - b.col
		}
		return a.row - b.row
	}
	slices.SortFunc(places, order)
	here := place{b.col, b.row}
	at := slices.IndexFunc(places, func(p place) bool { return order(p, here) > 0 })
	if at < 0 {
		at = 0
	}
	if direction < 0 {
		at = len(places) - 1
		for i, p := range places {
			if order(p, here) < 0 {
				at = i
			}
		}
	}
	b.put(places[at].col, places[at].row)
	return true
}

// CardAt is the id of the card that was drawn at a place of the view, which is
// counted from its upper left cell; empty for none.
func (b *Board) CardAt(slots []Slot, x, y, height int) string {
	step := b.density.lines() + b.density.gap()
	for _, slot := range slots {
		if x < slot.X || x >= slot.X+slot.Width || slot.Folded || y < HeadHeight || y >= height {
			continue
		}
		l := &b.lists[slot.Column]
		row := l.top + (y-HeadHeight)/step
		if !b.lanes {
			if row < len(l.cards) {
				return l.cards[row].ID
			}
			return ""
		}
		return b.laneCardAt(slots, slot.Column, y-HeadHeight, step)
	}
	return ""
}
