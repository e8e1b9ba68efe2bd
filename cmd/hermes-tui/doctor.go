package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// findings are what the doctor found. Nothing of it is a secret: of a lane only
// the names of its programs are told, of the environment only what Hermes and
// the terminal read.
type findings struct {
	Build    build             `json:"build"`
	Home     map[string]string `json:"home"`
	Board    boardFindings     `json:"board"`
	Locks    []lockFinding     `json:"locks"`
	Stopped  string            `json:"emergency_stop,omitempty"`
	Paused   string            `json:"paused,omitempty"`
	Rules    map[string]any    `json:"rules"`
	Profiles []string          `json:"profiles"`
	Lanes    map[string]string `json:"lanes"` // programs of the routes by assignee
	Terminal map[string]string `json:"terminal"`
	Notices  []string          `json:"notices"`
	Problems []failure         `json:"problems"`

	exit int
}

type boardFindings struct {
	Slug        string         `json:"slug"`
	DB          string         `json:"db"`
	JournalMode string         `json:"journal_mode,omitempty"`
	Live        bool           `json:"live"`
	Sound       bool           `json:"sound"` // SQLite's quick_check found nothing
	Lacking     []string       `json:"lacking"`
	Unknown     []string       `json:"unknown"`
	Network     string         `json:"network_file_system,omitempty"`
	Cards       map[string]int `json:"cards"`
}

type lockFinding struct {
	Name   string       `json:"name"`
	Path   string       `json:"path"`
	Held   *bool        `json:"held"` // null where it cannot be known
	Holder *home.Holder `json:"holder,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what was found: home, board, locks, configuration, terminal",
		Long:  "Looks at everything this program depends on and changes nothing. What is wrong is listed at the end and gives\nthe exit code.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				return a.check(cmd.Context())
			}
			h, err := home.Find(a.env)
			if err != nil {
				return err
			}
			f := a.examine(cmd.Context(), h)
			if a.flags.json {
				a.printJSON(f)
			} else {
				a.write([]byte(f.describe()))
			}
			if f.exit != exitDone {
				return coded{errQuiet, f.exit}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "look whether the rows of the board keep what must always be true")
	return cmd
}

func (f *findings) problem(err error) {
	f.Problems = append(f.Problems, *failureOf(err))
	f.exit = worse(f.exit, exitCode(err))
}

func (a *app) examine(ctx context.Context, h *home.Home) *findings {
	f := &findings{
		Build: thisBuild(), Locks: []lockFinding{}, Profiles: h.Profiles(), Lanes: map[string]string{},
		Notices: []string{}, Problems: []failure{},
		Home: map[string]string{
			"root": h.Root, "profile": h.Profile, "hermes": h.HermesRoot, "hermes_config": h.ConfigFile(),
			"config": h.SettingsFile, "state": h.StateDir,
		},
		Terminal: map[string]string{},
	}
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "HERMES_TUI_THEME", "LANG", "LC_ALL", "TMUX"} {
		if v := a.env.Get(name); v != "" {
			f.Terminal[name] = v
		}
	}
	if width := a.columns(); width > 0 {
		f.Terminal["width"] = fmt.Sprint(width)
	}
	if h.DelegatedChild() {
		f.Notices = append(f.Notices, delegated)
	}
	if engaged, why := h.Stopped(now()); engaged {
		f.Stopped = why
	}
	f.configuration(h)
	if err := a.locate(); err != nil {
		f.problem(err)
		return f
	}
	f.locks(a.home, a.place)
	if paused, why := a.place.Paused(); paused {
		f.Paused = why
	}
	a.examineBoard(ctx, f)
	return f
}

func (f *findings) configuration(h *home.Home) {
	kanban, notices, err := h.Config()
	_, more := h.Timing()
	f.Notices = append(append(f.Notices, notices...), more...)
	if err != nil {
		f.problem(err)
	} else {
		f.Rules = rulesOf(kanban)
	}
	settings, err := h.Settings()
	if err != nil {
		f.problem(err)
	}
	set, faults := themesOf(h)
	f.Notices = append(append(f.Notices, faults...), hardToRead(set)...)
	for name, lane := range settings.Lanes {
		var programs []string
		for _, route := range lane.Routes {
			programs = append(programs, route.Command[0])
		}
		f.Lanes[name] = strings.Join(programs, ", ")
	}
}

// rulesOf names the rules of dispatching as Hermes' configuration does.
func rulesOf(k home.Kanban) map[string]any {
	return map[string]any{
		"review_dispatch": k.ReviewDispatch, "dispatch_interval_seconds": k.DispatchInterval, "failure_limit": k.FailureLimit,
		"default_assignee": k.DefaultAssignee, "max_spawn": k.MaxSpawn, "max_in_progress": k.MaxInProgress,
		"max_in_progress_per_profile": k.MaxInProgressPerProfile, "dispatch_stale_timeout_seconds": k.StaleTimeout,
		"reconcile_orphans": k.ReconcileOrphans, "dispatch_profiles": k.DispatchProfiles,
	}
}

func (f *findings) locks(h *home.Home, place home.Board) {
	for _, l := range []struct {
		name, path string
		ours       bool
	}{
		{"gateway", h.GatewayLock(), false}, {"tick", place.DispatchLock(), false},
		{"dispatcher", place.LoopLock(), true}, {"creation", place.InitLock(), false},
	} {
		found := lockFinding{Name: l.name, Path: l.path}
		held, err := home.Held(l.path)
		if err != nil {
			f.Notices = append(f.Notices, err.Error())
		} else {
			found.Held = &held
		}
		if held && l.ours {
			if holder, err := home.ReadHolder(l.path); err == nil {
				found.Holder = &holder
			}
		}
		f.Locks = append(f.Locks, found)
	}
}

func (a *app) examineBoard(ctx context.Context, f *findings) {
	f.Board = boardFindings{Slug: a.place.Slug, DB: a.place.DB, Lacking: []string{}, Unknown: []string{}, Cards: map[string]int{}}
	if remote, kind, err := home.IsNetworkFS(a.place.DB); err == nil && remote {
		f.Board.Network = kind
	}
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		f.problem(err)
		return
	}
	facts := b.Facts()
	f.Board.JournalMode, f.Board.Live = facts.JournalMode, facts.Live
	f.Board.Lacking, f.Board.Unknown = append(f.Board.Lacking, facts.Lacking...), append(f.Board.Unknown, facts.Unknown...)
	if len(facts.Lacking) > 0 {
		f.problem(fmt.Errorf("board %q: %w", b.Path(), board.ErrTooOld))
	}
	if err := b.QuickCheck(ctx); err != nil {
		f.problem(err)
		return
	}
	f.Board.Sound = true
	s, err := b.Snapshot(ctx)
	if err != nil {
		f.problem(err)
		return
	}
	for _, column := range s.Columns {
		if n := len(column.Cards); n > 0 {
			f.Board.Cards[string(column.Status)] = n
		}
	}
}

// describe is the report for a person.
func (f *findings) describe() string {
	rows := [][]string{{"program", fmt.Sprintf("hermes-tui %s, %s, %s/%s", f.Build.Version, f.Build.Go, f.Build.OS, f.Build.Arch)}}
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Home)) {
		add("home "+name, "%s", f.Home[name])
	}
	add("board", "%s, %s", orDash(f.Board.Slug), orDash(f.Board.DB))
	if f.Board.JournalMode != "" {
		add("board mode", "%s%s", f.Board.JournalMode, map[bool]string{false: ", not live: changes by others are seen late"}[f.Board.Live])
		add("board cards", "%s", counts(f.Board.Cards))
		add("board schema", "%s", schemaAge(f.Board))
	}
	if f.Board.Network != "" {
		add("board on", "%s, where locks cannot be trusted between machines", f.Board.Network)
	}
	for _, l := range f.Locks {
		add("lock "+l.Name, "%s", l.describe())
	}
	if f.Stopped != "" {
		add("stopped", "%s", f.Stopped)
	}
	if f.Paused != "" {
		add("dispatching", "%s", f.Paused)
	}
	add("profiles", "%s", strings.Join(f.Profiles, ", "))
	for _, name := range slices.Sorted(maps.Keys(f.Lanes)) {
		add("lane "+name, "%s", f.Lanes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.Terminal)) {
		add("terminal "+name, "%s", f.Terminal[name])
	}
	for _, n := range f.Notices {
		add("notice", "%s", n)
	}
	for _, p := range f.Problems {
		add("PROBLEM", "%s", p.Message)
	}
	return tabulate(rows, 0)
}

func (l lockFinding) describe() string {
	switch {
	case l.Held == nil:
		return "nobody can tell who holds it"
	case !*l.Held:
		return "free"
	case l.Holder != nil:
		return fmt.Sprintf("held by pid %d since %s", l.Holder.PID, moment(l.Holder.Started))
	}
	return "held"
}

func schemaAge(b boardFindings) string {
	switch {
	case len(b.Lacking) > 0:
		return "older than dispatching needs; it lacks " + strings.Join(b.Lacking, ", ")
	case len(b.Unknown) > 0:
		return "newer than this program; it also has " + strings.Join(b.Unknown, ", ")
	}
	return "known"
}

// counts lists how many cards stand in which column, in the order of columns.
func counts(cards map[string]int) string {
	var parts []string
	for _, s := range append(slices.Clone(core.Statuses), core.Other) {
		if n := cards[string(s)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return orDash(strings.Join(parts, ", "))
}
