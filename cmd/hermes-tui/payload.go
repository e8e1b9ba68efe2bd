package main

import (
	"encoding/json"
	"strings"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// widestPayload bounds, in cells, what of an event is shown on its line.
const widestPayload = 160

// told is the payload of an event for a person: its keys that say something, in
// their order. What is no JSON object is shown as it is.
func told(payload string) string {
	in := json.NewDecoder(strings.NewReader(payload))
	var parts []string
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return text.Truncate(text.Clean(payload), widestPayload)
	}
	for in.More() {
		key, err := in.Token()
		var value json.RawMessage
		if err == nil {
			err = in.Decode(&value)
		}
		if err != nil {
			return text.Truncate(text.Clean(payload), widestPayload)
		}
		if said := saying(value); said != "" {
			parts = append(parts, key.(string)+"="+said)
		}
	}
	return text.Truncate(text.Clean(strings.Join(parts, " ")), widestPayload)
}

// saying is a JSON value in words, empty where it says nothing.
func saying(value json.RawMessage) string {
	switch s := string(value); s {
	case "null", "[]", "{}", `""`:
		return ""
	}
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
