package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// say writes one line for a person to standard error, where it never disturbs
// what a script reads.
func (a *app) say(line string) { fmt.Fprintf(a.err, "hermes-tui: %s\n", text.Clean(line)) }

// print writes one line of a command's answer. What comes from a board or a
// file name is cleaned by the caller.
func (a *app) print(format string, args ...any) { a.write([]byte(fmt.Sprintf(format, args...) + "\n")) }

// printJSON writes one value on one line, without escaping for HTML.
func (a *app) printJSON(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		a.unsaid = fmt.Errorf("write the answer as JSON: %w", err)
		return
	}
	a.write(armour(b.Bytes()))
}

// write sends a piece of the answer and remembers the first failure, so that a
// script is never told that all went well with half an answer.
func (a *app) write(answer []byte) {
	if _, err := a.out.Write(answer); err != nil && a.unsaid == nil {
		a.unsaid = fmt.Errorf("write the answer: %w", err)
	}
}

// armour escapes what encoding/json leaves as it is and a terminal might obey or
// hide: eight-bit controls, reordering and invisible characters. Such characters
// stand only inside strings, where an escape means the same.
func armour(encoded []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(encoded))
	for _, r := range string(encoded) {
		switch {
		case r < 0x7f || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
