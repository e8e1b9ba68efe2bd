package columns

import (
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Density is how much room a card gets.
type Density uint8

// The three densities.
const (
	Normal Density = iota
	Compact
	Roomy
	densities
)

// String is the density's name.
func (d Density) String() string {
	return [...]string{"normal", "compact", "roomy"}[d]
}

// lines is how many lines a card has, gap how many blank ones follow it.
func (d Density) lines() int { return [...]int{3, 1, 5}[d] }
func (d Density) gap() int   { return [...]int{1, 0, 1}[d] }

// painter draws one card in one look.
type painter struct {
	styles *themes.Styles
	signs  themes.Signs
	ink    themes.Ink
}

// draw returns the lines of a card, each exactly l.width cells wide: a bar
// that marks the selected card, the content, and a blank.
func (p *painter) draw(c *core.Card, l look) []string {
	p.ink = p.styles.Board
	if l.selected {
		p.ink = p.styles.Selected
	}
	f := newFace(c, l.held)
	width := l.width - 2
	if width < 1 {
		return blankLines(l)
	}
	var lines []string
	switch l.density {
	case Compact:
		lines = []string{p.compact(c, &f, &l, width)}
	case Normal:
		lines = []string{p.title(&f, &l, f.title, width, true), p.meta(&f, &l, width), p.stateLine(c, &f, &l, width)}
	default:
		lines = p.roomy(c, &f, &l, width)
	}
	bar := p.bar(&l)
	end := p.ink.Fill.Render(" ")
	for i := range lines {
		lines[i] = bar + lines[i] + end
	}
	return lines
}

func blankLines(l look) []string {
	lines := make([]string, l.density.lines())
	for i := range lines {
		lines[i] = text.Spaces(l.width)
	}
	return lines
}

func (p *painter) bar(l *look) string {
	switch {
	case l.bright:
		return p.badgeStyle(l.badge).Render(p.signs.BarFlash)
	case l.picked:
		return p.ink.Accent.Render(p.signs.Picked)
	case l.selected:
		return p.ink.Accent.Render(p.signs.Bar)
	}
	return p.ink.Fill.Render(" ")
}

// title is a line of the title; the first one ends with badge and priority.
func (p *painter) title(f *face, l *look, words string, width int, first bool) string {
	style, fill := p.ink.Text, p.ink.Fill
	if l.selected {
		style = p.ink.Strong
	}
	if l.bright {
		style = p.flashStyle(l.badge)
		fill = style
	}
	if !first {
		return Line(width, fill, []Piece{{words, style}}, nil)
	}
	sign, rank := p.badgeStyle(l.badge), p.ink.Muted
	if l.bright {
		sign, rank = style, style
	}
	var right []Piece
	if l.badge != NoBadge {
		right = append(right, Piece{p.badgeSign(l.badge), sign})
	}
	if f.priority != "" && len(right) > 0 {
		right = append(right, Piece{" ", rank})
	}
	if f.priority != "" {
		right = append(right, Piece{f.priority, rank})
	}
	return Line(width, fill, []Piece{{words, style}}, right)
}

// meta is the line that identifies the card: id, owner, age.
func (p *painter) meta(f *face, l *look, width int) string {
	left := []Piece{{f.id, p.ink.Muted}}
	if f.assignee != "" {
		left = append(left, Piece{" " + f.assignee, p.ink.Text})
	}
	age := ageText(l.age)
	if f.status == core.Running || piecesWidth(left)+1+len(age) > width {
		return Line(width, p.ink.Fill, left, nil) // the owner matters more
	}
	return Line(width, p.ink.Fill, left, []Piece{{age, p.ink.Muted}})
}

// stateLine is what stands between the card and its end, and where there is
// room for it, how many children are done and how many comments there are.
func (p *painter) stateLine(c *core.Card, f *face, l *look, width int) string {
	left := telling(p.state(c, f, l), width)
	var right []Piece
	room := width - piecesWidth(left) - 1
	add := func(words string) {
		if len(right) > 0 && words != "" {
			words = " " + words
		}
		if n := text.Width(words); n > 0 && n <= room {
			right = append(right, Piece{words, p.ink.Muted})
			room -= n
		}
	}
	add(f.children)
	if f.comments != "" {
		add(p.signs.Comments + f.comments)
	}
	return Line(width, p.ink.Fill, left, right)
}

// compact is the whole card in one line: the sign of its state, title, badge.
func (p *painter) compact(c *core.Card, f *face, l *look, width int) string {
	sign := Piece{" ", p.ink.Fill}
	if pieces := p.state(c, f, l); len(pieces) > 0 {
		s, _, _ := strings.Cut(pieces[0].Text, " ")
		sign = Piece{s, pieces[0].Style}
	}
	style := p.ink.Text
	if l.selected {
		style = p.ink.Strong
	}
	if l.bright {
		style = p.flashStyle(l.badge)
	}
	right := []Piece{{ageText(l.age), p.ink.Muted}}
	if f.priority != "" {
		right = append([]Piece{{f.priority + " ", p.ink.Muted}}, right...)
	}
	return Line(width, p.ink.Fill, []Piece{sign, {" ", p.ink.Fill}, {f.title, style}}, right)
}

// telling leaves out the pieces of which too little would be seen.
func telling(pieces []Piece, width int) []Piece {
	const least = 10 // cells
	for i, p := range pieces {
		n := text.Width(p.Text)
		if i > 0 && n > width && width < least {
			return pieces[:i]
		}
		width -= n
	}
	return pieces
}

// roomy gives the title two lines and its state what is left.
func (p *painter) roomy(c *core.Card, f *face, l *look, width int) []string {
	first := width
	if f.priority != "" {
		first -= len(f.priority) + 1
	}
	if l.badge != NoBadge {
		first -= 2
	}
	titles := text.Wrap(f.title, max(1, first))
	if len(titles) > 2 {
		titles = []string{titles[0], strings.Join(titles[1:], " ")}
	}
	lines := make([]string, 0, l.density.lines())
	for i, words := range titles {
		lines = append(lines, p.title(f, l, words, width, i == 0))
	}
	lines = append(lines, p.meta(f, l, width))
	pieces := p.state(c, f, l)
	if piecesWidth(pieces) <= width {
		lines = append(lines, p.stateLine(c, f, l, width))
	} else {
		lines = append(lines, p.flow(pieces, width, l.density.lines()-len(lines))...)
	}
	for len(lines) < l.density.lines() {
		lines = append(lines, p.ink.Fill.Render(text.Spaces(width)))
	}
	return lines
}

// flow sets pieces into at most n lines. A piece that does not fit beside the
// one before starts a line, and is wrapped if it is longer than that.
func (p *painter) flow(pieces []Piece, width, n int) []string {
	var rows [][]Piece
	room := 0
	for _, piece := range pieces {
		if w := text.Width(piece.Text); w <= room && len(rows) > 0 {
			rows[len(rows)-1] = append(rows[len(rows)-1], piece)
			room -= w
			continue
		}
		for _, words := range text.Wrap(strings.TrimSpace(piece.Text), width) {
			rows = append(rows, []Piece{{words, piece.Style}})
			room = width - text.Width(words)
		}
	}
	var lines []string
	for i, row := range rows[:min(n, len(rows))] {
		if i == n-1 && len(rows) > n {
			row = append(row, Piece{p.signs.Ellipsis, row[len(row)-1].Style})
		}
		lines = append(lines, Line(width, p.ink.Fill, row, nil))
	}
	return lines
}
