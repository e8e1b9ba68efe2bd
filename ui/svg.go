package ui

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/themes"
)

// The grid of a picture, in its own units.
const (
	cellWidth, cellHeight = 8.43, 17.0
	fontSize, baseline    = 14.0, 13.0
	margin                = 10.0
)

// SVG draws a frame as a picture, cell by cell, so that the same frame always
// gives the same bytes. The ground and the ink of cells without a colour of
// their own are those the theme was made for.
func SVG(frame string, width, height int, theme themes.Theme) string {
	screen := uv.NewScreenBuffer(width, height)
	screen.Method = ansi.GraphemeWidth
	uv.NewStyledString(strings.ReplaceAll(frame, "\n", "\r\n")).Draw(screen, screen.Bounds())
	paper := paperOf(theme)
	var b strings.Builder
	w, h := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="%s" xml:space="preserve">`,
		number(w), number(h), number(w), number(h), number(fontSize))
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", paper.ground)
	for y := range height {
		for _, s := range spans(screen, y, width) {
			s.draw(&b, y, paper)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// paper is what a terminal brings along itself.
type paper struct{ ground, ink string }

func paperOf(t themes.Theme) paper {
	if t.Plain {
		t = themes.Dark
	}
	return paper{t.Base, t.Text}
}

// span is a run of cells of one style.
type span struct {
	x, cells int
	text     string
	wide     bool // one character that takes more than a cell
	style    uv.Style
}

// spans cuts a line into runs. A wide character, and any outside of the plain
// alphabet, is placed on its own, so that no font can move what follows it.
func spans(screen uv.ScreenBuffer, y, width int) []span {
	var out []span
	for x := 0; x < width; {
		c := screen.CellAt(x, y)
		if c == nil || c.Width == 0 {
			x++
			continue
		}
		n := len(out)
		alone := c.Width > 1 || len(c.Content) > 1
		if !alone && n > 0 && !out[n-1].wide && out[n-1].style.Equal(&c.Style) && out[n-1].x+out[n-1].cells == x {
			out[n-1].text += c.Content
			out[n-1].cells++
		} else {
			out = append(out, span{x: x, cells: c.Width, text: c.Content, wide: alone, style: c.Style})
		}
		x += c.Width
	}
	return out
}

func (s span) draw(b *strings.Builder, y int, paper paper) {
	ink, ground := hex(s.style.Fg, paper.ink), hex(s.style.Bg, "")
	if s.style.Attrs&uv.AttrReverse != 0 {
		ink, ground = hex(s.style.Bg, paper.ground), ink
	}
	x, top := margin+float64(s.x)*cellWidth, margin+float64(y)*cellHeight
	if ground != "" {
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
			number(x), number(top), number(float64(s.cells)*cellWidth), number(cellHeight), ground)
	}
	words := strings.TrimRight(s.text, " ")
	if words == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" fill="%s"`, number(x), number(top+baseline), ink)
	if s.style.Attrs&uv.AttrBold != 0 {
		b.WriteString(` font-weight="bold"`)
	}
	if s.style.Attrs&uv.AttrFaint != 0 {
		b.WriteString(` opacity="0.5"`)
	}
	if !s.wide {
		fmt.Fprintf(b, ` textLength="%s"`, number(float64(len(words))*cellWidth))
	}
	b.WriteString(">" + escapeXML.Replace(words) + "</text>\n")
}

var escapeXML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// number writes a measure without digits that say nothing.
func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

// hex is a colour as the picture names it, or the fallback for none.
func hex(c color.Color, fallback string) string {
	if c == nil {
		return fallback
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
