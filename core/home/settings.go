package home

import (
	"fmt"
	"regexp"

	"github.com/hermes-tui/hermes-tui/core"
)

// Settings is what only this program has to know; it is never written by it.
type Settings struct {
	Dispatch DispatchMode
	Theme    string // empty: the default theme
	Density  Density
	// Columns are the columns to show, in order; nil means the usual ones.
	Columns []core.Status
	// Keys gives an action other keys than its own, by the name of the action.
	// Whether there is such an action is for the table of actions to say.
	Keys   map[string][]string
	Mouse  bool
	Motion bool // cards to which something happened pulse
	Notify bool
	// NotifyCommand is run by a dispatcher without a screen when a card needs
	// somebody: a program and its arguments, never a shell. Nil: none.
	NotifyCommand []string
	// AllowNetworkFS lets this program dispatch on a board whose file lies on a
	// network file system.
	AllowNetworkFS bool
	Lanes          map[string]Lane // by assignee name
}

// DispatchMode says what a screen does about dispatching when it opens a board.
type DispatchMode string

// The dispatch modes.
const (
	DispatchAsk    DispatchMode = "ask"    // watch, and offer to dispatch
	DispatchWatch  DispatchMode = "watch"  // only watch
	DispatchLanes  DispatchMode = "lanes"  // start cards of lanes only
	DispatchAlways DispatchMode = "always" // start every card that may start
)

// Density is how much of a card the board shows.
type Density string

// The three densities.
const (
	Compact Density = "compact"
	Normal  Density = "normal"
	Roomy   Density = "roomy"
)

// Lane is an assignee that is no Hermes profile and whose cards are worked on
// by a command-line agent.
type Lane struct {
	Routes     []Route // tried in order, at least one
	MaxRuntime int64   // seconds; 0: no limit
}

// Route is one way to start the agent of a lane.
type Route struct {
	Name    string // unique in its lane
	Command []string
	Prompt  PromptMode
	Output  OutputFormat
	Quota   *regexp.Regexp // over the end of the output; nil: none
	Env     map[string]string
}

// PromptMode is how the agent gets its prompt.
type PromptMode string

// The ways to give a prompt.
const (
	PromptArg   PromptMode = "arg"   // in place of {prompt} in the command
	PromptStdin PromptMode = "stdin" // on standard input
	PromptFile  PromptMode = "file"  // in a file named in place of {prompt_file}
)

// OutputFormat is what the agent prints.
type OutputFormat string

// The formats of an agent's output.
const (
	OutputObject OutputFormat = "object" // our result object
	OutputClaude OutputFormat = "claude" // an envelope with our object in its text
	OutputCodex  OutputFormat = "codex"  // JSON lines with our object in the last message
)

// defaultSettings are in force where the file says nothing.
func defaultSettings() Settings {
	return Settings{Dispatch: DispatchAsk, Density: Normal, Motion: true}
}

// Settings reads our own configuration anew. No file means defaults. An unknown
// key, a wrong type or a value that makes no sense is an error that names file,
// line and key; the caller keeps what it had.
func (h *Home) Settings() (Settings, error) {
	data, err := readSettings(h.SettingsFile)
	if err != nil {
		return Settings{}, fmt.Errorf("read the settings: %w", err)
	}
	return ParseSettings(h.SettingsFile, data)
}
