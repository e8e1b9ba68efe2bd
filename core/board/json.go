package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// field is one column with its new value, or one key of a payload.
type field struct {
	name  string
	value any
}

// fields keeps its order: the order of keys in a payload and of columns in a
// statement.
type fields []field

// pythonJSON writes f as Python's json.dumps(ensure_ascii=False) does: ", " and
// ": " between parts, keys in their order, nothing escaped for HTML. Hermes
// compares some payloads byte by byte, so the blanks matter. An empty object is
// written as SQL NULL by the callers, as Hermes does.
func pythonJSON(f fields) string { return pythonText(f) }

// pythonText writes any value of a payload in that form.
func pythonText(v any) string {
	var b strings.Builder
	writePython(&b, v)
	return b.String()
}

// pythonASCII writes a list of texts as Python's json.dumps does by default:
// with everything outside ASCII escaped. The column tasks.skills is written so.
func pythonASCII(list []string) string {
	var b strings.Builder
	for _, r := range pythonText(list) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// writePython appends v. Values are what payloads are made of: nil, booleans,
// numbers, texts, lists of texts, fields, and JSON that was stored before.
func writePython(b *strings.Builder, v any) {
	switch v := v.(type) {
	case fields:
		b.WriteByte('{')
		for i, f := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writePython(b, f.name)
			b.WriteString(": ")
			writePython(b, f.value)
		}
		b.WriteByte('}')
	case []string:
		b.WriteByte('[')
		for i, s := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writePython(b, s)
		}
		b.WriteByte(']')
	case *string:
		if v == nil {
			b.WriteString("null")
			return
		}
		writePython(b, *v)
	case *int64:
		if v == nil {
			b.WriteString("null")
			return
		}
		writePython(b, *v)
	case json.RawMessage:
		writeAgain(b, v)
	default:
		b.Write(scalar(v))
	}
}

// writeAgain appends valid JSON with the blanks of Python and with its escapes
// only where they are needed, the keys in the order they have.
func writeAgain(b *strings.Builder, raw json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	type level struct {
		object bool
		parts  int // tokens so far: in an object, keys and values
	}
	var open []level
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		if end, ok := token.(json.Delim); ok && (end == '}' || end == ']') {
			b.WriteString(end.String())
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 {
			switch in := &open[n-1]; {
			case in.object && in.parts%2 == 1:
				b.WriteString(": ")
				in.parts++
			default:
				if in.parts > 0 {
					b.WriteString(", ")
				}
				in.parts++
			}
		}
		if start, ok := token.(json.Delim); ok {
			b.WriteString(start.String())
			open = append(open, level{object: start == '{'})
			continue
		}
		b.Write(scalar(token))
	}
}

// scalar encodes one plain value.
func scalar(v any) []byte {
	if s, ok := v.(string); ok {
		return quoted(s)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return out
}

// quoted writes a text as Python does: only quotes, backslashes and control
// characters are escaped. Bytes that are no UTF-8 become the replacement
// character.
func quoted(s string) []byte {
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	for _, r := range s {
		if short := strings.IndexRune("\"\\\n\r\t\f\b", r); short >= 0 {
			out = append(out, '\\', `"\nrtfb`[short])
		} else if r < 0x20 {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
