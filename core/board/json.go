package board

import (
	"bytes"
	"encoding/json"
	"strings"
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
func pythonJSON(f fields) string {
	var b strings.Builder
	writePython(&b, f)
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
	default:
		b.Write(scalar(v))
	}
}

// scalar encodes one plain value without Go's habit of escaping <, >, & and
// the two line separators.
func scalar(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	out := bytes.TrimRight(buf.Bytes(), "\n")
	out = bytes.ReplaceAll(out, []byte(`\u2028`), []byte("\u2028"))
	return bytes.ReplaceAll(out, []byte(`\u2029`), []byte("\u2029"))
}
