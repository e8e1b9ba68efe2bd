package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestARecordIsReadStrictly(t *testing.T) {
	const good = `{"board":"b","task_id":"t","expected_run_id":5,"result":"x","summary":null,"metadata":{"a":[1,{"b":2}]},"kanban_state":"pending"}`
	with := func(more string) string { return strings.TrimSuffix(good, "}") + "," + more + "}" }
	for _, c := range []struct{ name, text, reason string }{
		{"plain", good, ""},
		{"blanks around", "\n " + good + "\r\n\t", ""},
		{"a byte-order mark", "\xef\xbb\xbf" + good, ""},
		{"two byte-order marks", "\xef\xbb\xbf\xef\xbb\xbf" + good, reasonMalformed},
		{"unknown keys", with(`"more":[1]`), ""},
		{"nothing", "", reasonMalformed},
		{"zeros", strings.Repeat("\x00", 50), reasonMalformed},
		{"torn", good[:len(good)-9], reasonMalformed},
		{"two values", good + good, reasonMalformed},
		{"rubbish behind", good + "x", reasonMalformed},
		{"a list", "[" + good + "]", reasonMalformed},
		{"null", "null", reasonMalformed},
		{"no UTF-8", strings.Replace(good, `"x"`, "\"\xff\"", 1), reasonMalformed},
		{"a key twice", with(`"task_id":"t"`), reasonMalformed},
		{"a key twice, spelled otherwise", with(`"t\u0061sk_id":"t"`), reasonMalformed},
		{"a key twice inside", strings.Replace(good, `{"b":2}`, `{"b":2,"b":3}`, 1), reasonMalformed},
		{"a key once in each of two", strings.Replace(good, `[1,{"b":2}]`, `[{"b":1},{"b":2}]`, 1), ""},
		{"a key in other letters", strings.Replace(good, `"task_id"`, `"Task_ID"`, 1), reasonMalformed},
		{"a run that is a text", strings.Replace(good, `5`, `"5"`, 1), reasonMalformed},
		{"a run with a fraction", strings.Replace(good, `5`, `5.0`, 1), reasonMalformed},
		{"a run too big", strings.Replace(good, `5`, `92233720368547758070`, 1), reasonMalformed},
		{"a result that is no text", strings.Replace(good, `"x"`, `{}`, 1), reasonMalformed},
		{"metadata that is a list", strings.Replace(good, `{"a":[1,{"b":2}]}`, `[]`, 1), reasonMalformed},
		{"metadata null", strings.Replace(good, `{"a":[1,{"b":2}]}`, `null`, 1), ""},
		{"no board", strings.Replace(good, `"board":"b",`, "", 1), reasonMalformed},
		{"version 1", with(`"version":1`), ""},
		{"version 0", with(`"version":0`), reasonMalformed},
		{"a time with a fraction", with(`"written_at":1750000000.25`), ""},
		{"a time that is none", with(`"written_at":"now"`), reasonMalformed},
		{"a wrong digest", with(`"sha256":"00"`), reasonDigest},
		{"nested without end", strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1), reasonMalformed},
	} {
		_, err := decode([]byte(c.text))
		var bad *fault
		switch {
		case c.reason == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.reason != "" && (!errors.As(err, &bad) || bad.reason != c.reason):
			t.Errorf("%s: %v, want %s", c.name, err, c.reason)
		}
	}
	if _, err := decode([]byte(`{"version":2,"task_id":7}`)); !errors.Is(err, errNewer) {
		t.Errorf("a newer version: %v", err)
	}
}

func TestARecordThatIsWrittenIsReadBack(t *testing.T) {
	started := int64(1_750_000_000)
	r := Record{
		Version: 1, Board: "b", Task: "t_1", Run: 9, RunStarted: &started, ClaimLock: new("höst:1"), WrittenAt: 1_750_000_100,
		Result: new("<a> & \u2028 \x00 \"quoted\" \\ ü 😀"), Summary: new("line\nline"), Metadata: json.RawMessage(`{"n":1.50,"big":12345678901234567890}`),
	}
	data, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(data)
	if err != nil {
		t.Fatalf("%v\nin %s", err, data)
	}
	if !got.same(r) || *got.RunStarted != started || *got.ClaimLock != *r.ClaimLock || got.WrittenAt != r.WrittenAt || *got.Result != *r.Result {
		t.Errorf("read back %+v of %s", got, data)
	}
	changed := bytes.Replace(data, []byte("line"), []byte("Line"), 1)
	var bad *fault
	if _, err := decode(changed); !errors.As(err, &bad) || bad.reason != reasonDigest {
		t.Errorf("a changed record: %v", err)
	}
	r.Result = new(strings.Repeat("x", MaxRecord))
	if _, err := r.encode(); err == nil {
		t.Error("a record over the limit was encoded")
	}
}

func TestTheDigestIsThatOfSortedCompactJSON(t *testing.T) {
	got, err := canonicalJSON([]byte(`{ "b": [1.50, true, null, "ü/<\u00e9\u007f\u0001"], "a": {"y": {}, "x": []}, "sha256": "z" }`), "sha256")
	want := `{"a":{"x":[],"y":{}},"b":[1.50,true,null,"ü/<é` + "\x7f" + `\u0001"]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		plain("t_1", 1, "s"), "\xef\xbb\xbf" + plain("t_1", 1, "s"), `{"board":"b","task_id":"t","expected_run_id":1,"sha256":"x"}`,
		`{"version":2}`, "[", "", "null", `{"a":1,"a":2}`, `{"metadata":{"a":[[[{}]]]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		var bad *fault
		if err != nil {
			if !errors.Is(err, errNewer) && !errors.As(err, &bad) {
				t.Fatalf("an error without a reason: %v", err)
			}
			return
		}
		if !utf8.Valid(data) || !json.Valid(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
			t.Fatal("accepted what is no JSON")
		}
		again, err := r.encode()
		if err != nil {
			return // it would be too big
		}
		back, err := decode(again)
		if err != nil || !back.same(r) {
			t.Fatalf("not the same again: %v", err)
		}
		_, _ = r.result()
	})
}

// Line and paragraph separators are escaped by many encoders, which makes two
// bytes of each byte.
func TestTheBiggestResultFitsWhateverCharactersItHas(t *testing.T) {
	for _, char := range []string{"x", "\u2028", "\u00e9", "\U0001f600", "<"} {
		summary := strings.Repeat(char, (MaxResult-100)/len(char))
		whole := `{"status":"completed","summary":"` + summary + `"}`
		r := Record{Board: "default", Task: "t_1", Run: 1, Result: &whole, Summary: &summary}
		data, err := r.encode()
		if err != nil {
			t.Errorf("%q: %v", char, err)
			continue
		}
		back, err := decode(data)
		if err != nil || !back.same(r) {
			t.Errorf("%q comes back as something else: %v", char, err)
		}
	}
}
