package lane

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// FindResult reads the result out of what an agent printed, in the format of its
// route. The error wraps ErrNoResult.
func FindResult(output []byte, format home.OutputFormat) (Result, error) {
	var text string
	var err error
	switch format {
	case home.OutputClaude:
		text, err = claudeText(output)
	case home.OutputCodex:
		text, err = codexText(output)
	default:
		text = string(output)
	}
	if err != nil {
		return Result{}, err
	}
	return lastObject(text)
}

// envelope is the last thing that claude prints with --output-format json or
// stream-json. One that says is_error, or whose subtype is another than success,
// is a failure and may come without a text.
type envelope struct {
	Type    string   `json:"type"`
	Subtype string   `json:"subtype"`
	Result  *string  `json:"result"`
	IsError bool     `json:"is_error"`
	Errors  []string `json:"errors"`
}

func (e envelope) text() (string, error) {
	switch {
	case e.IsError || e.Subtype != "" && e.Subtype != "success":
		said := e.Errors
		if e.Result != nil && *e.Result != "" {
			said = []string{*e.Result}
		}
		return "", noResult("the agent failed: %s", strings.Join(append([]string{e.Subtype}, said...), " "))
	case e.Result == nil:
		return "", noResult("the envelope of claude holds no text")
	}
	return *e.Result, nil
}

// claudeText is the answer in claude's envelope. The envelope is the only thing
// on the output, in one line or in many; or the last of many lines; or, when
// claude is set to be verbose, the last element of one long array, of which a
// part may be cut off in front.
func claudeText(output []byte) (string, error) {
	for _, line := range slices.Backward(bytes.Split(output, []byte("\n"))) {
		line = bytes.TrimSpace(line)
		var all []json.RawMessage
		if json.Unmarshal(line, &all) != nil {
			all = []json.RawMessage{line}
		}
		for _, one := range slices.Backward(all) {
			if e, found := parseEnvelope(one); found {
				return e.text()
			}
		}
	}
	for _, one := range objects(string(output)) {
		if e, found := parseEnvelope([]byte(one)); found {
			return e.text()
		}
	}
	return "", noResult("its output holds no envelope of claude")
}

func parseEnvelope(data []byte) (envelope, bool) {
	var e envelope
	if len(data) == 0 || data[0] != '{' {
		return e, false
	}
	return e, json.Unmarshal(data, &e) == nil && e.Type == "result"
}

// codexText is the last message of the agent in the JSON lines of codex exec
// --json. A turn that failed is a failure, unless the agent spoke again after
// it. Events of the kind error come before retries too and only explain.
func codexText(output []byte) (string, error) {
	text, found, failed, trouble := "", false, false, ""
	for line := range bytes.Lines(output) {
		var event struct {
			Type    string          `json:"type"`
			Item    json.RawMessage `json:"item"`
			Error   json.RawMessage `json:"error"`
			Message json.RawMessage `json:"message"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		switch event.Type {
		case "turn.failed":
			failed, trouble = true, string(event.Error)
		case "error":
			trouble = string(event.Message)
		case "item.completed":
			if said, spoke := agentMessage(event.Item); spoke {
				text, found, failed = said, true, false
			}
		}
	}
	switch {
	case failed:
		return "", noResult("the turn failed: %s", trouble)
	case !found:
		return "", noResult("its output holds no message of codex: %s", trouble)
	}
	return text, nil
}

// agentMessage is the text of an item in which the agent speaks. Older programs
// name the kind of an item item_type, and the message of the agent otherwise.
func agentMessage(data []byte) (string, bool) {
	var item struct {
		Type    string `json:"type"`
		OldType string `json:"item_type"`
		Text    string `json:"text"`
	}
	if json.Unmarshal(data, &item) != nil {
		return "", false
	}
	return item.Text, item.Type == "agent_message" || item.OldType == "assistant_message"
}

// lastObject is the last JSON object in a text that has a known status, in a
// code fence or not.
func lastObject(text string) (Result, error) {
	for _, candidate := range objects(text) {
		var m map[string]json.RawMessage
		var status Status
		if json.Unmarshal([]byte(candidate), &m) == nil && json.Unmarshal(m["status"], &status) == nil && status.known() {
			return ParseResult([]byte(candidate))
		}
	}
	return Result{}, noResult("its output holds no JSON object with a status")
}

// Bounds of the search in bytes: how far back it looks, and how much it reads in
// all, so that an output made of braces cannot keep the runner busy. A result
// has at most half of what is searched.
const (
	searched = 2 * journal.MaxResult
	effort   = 64 << 20
)

// objects lists the JSON objects in the end of a text that are not part of
// another one, the last one first.
func objects(text string) []string {
	text = text[max(0, len(text)-searched):]
	var out []string
	left := effort
	for at := 0; left > 0; {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		reader := &counted{r: strings.NewReader(text[at:])}
		dec := json.NewDecoder(reader)
		var raw json.RawMessage
		if dec.Decode(&raw) == nil {
			out = append(out, string(raw))
			at += int(dec.InputOffset())
		} else {
			at++
		}
		left -= reader.n
	}
	slices.Reverse(out)
	return out
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
