package columns

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Lanes reports whether the board is cut into a lane for each owner.
func (b *Board) Lanes() bool { return b.lanes }

// SetLanes cuts the board into a lane for each owner, or not.
func (b *Board) SetLanes(on bool) {
	b.lanes = on
	b.rebuild()
}

// compareLanes puts the lane of nobody last.
func compareLanes(a, b string) int {
	if (a == "") != (b == "") {
		if a == "" {
			return 1
		}
		return -1
	}
	return cmp.Compare(a, b)
}

// gridRow is a row of the board in lanes: the heading of a lane, or the n-th
// cards of all columns in it.
type gridRow struct {
	owner   string
	heading bool
	n       int
}

// grid lists the rows of the columns that are drawn, in lanes, and for each of
// these columns where the cards of a lane begin in it.
func (b *Board) grid(slots []Slot) (rows []gridRow, starts []map[string]int) {
	counts := map[string]int{}
	starts = make([]map[string]int, len(b.lists))
	for _, slot := range slots {
		i := slot.Column
		starts[i] = map[string]int{}
		in := map[string]int{}
		for row, c := range b.lists[i].cards {
			if in[c.Assignee]++; in[c.Assignee] == 1 {
				starts[i][c.Assignee] = row
			}
			counts[c.Assignee] = max(counts[c.Assignee], in[c.Assignee])
		}
	}
	owners := make([]string, 0, len(counts))
	for owner := range counts {
		owners = append(owners, owner)
	}
	slices.SortFunc(owners, compareLanes)
	for _, owner := range owners {
		rows = append(rows, gridRow{owner: owner, heading: true})
		for n := range counts[owner] {
			rows = append(rows, gridRow{owner: owner, n: n})
		}
	}
	return rows, starts
}

// at returns the card of a column in a grid row, nil for none.
func (b *Board) at(col int, r gridRow, starts []map[string]int) *core.Card {
	start, any := starts[col][r.owner]
	cards := b.lists[col].cards
	if row := start + r.n; any && row < len(cards) && cards[row].Assignee == r.owner {
		return cards[row]
	}
	return nil
}

// laneView draws the columns below their heads as lanes, height lines of them.
func (b *Board) laneView(slots []Slot, height int, now time.Time) []string {
	rows, starts := b.grid(slots)
	b.scrollLanes(rows, starts, height)
	var out []string
	for _, r := range rows[min(b.laneTop, len(rows)):] {
		if len(out) >= height {
			break
		}
		if r.heading {
			out = append(out, b.laneHead(r.owner, slots))
			continue
		}
		out = append(out, b.laneRow(r, starts, slots, now)...)
	}
	width := slots[len(slots)-1].X + slots[len(slots)-1].Width
	for len(out) < height {
		out = append(out, text.Spaces(width))
	}
	return out[:height]
}

// laneRow draws one card of every column side by side.
func (b *Board) laneRow(r gridRow, starts []map[string]int, slots []Slot, now time.Time) []string {
	lines := b.density.lines() + b.density.gap()
	out := make([]string, lines)
	divider := b.styles.Board.Faint.Render(b.signs.Divider)
	for i, slot := range slots {
		var drawn []string
		if c := b.at(slot.Column, r, starts); c != nil && !slot.Folded {
			drawn = b.card(c, slot, now)
		}
		for y := range out {
			if i > 0 {
				out[y] += divider
			}
			if y < len(drawn) {
				out[y] += drawn[y]
			} else {
				out[y] += text.Spaces(slot.Width)
			}
		}
	}
	return out
}

// laneHead is the line that begins a lane: whose it is, and how many cards.
func (b *Board) laneHead(owner string, slots []Slot) string {
	n := 0
	for _, l := range b.lists {
		for _, c := range l.cards {
			if c.Assignee == owner {
				n++
			}
		}
	}
	name := text.Clean(owner)
	if owner == "" {
		name = "nobody"
	}
	width := slots[len(slots)-1].X + slots[len(slots)-1].Width
	ink := &b.styles.Board
	words := b.signs.Rule + " " + text.Truncate(name, width/2) + " " + strconv.Itoa(n) + " "
	return Line(width, ink.Fill, []Piece{{words, ink.Accent}, {strings.Repeat(b.signs.Rule, max(0, width-text.Width(words))), ink.Faint}}, nil)
}

// scrollLanes moves the first visible row only as far as the selection needs.
// The heading of its lane is kept in sight where it can be.
func (b *Board) scrollLanes(rows []gridRow, starts []map[string]int, height int) {
	here := slices.IndexFunc(rows, func(r gridRow) bool {
		c := b.at(b.col, r, starts)
		return !r.heading && c != nil && c.ID == b.sel
	})
	if here < 0 || len(b.lists) == 0 {
		b.laneTop = 0
		return
	}
	b.laneTop = min(b.laneTop, here)
	if b.laneTop > 0 && rows[b.laneTop-1].heading {
		b.laneTop--
	}
	step := b.density.lines() + b.density.gap()
	for used := 0; ; used = 0 {
		for _, r := range rows[b.laneTop : here+1] {
			if r.heading {
				used++
			} else {
				used += step
			}
		}
		if used-b.density.gap() <= height || b.laneTop >= here {
			return
		}
		b.laneTop++
	}
}

// laneCardAt is the card of a column at a line below the heads.
func (b *Board) laneCardAt(slots []Slot, col, line, step int) string {
	rows, starts := b.grid(slots)
	for _, r := range rows[min(b.laneTop, len(rows)):] {
		if r.heading {
			line--
			continue
		}
		if line >= 0 && line < step {
			if c := b.at(col, r, starts); c != nil {
				return c.ID
			}
			return ""
		}
		line -= step
	}
	return ""
}
