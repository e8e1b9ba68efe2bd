package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// fault says why a record cannot be trusted: a word for the card and the list,
// and the detail for a person.
type fault struct {
	reason string
	detail string
}

func (f *fault) Error() string { return f.reason + ": " + f.detail }

func malformed(format string, args ...any) error {
	return &fault{reasonMalformed, fmt.Sprintf(format, args...)}
}

// errNewer: the record was written by a program that knows a newer format.
var errNewer = errors.New("written by a newer hermes-tui; update this one")

// decode reads a record strictly. A record that does not hold together is a
// fault; one of a newer version is errNewer and is judged no further.
func decode(data []byte) (Record, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	m, err := object(data)
	if err != nil {
		return Record{}, err
	}
	r := Record{Version: recordVersion}
	if err := m.integer("version", &r.Version); err != nil {
		return Record{}, err
	}
	switch {
	case r.Version < 1:
		return Record{}, malformed("version %d", r.Version)
	case r.Version > recordVersion:
		return r, errNewer
	}
	if err := m.digest(data); err != nil {
		return Record{}, err
	}
	return r, m.fill(&r)
}

// fill takes the members that this version knows.
func (m members) fill(r *Record) error {
	var board, task *string
	run, started, written := int64(math.MinInt64), int64(math.MinInt64), int64(0)
	for _, err := range []error{
		m.text("board", &board), m.text("task_id", &task), m.integer("expected_run_id", &run),
		m.text("result", &r.Result), m.text("summary", &r.Summary), m.object("metadata", &r.Metadata),
		m.integer("run_started_at", &started), m.text("claim_lock", &r.ClaimLock), m.integer("written_at", &written),
	} {
		if err != nil {
			return err
		}
	}
	if board == nil || task == nil || run == math.MinInt64 {
		return malformed("board, task_id and expected_run_id must be given")
	}
	if started != math.MinInt64 {
		r.RunStarted = &started
	}
	r.Board, r.Task, r.Run, r.WrittenAt = *board, *task, run, written
	return nil
}

// members are the keys of a record, spelled exactly, with their values.
type members map[string]json.RawMessage

// object reads one JSON object and nothing behind it.
func object(data []byte) (members, error) {
	if !utf8.Valid(data) {
		return nil, malformed("it is not UTF-8")
	}
	if err := wellFormed(data); err != nil {
		return nil, err
	}
	var m members
	if err := json.Unmarshal(data, &m); err != nil || m == nil {
		return nil, malformed("it is not one JSON object")
	}
	return m, nil
}

// maxDepth bounds how deep values may be nested.
const maxDepth = 1000

// wellFormed walks over the text once: one value, at any depth no key twice,
// nothing behind it but blanks.
func wellFormed(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	type level struct {
		keys map[string]bool // nil in a list
		key  bool            // the next token is a key
	}
	var open []level
	for {
		token, err := d.Token()
		if err == io.EOF {
			return malformed("it ends too early, after %d bytes", len(data))
		}
		if err != nil {
			return malformed("%v", err)
		}
		inside := len(open) - 1
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			open = open[:inside]
		} else {
			if inside >= 0 && open[inside].keys != nil {
				in := &open[inside]
				if key, isText := token.(string); in.key && isText {
					if in.keys[key] {
						return malformed("the key %q is there twice", key)
					}
					in.keys[key] = true
					in.key = false
					continue
				}
				in.key = true
			}
			if ok && delim == '{' {
				open = append(open, level{keys: map[string]bool{}, key: true})
			} else if ok {
				open = append(open, level{})
			}
			if len(open) > maxDepth {
				return malformed("it is nested deeper than %d", maxDepth)
			}
		}
		if len(open) == 0 {
			break
		}
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return malformed("%d bytes follow the record", len(rest))
	}
	return nil
}

func (m members) text(key string, into **string) error {
	raw, there := m[key]
	if !there {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return malformed("%s is no text", key)
	}
	return nil
}

// integer reads a whole number; a time may have a fraction, which is dropped.
func (m members) integer(key string, into *int64) error {
	raw, there := m[key]
	if !there || string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err == nil {
		*into = n
		return nil
	}
	f, ferr := strconv.ParseFloat(string(raw), 64)
	if key != "written_at" || ferr != nil || math.Abs(f) > 1<<53 {
		return malformed("%s is no whole number", key)
	}
	*into = int64(math.Floor(f))
	return nil
}

func (m members) object(key string, into *json.RawMessage) error {
	raw, there := m[key]
	if !there || string(raw) == "null" {
		return nil
	}
	if raw[0] != '{' {
		return malformed("%s is no object", key)
	}
	*into = raw
	return nil
}

// digest compares the record with the digest that it carries, if it does.
func (m members) digest(data []byte) error {
	var want *string
	if err := m.text("sha256", &want); err != nil || want == nil {
		return err
	}
	canonical, err := canonicalJSON(data, "sha256")
	if err != nil {
		return malformed("%v", err)
	}
	if got := digest(canonical); got != *want {
		return &fault{reasonDigest, "its content is not what its sha256 was taken of"}
	}
	return nil
}

// agree compares a record with the path it lies at, which alone says whose it is.
func (r Record) agree(slug string, name Name) error {
	switch {
	case r.Board != slug:
		return &fault{reasonForeign, fmt.Sprintf("it names the board %q", r.Board)}
	case r.Task != name.Task:
		return &fault{reasonForeign, fmt.Sprintf("it names the card %q", r.Task)}
	case r.Run != name.Run:
		return &fault{reasonForeign, fmt.Sprintf("it names run %d", r.Run)}
	}
	return nil
}

// result is the record as the board takes it.
func (r Record) result() (board.RunResult, error) {
	out := board.RunResult{
		Task: r.Task, Run: r.Run, RunStarted: r.RunStarted, ClaimLock: r.ClaimLock,
		Result: r.Result, Summary: r.Summary, Metadata: r.Metadata, WrittenAt: r.WrittenAt,
	}
	status, reason := r.reported()
	switch status {
	case "failed":
		return out, &fault{reasonNoResult, "a failed attempt is no result"}
	case "blocked":
		out.Blocked, out.Reason = true, reason
		if reason == nil {
			out.Reason = r.Summary
		}
	}
	return out, nil
}

// reported reads the status and the reason out of what an agent reported. A
// result that is no such object is a completion.
func (r Record) reported() (status string, reason *string) {
	if r.Result == nil {
		return "", nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(*r.Result), &m) != nil || json.Unmarshal(m["status"], &status) != nil {
		return "", nil
	}
	if json.Unmarshal(m["reason"], &reason) != nil {
		return status, nil
	}
	return status, reason
}
