package lane

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core/journal"
)

// Status is what an agent says of its work.
type Status string

// The statuses of a result.
const (
	Completed Status = "completed"
	Blocked   Status = "blocked"
	Failed    Status = "failed"
)

func (s Status) known() bool { return s == Completed || s == Blocked || s == Failed }

// Result is an agent's final word about a card.
type Result struct {
	Status   Status
	Summary  string
	Result   json.RawMessage // anything, or nothing
	Metadata json.RawMessage // an object without a key twice, or nothing
	Reason   string          // why it is blocked or failed
	// Text is the whole object as the agent wrote it; it is what the journal keeps.
	Text string
}

// ErrNoResult: the output holds no result that can be used.
var ErrNoResult = errors.New("the agent reported no result")

func noResult(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNoResult, fmt.Sprintf(format, args...))
}

// maxNesting bounds how deep the metadata may be nested: a record that holds
// them must stay readable for those who are strict about it.
const maxNesting = 100

// ParseResult reads the object of an agent. Its keys count as they are spelled,
// because whoever replays the journal reads them so. The error wraps
// ErrNoResult.
func ParseResult(data []byte) (Result, error) {
	switch {
	case len(data) > journal.MaxResult:
		return Result{}, noResult("its object has %d bytes, the limit is %d", len(data), journal.MaxResult)
	case !utf8.Valid(data):
		return Result{}, noResult("its object is no valid UTF-8")
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil || m == nil {
		return Result{}, noResult("it is no JSON object")
	}
	r := Result{Result: given(m["result"]), Text: string(data)}
	for key, into := range map[string]any{"status": &r.Status, "summary": &r.Summary, "reason": &r.Reason} {
		if raw := given(m[key]); raw != nil && json.Unmarshal(raw, into) != nil {
			return Result{}, noResult("its %s is no text", key)
		}
	}
	switch {
	case !r.Status.known():
		return Result{}, noResult("the status %q is none of completed, blocked, failed", r.Status)
	case r.Status == Completed && strings.TrimSpace(r.Summary) == "" && r.Result == nil:
		return Result{}, noResult("it is completed without a summary or a result")
	}
	var err error
	r.Metadata, err = plainObject(given(m["metadata"]))
	return r, err
}

// given turns a JSON null into nothing.
func given(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// plainObject writes an object anew, so that no key is in it twice: a record
// with such a key would go to quarantine. Numbers stay as they are spelled.
func plainObject(raw json.RawMessage) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var m map[string]any
	if raw[0] != '{' || d.Decode(&m) != nil {
		return nil, noResult("its metadata is no object")
	}
	if deeper(m, maxNesting) {
		return nil, noResult("its metadata is nested deeper than %d", maxNesting)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, noResult("its metadata cannot be kept: %v", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// deeper reports whether a value is nested deeper than that many levels.
func deeper(v any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, part := range v {
			if deeper(part, levels-1) {
				return true
			}
		}
	case []any:
		for _, part := range v {
			if deeper(part, levels-1) {
				return true
			}
		}
	}
	return false
}
