package worker

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// reviewSkill is what Hermes adds for a card that is claimed from review.
const reviewSkill = "sdlc-review"

// timeoutGrace in seconds: a worker needs this long before its own time limit to
// see that a command of its terminal was cut off, and to report.
const timeoutGrace = 30

// HermesCommand returns argv and environment of a Hermes worker, as the
// dispatcher of Hermes makes them. argv[0] is HERMES_BIN or "hermes", not looked
// up yet. base is the environment to start from, in the form of os.Environ.
func HermesCommand(s Spec, at Workspace, base []string) (argv, env []string) {
	program := strings.TrimSpace(lookup(base, "HERMES_BIN"))
	if program == "" {
		program = "hermes"
	}
	// Without --cli a worker might come up as a terminal interface, find no
	// terminal and end cleanly without having done anything.
	argv = []string{program, "-p", s.Profile, "--cli", "--accept-hooks"}
	for _, skill := range skills(s) {
		argv = append(argv, "--skills", skill)
	}
	if s.Task.Model != "" {
		argv = append(argv, "-m", s.Task.Model)
		if s.Task.Provider != "" {
			argv = append(argv, "--provider", s.Task.Provider)
		}
	}
	if s.Task.ReasoningEffort != "" {
		argv = append(argv, "--reasoning", s.Task.ReasoningEffort)
	}
	if len(s.Toolsets) > 0 {
		argv = append(argv, "--toolsets", strings.Join(s.Toolsets, ","))
	}
	argv = append(argv, "chat", "-q", "work kanban task "+s.Task.ID)
	if s.Task.GoalMode {
		// Without it the worker makes one turn, ends cleanly and breaks the protocol.
		argv = append(argv, "-Q")
	}
	return argv, environment(s, at, base)
}

// LaneCommand returns argv and environment of a lane: the command line of the
// configuration with the variables that every worker gets.
func LaneCommand(s Spec, at Workspace, base []string) (argv, env []string) {
	return slices.Clone(s.Lane), environment(s, at, base)
}

// skills reads the list on the card. A list that cannot be read means the
// profile's own skills, as in Hermes.
func skills(s Spec) []string {
	var names []string
	if json.Unmarshal([]byte(s.Task.Skills), &names) != nil {
		names = nil
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	if s.Review && !slices.Contains(names, reviewSkill) {
		names = append(names, reviewSkill)
	}
	return names
}

// environment takes out of base what speaks of another run, another profile or
// another conversation, and puts in what this run is.
func environment(s Spec, at Workspace, base []string) []string {
	var env []string
	for _, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		if !foreign(name) && !slices.Contains(s.Secrets, name) {
			env = append(env, entry)
		}
	}
	set := func(name, value string) { env = assign(env, name, value) }
	if s.ProfileHome != "" && len(s.Lane) == 0 {
		set("HERMES_HOME", s.ProfileHome)
	}
	if s.Task.Tenant != "" {
		set("HERMES_TENANT", s.Task.Tenant)
	}
	set("HERMES_KANBAN_TASK", s.Task.ID)
	set("HERMES_KANBAN_WORKSPACE", at.Path)
	set("HERMES_SESSION_SOURCE", "kanban")
	set("TERMINAL_CWD", at.Path)
	if at.Branch != "" {
		set("HERMES_KANBAN_BRANCH", at.Branch)
	}
	set("HERMES_KANBAN_RUN_ID", strconv.FormatInt(s.Run, 10))
	set("HERMES_KANBAN_CLAIM_LOCK", s.Lock)
	if s.Task.GoalMode {
		set("HERMES_KANBAN_GOAL_MODE", "1")
		if s.Task.GoalMaxTurns != nil {
			set("HERMES_KANBAN_GOAL_MAX_TURNS", strconv.FormatInt(*s.Task.GoalMaxTurns, 10))
		}
	}
	for _, name := range []string{"TERMINAL_TIMEOUT", "TERMINAL_MAX_FOREGROUND_TIMEOUT"} {
		if seconds, raise := terminalTimeout(s.Task.MaxRuntime, lookup(env, name)); raise {
			set(name, strconv.FormatInt(seconds, 10))
		}
	}
	set("HERMES_KANBAN_DB", s.Board.DB)
	set("HERMES_KANBAN_WORKSPACES_ROOT", s.Board.Workspaces)
	set("HERMES_KANBAN_BOARD", s.Board.Slug)
	set("HERMES_PROFILE", s.Profile)
	return env
}

// foreign reports whether a variable belongs to whoever started this program: a
// worker of another card, a gateway in a conversation, a terminal interface.
func foreign(name string) bool {
	switch name {
	case "HERMES_TUI_STATE_ROOT", "HERMES_TUI_CONFIG", "HERMES_TUI_THEME":
		return false // ours: a worker that calls this program finds the same home
	case "HERMES_TUI", "HERMES_DELEGATED_CHILD_CONTEXT", "HERMES_TENANT", "HERMES_PROFILE", "TERMINAL_CWD",
		"HERMES_KANBAN_TASK", "HERMES_KANBAN_WORKSPACE", "HERMES_KANBAN_BRANCH", "HERMES_KANBAN_RUN_ID",
		"HERMES_KANBAN_CLAIM_LOCK", "HERMES_KANBAN_GOAL_MODE", "HERMES_KANBAN_GOAL_MAX_TURNS", "HERMES_KANBAN_ORIGIN":
		return true
	}
	for _, prefix := range []string{"HERMES_TUI_", "HERMES_SESSION_", "HERMES_CRON_AUTO_DELIVER_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// terminalTimeout returns the seconds that a command of the worker's terminal
// may take, and whether that is more than the present value says.
func terminalTimeout(limit *int64, present string) (int64, bool) {
	if limit == nil || *limit <= 0 {
		return 0, false
	}
	want := max(1, *limit-timeoutGrace)
	have, err := strconv.ParseInt(strings.TrimSpace(present), 10, 64)
	return want, err != nil || have < want
}

func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

func assign(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, name+"="+value)
}
