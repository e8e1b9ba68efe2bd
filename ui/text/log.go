package text

import (
	"strconv"
	"strings"
)

// LogLine returns one line of a worker's log for the screen. Colours and the
// quiet attributes (bold, faint, italic, underline, reverse) are parsed and
// written anew by us and closed at the end of the line; every other sequence
// vanishes. Of a line that overwrote itself with carriage returns the last
// state is shown.
func LogLine(s string) string {
	s = strings.TrimRight(s, "\r\n")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		s = s[i+1:]
	}
	if plain(s, false) {
		return s
	}
	var b strings.Builder
	var pen pen
	for s != "" {
		i := strings.IndexAny(s, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f")
		if i < 0 {
			i = len(s)
		}
		if chunk := Clean(s[:i]); chunk != "" {
			b.WriteString(pen.wrap(chunk))
		}
		if s = s[i:]; s == "" {
			break
		}
		n := sequenceLen(s)
		pen.apply(strings.TrimPrefix(strings.TrimPrefix(s[:n], "\x1b["), "\u009b"))
		s = s[n:]
	}
	return b.String()
}

// pen is the look that a log has asked for so far.
type pen struct {
	attrs  [10]bool // by SGR number
	fg, bg string   // SGR parameters, empty for the default
}

// wrap writes chunk in the pen's look and closes it.
func (p *pen) wrap(chunk string) string {
	var codes []string
	for n, on := range p.attrs {
		if on {
			codes = append(codes, strconv.Itoa(n))
		}
	}
	if p.fg != "" {
		codes = append(codes, p.fg)
	}
	if p.bg != "" {
		codes = append(codes, p.bg)
	}
	if len(codes) == 0 {
		return chunk
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + chunk + "\x1b[m"
}

// apply takes the rest of a control sequence after its introducer. Anything
// but a complete SGR changes nothing.
func (p *pen) apply(seq string) {
	body, isSGR := strings.CutSuffix(seq, "m")
	if !isSGR {
		return
	}
	var codes []int
	for _, field := range strings.FieldsFunc(body+";", func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n > 255 {
			return
		}
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	for len(codes) > 0 {
		codes = codes[p.take(codes):]
	}
}

// take applies the first attribute of codes and returns how many it used.
func (p *pen) take(codes []int) int {
	switch n := codes[0]; {
	case n == 0:
		*p = pen{}
	case n == 1 || n == 2 || n == 3 || n == 4 || n == 7:
		p.attrs[n] = true
	case n == 22:
		p.attrs[1], p.attrs[2] = false, false
	case n == 23 || n == 24 || n == 27:
		p.attrs[n-20] = false
	case n >= 30 && n <= 37 || n >= 90 && n <= 97:
		p.fg = strconv.Itoa(n)
	case n == 39:
		p.fg = ""
	case n >= 40 && n <= 47 || n >= 100 && n <= 107:
		p.bg = strconv.Itoa(n)
	case n == 49:
		p.bg = ""
	case n == 38 || n == 48:
		return p.takeExtended(codes)
	}
	return 1
}

// takeExtended applies a colour of the 256 or of 24 bits.
func (p *pen) takeExtended(codes []int) int {
	used := 0
	switch {
	case len(codes) >= 3 && codes[1] == 5:
		used = 3
	case len(codes) >= 5 && codes[1] == 2:
		used = 5
	default:
		return len(codes)
	}
	fields := make([]string, used)
	for i, n := range codes[:used] {
		fields[i] = strconv.Itoa(n)
	}
	if codes[0] == 38 {
		p.fg = strings.Join(fields, ";")
	} else {
		p.bg = strings.Join(fields, ";")
	}
	return used
}
