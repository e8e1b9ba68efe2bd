package text

import "strings"

// introducesC1 reports the eight-bit forms of the sequences that carry
// parameters or a payload.
func introducesC1(r rune) bool {
	switch r {
	case 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f: // DCS, SOS, CSI, OSC, PM, APC
		return true
	}
	return false
}

// sequenceLen is how many bytes the escape sequence at the start of s takes. A
// sequence that never ends takes only its introducer, so that the text after
// it stays visible.
func sequenceLen(s string) int {
	if s[0] != 0x1b { // two bytes of UTF-8
		return 2 + tailLen(s[1]-0x40, s[2:])
	}
	if len(s) == 1 {
		return 1
	}
	switch c := s[1]; {
	case strings.IndexByte("[]PX^_", c) >= 0:
		return 2 + tailLen(c, s[2:])
	case c >= 0x20 && c <= 0x2f: // a character set, for example
		i := 1
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
			return i + 1
		}
		return 1
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

// tailLen is how many bytes belong to a sequence after its introducer, which
// is given in its seven-bit letter.
func tailLen(kind byte, s string) int {
	if kind == '[' {
		return csiLen(s)
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == 0x07 && kind == ']':
			return i + 1
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case s[i] == 0x18 || s[i] == 0x1a || s[i] == 0x1b:
			return 0
		}
	}
	return 0
}

// csiLen is the length of parameters, intermediates and final byte, 0 if the
// sequence is broken.
func csiLen(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
		i++
	}
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}
