package board

import (
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestJSONIsWrittenAsPythonWritesIt(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{fields{}, `{}`},
		{fields{{"assignee", "ghost"}}, `{"assignee": "ghost"}`},
		{fields{{"b", 1}, {"a", true}, {"n", nil}}, `{"b": 1, "a": true, "n": null}`},
		{fields{{"list", []string{"x", "y"}}, {"none", []string(nil)}}, `{"list": ["x", "y"], "none": []}`},
		{fields{{"in", fields{{"k", int64(-7)}}}}, `{"in": {"k": -7}}`},
		{fields{{"p", (*string)(nil)}, {"q", (*int64)(nil)}, {"r", new("s")}, {"t", new(int64(5))}}, `{"p": null, "q": null, "r": "s", "t": 5}`},
		{"<a> & b", `"<a> & b"`},
		{"ünïcode ✓ 🦊", `"ünïcode ✓ 🦊"`},
		{"\"\\/\b\f\n\r\t\x00\x1f\x7f", `"\"\\/\b\f\n\r\t\u0000\u001f` + "\x7f" + `"`},
		{"a\u2028b\u2029c", "\"a\u2028b\u2029c\""},
		{`\u2028`, `"\\u2028"`},
		{"\xff", "\"\ufffd\""},
		{json.RawMessage(`{"a":[1,2,{"b":null}],"c":{},"d":[],"e":1.50,"f":12345678901234567890}`),
			`{"a": [1, 2, {"b": null}], "c": {}, "d": [], "e": 1.50, "f": 12345678901234567890}`},
		{json.RawMessage(" [ true , \"\\u00fc\\u2028\" ] "), "[true, \"ü\u2028\"]"},
	} {
		if got := pythonText(c.value); got != c.want {
			t.Errorf("%#v: %s, want %s", c.value, got, c.want)
		}
	}
}

func TestSkillsAreWrittenInASCII(t *testing.T) {
	if got, want := pythonASCII([]string{"größe", "🦊", "a\x7f"}), `["gr\u00f6\u00dfe", "\ud83e\udd8a", "a\u007f"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFirstLineEndsWherePythonEndsIt(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo": "one", "one\r\ntwo": "one", "\n\n one \n": "one", "a\vb": "a", "a\fb": "a", "a\x1cb": "a", "a\x1db": "a",
		"a\x1eb": "a", "a\u0085b": "a", "a\u2028b": "a", "a\u2029b": "a", "a\x1fb": "a\x1fb", "\x1fa\u00a0": "a", "ééééé": "éééé",
	} {
		if got := firstLine(&in, 4); got == nil || *got != want {
			t.Errorf("%q: %v, want %q", in, got, want)
		}
	}
	for _, blank := range []*string{nil, new(""), new(" \u3000\x1d\n")} {
		if got := firstLine(blank, 4); got != nil {
			t.Errorf("%v: %q, want nothing", blank, *got)
		}
	}
}

func FuzzPythonJSON(f *testing.F) {
	for _, seed := range []string{"", "a", "\"\\\n", `\u2028`, "\u2029", "\xff\xfe", "<&>", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, text := range []string{pythonJSON(fields{{s, []string{s, "x"}}}), pythonASCII([]string{s})} {
			if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
				t.Fatalf("%q gives the invalid JSON %s", s, text)
			}
		}
		if !utf8.ValidString(s) {
			return
		}
		for _, text := range []string{pythonText([]string{s}), pythonASCII([]string{s})} {
			var back []string
			if err := json.Unmarshal([]byte(text), &back); err != nil || back[0] != s {
				t.Fatalf("%q comes back as %q (%v)", s, back, err)
			}
		}
	})
}

func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":[{"b":"\u2028"}]}`, `{"artifacts":["x"," ",3]}`, `[]`, `{"a":1}{"b":2}`, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseMetadata(raw)
		if err != nil || m == nil {
			return
		}
		m.artifacts()
		var was, is any
		if err := json.Unmarshal(raw, &was); err != nil {
			t.Fatalf("%q was taken as metadata: %v", raw, err)
		}
		if err := json.Unmarshal([]byte(*m.text()), &is); err != nil || !reflect.DeepEqual(was, is) {
			t.Fatalf("%q is stored as %s (%v)\n%s", raw, *m.text(), err, cmp.Diff(was, is))
		}
	})
}
