package ui

import "github.com/hermes-tui/hermes-tui/ui/columns"

// Rect is a part of the screen, in cells.
type Rect struct{ X, Y, W, H int }

// The smallest screen that is drawn, and the widths that change its shape.
const (
	minWidth, minHeight = 40, 8
	oneColumnBelow      = 60  // cells
	stripBelow          = 100 // fewer columns, with a strip of counts
	sideFrom            = 150 // an open page stands beside the board
	tallFrom            = 16  // lines; below, a message takes the footer's place

	columnWide, columnNarrow = 26, 17 // least width of a column below and from stripBelow
	foldedWidth              = 5
)

// LayoutInput is what the layout depends on beside the size.
type LayoutInput struct {
	Filled  []bool // for every column, whether it has cards
	Focus   int    // the column of the selection
	First   int    // the first column shown before
	Page    bool   // a page is open
	Banners int
}

// Layout says where everything is. A rectangle without height is not shown.
type Layout struct {
	TooSmall bool
	Header   Rect
	Banners  Rect
	Strip    Rect // counts of all columns, when not all are shown
	Board    Rect
	Page     Rect
	Message  Rect
	Footer   Rect
	Slots    []columns.Slot // X counts from the board's left edge
	First    int
}

// Arrange is the layout: a pure function from the size to rectangles that
// neither overlap nor leave the screen.
func Arrange(width, height int, in LayoutInput) Layout {
	if width < minWidth || height < minHeight {
		return Layout{TooSmall: true}
	}
	l := Layout{
		Header: Rect{0, 0, width, 1},
		Footer: Rect{0, height - 1, width, 1},
	}
	top, bottom := 1, height-1
	if banners := min(in.Banners, 2); banners > 0 {
		l.Banners = Rect{0, top, width, banners}
		top += banners
	}
	if height >= tallFrom {
		bottom--
		l.Message = Rect{0, bottom, width, 1}
	}
	board := width
	if in.Page && width < sideFrom {
		l.Page = Rect{0, top, width, bottom - top}
		return l
	}
	if in.Page {
		side := min(max(width*2/5, 64), 100)
		board = width - side - 1
		l.Page = Rect{board + 1, top, side, bottom - top}
	}
	var all bool
	l.Slots, l.First, all = arrangeColumns(board, in)
	if !all {
		l.Strip = Rect{0, top, width, 1}
		top++
		if in.Page {
			l.Page.Y++
			l.Page.H--
		}
	}
	l.Board = Rect{0, top, board, bottom - top}
	return l
}

// arrangeColumns gives every column that has cards an equal share. If there
// are too many, only those around the focus are shown; empty columns fold to a
// narrow strip where there is room. It reports whether every column that has
// cards is shown.
func arrangeColumns(width int, in LayoutInput) (slots []columns.Slot, first int, all bool) {
	var filled []int
	for i, has := range in.Filled {
		if has {
			filled = append(filled, i)
		}
	}
	if len(filled) == 0 {
		return nil, 0, true
	}
	least := columnNarrow
	if width < stripBelow {
		least = columnWide
	}
	room := max(1, (width+1)/(least+1))
	if width < oneColumnBelow {
		room = 1
	}
	folded := len(in.Filled) - len(filled)
	all = width >= stripBelow && len(filled) <= room
	shown := window(filled, room, in)
	if all && len(filled)*(least+1)+folded*(foldedWidth+1) <= width+1 {
		shown = nil
		for i := range in.Filled {
			shown = append(shown, i)
		}
	} else {
		folded = 0
	}
	open := len(shown) - folded
	space := width - (len(shown) - 1) - folded*foldedWidth
	x := 0
	for _, column := range shown {
		slot := columns.Slot{Column: column, X: x, Width: foldedWidth, Folded: !in.Filled[column]}
		if !slot.Folded {
			slot.Width = space / open
			if extra := space % open; extra > countOpen(slots) {
				slot.Width++
			}
		}
		slots = append(slots, slot)
		x += slot.Width + 1
	}
	return slots, shown[0], all
}

func countOpen(slots []columns.Slot) int {
	n := 0
	for _, s := range slots {
		if !s.Folded {
			n++
		}
	}
	return n
}

// window picks the columns shown out of those that have cards, moving no
// further than the focus needs.
func window(filled []int, room int, in LayoutInput) []int {
	room = min(room, len(filled))
	start, focus := 0, 0
	for i, column := range filled {
		if column < in.First {
			start = i + 1
		}
		if column <= in.Focus {
			focus = i
		}
	}
	start = min(start, focus)
	start = max(start, focus-room+1)
	start = max(0, min(start, len(filled)-room))
	return filled[start : start+room]
}
