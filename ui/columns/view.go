package columns

import (
	"strconv"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Head is what a column's title says.
type Head struct {
	Status core.Status
	Count  int // after the filter
	All    int
}

// Heads lists the columns of the board in order.
func (b *Board) Heads() []Head {
	heads := make([]Head, len(b.lists))
	for i, l := range b.lists {
		heads[i] = Head{l.status, len(l.cards), l.all}
	}
	return heads
}

// Cards are those of a column as they are shown, by its index into Heads.
func (b *Board) Cards(column int) []*core.Card { return b.lists[column].cards }

// Describe says in one line what the board shows of a card.
func (b *Board) Describe(c *core.Card, now time.Time) string {
	l := b.look(c, 0, now)
	p, f := painter{styles: b.styles, signs: b.signs, ink: b.styles.Board}, newFace(c, l.held)
	words := []string{f.id, f.title}
	for _, more := range []string{f.assignee, f.priority} {
		if more != "" {
			words = append(words, "("+more+")")
		}
	}
	for _, piece := range p.state(c, &f, &l) {
		words = append(words, piece.Text)
	}
	if f.children != "" {
		words = append(words, f.children+" children done")
	}
	if f.comments != "" {
		words = append(words, p.signs.Comments+f.comments)
	}
	return strings.Join(words, " ")
}

// Slot is where a column is drawn. Between two slots lies one cell for the
// divider.
type Slot struct {
	Column   int // index into Heads
	X, Width int
	Folded   bool // empty, shown as a strip
}

// HeadHeight is how many lines stand above the cards of a column.
const HeadHeight = 2

// drawn is a card as it was drawn last.
type drawn struct {
	card  *core.Card
	look  look
	lines []string
}

// maxKept bounds the memory for drawn cards; a screen shows a few hundred.
const maxKept = 4096

// Renders counts the cards drawn so far, as opposed to taken from what was
// kept.
func (b *Board) Renders() int { return b.renders }

// Forget drops everything kept, so that the next view is drawn anew.
func (b *Board) Forget() { clear(b.kept) }

// View draws the columns into their slots: height lines, each as wide as the
// slots together with the dividers between them.
func (b *Board) View(slots []Slot, height int, now time.Time) []string {
	if height <= 0 || len(slots) == 0 {
		return nil
	}
	if len(b.kept) > maxKept {
		clear(b.kept)
	}
	if b.lanes {
		return append(b.heads(slots), b.laneView(slots, max(0, height-HeadHeight), now)...)[:height]
	}
	blocks := make([][]string, len(slots))
	for i, slot := range slots {
		blocks[i] = b.column(slot, height, now)
	}
	return b.join(blocks, height)
}

// heads draws what stands above the cards of the columns.
func (b *Board) heads(slots []Slot) []string {
	blocks := make([][]string, len(slots))
	for i, slot := range slots {
		blocks[i] = []string{b.head(slot, 0, 0), b.rule(slot)}
	}
	return b.join(blocks, HeadHeight)
}

// join sets columns side by side. Below the titles the dividers hang from the
// rule.
func (b *Board) join(blocks [][]string, height int) []string {
	faint := b.styles.Board.Faint
	divider := faint.Render(b.signs.Divider)
	out := make([]string, height)
	var line strings.Builder
	for y := range out {
		line.Reset()
		between := divider
		switch y {
		case 0:
			between = " "
		case 1:
			between = faint.Render(b.signs.Tee)
		}
		for i := range blocks {
			if i > 0 {
				line.WriteString(between)
			}
			line.WriteString(blocks[i][y])
		}
		out[y] = line.String()
	}
	return out
}

// column draws one slot.
func (b *Board) column(slot Slot, height int, now time.Time) []string {
	out := make([]string, 0, height)
	l := &b.lists[slot.Column]
	step, gap := b.density.lines()+b.density.gap(), b.density.gap()
	fit := max(1, (height-HeadHeight+gap)/step)
	b.scroll(slot.Column, fit)
	end := min(len(l.cards), l.top+fit)
	out = append(out, b.head(slot, l.top, len(l.cards)-end), b.rule(slot))
	blank := text.Spaces(slot.Width)
	for row := l.top; row < end; row++ {
		out = append(out, b.card(l.cards[row], slot, now)...)
		if gap > 0 {
			out = append(out, blank)
		}
	}
	for len(out) < height {
		out = append(out, blank)
	}
	return out[:height]
}

// scroll moves the first visible card only as far as the selection needs, with
// one card of margin where there is room.
func (b *Board) scroll(col, fit int) {
	l := &b.lists[col]
	if col == b.col {
		margin := 0
		if fit >= 4 {
			margin = 1
		}
		l.top = min(l.top, max(0, b.row-margin))
		l.top = max(l.top, b.row-fit+1+margin)
	}
	l.top = max(0, min(l.top, len(l.cards)-fit))
}

// head is the title of a column: its name, how many cards, and how many of
// them lie above and below.
func (b *Board) head(slot Slot, above, below int) string {
	ink := &b.styles.Board
	l := &b.lists[slot.Column]
	name := Title(l.status)
	if slot.Folded {
		return Line(slot.Width, ink.Fill, []Piece{{" " + name[:min(3, len(name))], ink.Muted}}, nil)
	}
	style := ink.Muted
	if slot.Column == b.col {
		style = ink.Strong
	}
	count := " " + strconv.Itoa(len(l.cards))
	if len(l.cards) != l.all {
		count += "/" + strconv.Itoa(l.all)
	}
	var right []Piece
	if above > 0 {
		right = append(right, Piece{b.signs.Up + strconv.Itoa(above) + " ", ink.Muted})
	}
	if below > 0 {
		right = append(right, Piece{b.signs.Down + strconv.Itoa(below) + " ", ink.Muted})
	}
	return Line(slot.Width, ink.Fill, []Piece{{" " + name, style}, {count, ink.Muted}}, right)
}

func (b *Board) rule(slot Slot) string {
	if slot.Column == b.col && !slot.Folded {
		return b.styles.Board.Accent.Render(strings.Repeat(b.signs.RuleFocus, slot.Width))
	}
	return b.styles.Board.Faint.Render(strings.Repeat(b.signs.Rule, slot.Width))
}

// Title is a column's name on the screen.
func Title(s core.Status) string {
	return strings.ToUpper(string(s[:1])) + string(s[1:])
}

// card returns the lines of a card, from what was kept if nothing that it
// shows has changed.
func (b *Board) card(c *core.Card, slot Slot, now time.Time) []string {
	l := b.look(c, slot.Width, now)
	old, found := b.kept[c.ID]
	if found && old.look == l && sameCard(old.card, c) {
		if old.card != c {
			b.kept[c.ID] = drawn{c, l, old.lines}
		}
		return old.lines
	}
	p := painter{styles: b.styles, signs: b.signs}
	lines := p.draw(c, l)
	b.renders++
	b.kept[c.ID] = drawn{c, l, lines}
	return lines
}

// look gathers what else the card depends on.
func (b *Board) look(c *core.Card, width int, now time.Time) look {
	m := b.marks[c.ID]
	l := look{
		width: width, density: b.density, selected: c.ID == b.sel,
		badge: m.badge, bright: m.badge != NoBadge && !b.still && m.bright(now),
		next: c.ID == b.next, held: b.facts.Held[c.ID], picked: b.picked[c.ID],
		age: bucket(now.Unix(), since(c)), beat: unknownAge,
	}
	if c.Status == core.Running {
		l.beat = bucket(now.Unix(), c.Heartbeat)
	}
	if c.Status == core.Ready || c.Status == core.Review {
		l.unknown = c.Assignee != "" && b.facts.Known != nil && !b.facts.Known(c.Assignee)
	}
	return l
}

// since is the moment whose age a card shows.
func since(c *core.Card) int64 {
	switch {
	case c.Status == core.Running && c.RunStarted > 0:
		return c.RunStarted
	case c.Status == core.Running:
		return c.StartedAt
	case c.Status == core.Done:
		return c.CompletedAt
	}
	return c.CreatedAt
}
