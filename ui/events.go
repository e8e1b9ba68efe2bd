package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// failing are the events that end a run which reported no success.
var failing = []string{"crashed", "timed_out", "gave_up", "spawn_failed", "stale", "rate_limited", "reclaimed", "protocol_violation"}

// eventStyle is the colour of a kind of event.
func (m *Model) eventStyle(kind string) themes.Style {
	ink := &m.styles.Board
	switch kind {
	case "completed":
		return ink.Running
	case "blocked", "gave_up":
		return ink.Blocked
	case "crashed", "timed_out", "spawn_failed", "stale", "protocol_violation":
		return ink.Attention
	case "reconciled":
		return ink.Reconciled
	case quarantinedEvent:
		return ink.Quarantined
	}
	return ink.Text
}

// quarantinedEvent is written to a card whose journal was put aside.
const quarantinedEvent = "journal_quarantined"

// when is a moment as short as it can be said: the time today, else the date.
func (m *Model) when(at int64) string { return moment(at, m.now()) }

func moment(at int64, now time.Time) string {
	then := time.Unix(at, 0).In(now.Location())
	switch {
	case at <= 0:
		return "unknown"
	case then.Format(time.DateOnly) == now.Format(time.DateOnly):
		return then.Format("15:04:05")
	case then.Year() == now.Year():
		return then.Format("02 Jan 15:04")
	}
	return then.Format(time.DateOnly)
}

// told is the payload of an event in words: "reason which vault?, actor ann".
// What is no object is shown as it is.
func told(payload string) string {
	var object map[string]any
	if json.Unmarshal([]byte(payload), &object) != nil {
		return text.Clean(payload)
	}
	var parts []string
	for name, value := range object {
		switch v := value.(type) {
		case nil:
		case string:
			parts = append(parts, name+" "+v)
		case float64:
			parts = append(parts, fmt.Sprintf("%s %.0f", name, v))
		case bool:
			if v {
				parts = append(parts, name)
			}
		default:
			data, _ := json.Marshal(v)
			parts = append(parts, name+" "+string(data))
		}
	}
	slices.Sort(parts)
	return text.Clean(strings.Join(parts, ", "))
}
