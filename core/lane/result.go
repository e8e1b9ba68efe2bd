package lane

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core/home"
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

// Result is an agent's final word about a card.
type Result struct {
	Status   Status
	Summary  string
	Result   json.RawMessage // anything, or nothing
	Metadata json.RawMessage // an object, or nothing
	Reason   string          // why it is blocked or failed
	// Text is the whole object as the agent wrote it; it is what the journal keeps.
	Text string
}

// ErrNoResult: the output holds no result that can be used.
var ErrNoResult = errors.New("the agent reported no result")

// wire is the object that an agent is asked for.
type wire struct {
	Status   Status          `json:"status"`
	Summary  string          `json:"summary"`
	Result   json.RawMessage `json:"result"`
	Metadata json.RawMessage `json:"metadata"`
	Reason   string          `json:"reason"`
}

// ParseResult reads the object of an agent. Its error wraps ErrNoResult.
func ParseResult(data []byte) (Result, error) {
	if len(data) > journal.MaxResult {
		return Result{}, fmt.Errorf("%w: its object has %d bytes, the limit is %d", ErrNoResult, len(data), journal.MaxResult)
	}
	if !utf8.Valid(data) {
		return Result{}, fmt.Errorf("%w: its object is no valid UTF-8", ErrNoResult)
	}
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrNoResult, err)
	}
	r := Result{Status: w.Status, Summary: w.Summary, Result: given(w.Result), Metadata: given(w.Metadata), Reason: w.Reason, Text: string(data)}
	switch {
	case w.Status != Completed && w.Status != Blocked && w.Status != Failed:
		return Result{}, fmt.Errorf("%w: the status %q is none of completed, blocked, failed", ErrNoResult, w.Status)
	case r.Metadata != nil && r.Metadata[0] != '{':
		return Result{}, fmt.Errorf("%w: its metadata is no object", ErrNoResult)
	case w.Status == Completed && strings.TrimSpace(w.Summary) == "" && r.Result == nil:
		return Result{}, fmt.Errorf("%w: it is completed without a summary or a result", ErrNoResult)
	}
	return r, nil
}

// given turns a JSON null into nothing.
func given(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// FindResult reads the result out of what an agent printed, in the format of its
// route. The error wraps ErrNoResult.
func FindResult(output []byte, format home.OutputFormat) (Result, error) {
	switch format {
	case home.OutputClaude:
		text, err := claudeText(output)
		if err != nil {
			return Result{}, err
		}
		return lastObject(text)
	case home.OutputCodex:
		text, err := codexText(output)
		if err != nil {
			return Result{}, err
		}
		return lastObject(text)
	}
	return lastObject(string(output))
}

// claudeText is the answer inside the envelope of claude --output-format json:
// the last line that is an object with a result. An envelope that says is_error
// is a failure in the agent's own words.
func claudeText(output []byte) (string, error) {
	for _, line := range slices.Backward(bytes.Split(output, []byte("\n"))) {
		var envelope struct {
			Type    string  `json:"type"`
			Result  *string `json:"result"`
			IsError bool    `json:"is_error"`
		}
		if json.Unmarshal(line, &envelope) != nil || envelope.Result == nil {
			continue
		}
		if envelope.IsError {
			return "", fmt.Errorf("%w: the agent failed: %s", ErrNoResult, *envelope.Result)
		}
		return *envelope.Result, nil
	}
	return "", fmt.Errorf("%w: its output holds no envelope of claude", ErrNoResult)
}

// codexText is the last message of the agent in the JSON lines of codex exec
// --json. A turn that failed after it is a failure.
func codexText(output []byte) (string, error) {
	text, found := "", false
	var failure error
	for line := range bytes.Lines(output) {
		var event struct {
			Type string `json:"type"`
			Item struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"item"`
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		switch {
		case event.Type == "turn.failed":
			failure = fmt.Errorf("%w: the turn failed: %s", ErrNoResult, event.Error.Message)
		case event.Type == "item.completed" && (event.Item.Type == "agent_message" || event.Item.Type == "assistant_message"):
			text, found, failure = event.Item.Text, true, nil
		}
	}
	if failure != nil {
		return "", failure
	}
	if !found {
		return "", fmt.Errorf("%w: its output holds no message of codex", ErrNoResult)
	}
	return text, nil
}

// lastObject is the last JSON object in a text that has a known status, in a
// code fence or not.
func lastObject(text string) (Result, error) {
	last := fmt.Errorf("%w: its output holds no JSON object with a status", ErrNoResult)
	for _, candidate := range objects(text) {
		var probe struct {
			Status Status `json:"status"`
		}
		if json.Unmarshal([]byte(candidate), &probe) != nil {
			continue
		}
		switch probe.Status {
		case Completed, Blocked, Failed:
			return ParseResult([]byte(candidate))
		}
	}
	return Result{}, last
}

// Bounds of the search, so that an output made of braces cannot keep the runner
// busy: how far back it looks in bytes (an object has at most half of that), how
// many openings it tries, and how many of these may lead to the very end.
const (
	searched      = 2 * journal.MaxResult
	maxCandidates = 20_000
	maxUnended    = 20
)

// objects lists the JSON objects in the end of a text that are not part of
// another one, the last one first.
func objects(text string) []string {
	text = text[max(0, len(text)-searched):]
	var out []string
	unended := 0
	for at, tried := 0, 0; tried < maxCandidates && unended < maxUnended; tried++ {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil {
			out = append(out, string(raw))
			at += int(dec.InputOffset())
			continue
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			unended++
		}
		at++
	}
	slices.Reverse(out)
	return out
}
