package worker

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
)

func hermesSpec() Spec {
	return Spec{
		Task: core.Task{ID: "t_1"}, Run: 7, Lock: "here:1", Profile: "dev", ProfileHome: "/h/profiles/dev",
		Board: Board{Slug: "default", DB: "/h/kanban.db", Workspaces: "/h/kanban/workspaces"},
	}
}

func TestHermesCommandLine(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Spec)
		base   []string
		want   string
	}{
		"plain":         {func(*Spec) {}, nil, "hermes -p dev --cli --accept-hooks chat -q {}"},
		"HERMES_BIN":    {func(*Spec) {}, []string{"HERMES_BIN= /opt/h "}, "/opt/h -p dev --cli --accept-hooks chat -q {}"},
		"skills":        {func(s *Spec) { s.Task.Skills = `["a","","b c"]` }, nil, "hermes -p dev --cli --accept-hooks --skills a --skills b c chat -q {}"},
		"broken skills": {func(s *Spec) { s.Task.Skills = `["a",` }, nil, "hermes -p dev --cli --accept-hooks chat -q {}"},
		"odd skills":    {func(s *Spec) { s.Task.Skills = `["a",1]` }, nil, "hermes -p dev --cli --accept-hooks chat -q {}"},
		"review":        {func(s *Spec) { s.Review = true; s.Task.Skills = `["a"]` }, nil, "hermes -p dev --cli --accept-hooks --skills a --skills sdlc-review chat -q {}"},
		"review once":   {func(s *Spec) { s.Review = true; s.Task.Skills = `["sdlc-review"]` }, nil, "hermes -p dev --cli --accept-hooks --skills sdlc-review chat -q {}"},
		"model":         {func(s *Spec) { s.Task.Model = "m" }, nil, "hermes -p dev --cli --accept-hooks -m m chat -q {}"},
		"provider":      {func(s *Spec) { s.Task.Model, s.Task.Provider = "m", "p" }, nil, "hermes -p dev --cli --accept-hooks -m m --provider p chat -q {}"},
		"lone provider": {func(s *Spec) { s.Task.Provider = "p" }, nil, "hermes -p dev --cli --accept-hooks chat -q {}"},
		"reasoning":     {func(s *Spec) { s.Task.ReasoningEffort = "high" }, nil, "hermes -p dev --cli --accept-hooks --reasoning high chat -q {}"},
		"toolsets":      {func(s *Spec) { s.Toolsets = []string{"web", "file"} }, nil, "hermes -p dev --cli --accept-hooks --toolsets web,file chat -q {}"},
		"goal mode":     {func(s *Spec) { s.Task.GoalMode = true }, nil, "hermes -p dev --cli --accept-hooks chat -q {} -Q"},
	} {
		s := hermesSpec()
		c.change(&s)
		argv, _ := HermesCommand(s, Workspace{Path: "/w"}, c.base)
		got := strings.ReplaceAll(strings.Join(argv, " "), "work kanban task t_1", "{}")
		if got != c.want || !slices.Contains(argv, "work kanban task t_1") {
			t.Errorf("%s: got %q", name, argv)
		}
	}
}

func TestEnvironmentOfAWorker(t *testing.T) {
	s := hermesSpec()
	s.Secrets = []string{"OTHER_PROFILE_KEY"}
	s.Task.Tenant, s.Task.GoalMode = "acme", true
	turns, limit := int64(9), int64(900)
	s.Task.GoalMaxTurns, s.Task.MaxRuntime = &turns, &limit
	base := []string{
		"PATH=/bin", "HERMES_KANBAN_HOME=/h", "HERMES_TUI_STATE_ROOT=/s", "HERMES_KANBAN_CLAIM_TTL_SECONDS=60", "OPENAI_API_KEY=mine",
		"HERMES_TUI=1", "HERMES_TUI_RESUME=1", "HERMES_DELEGATED_CHILD_CONTEXT=1", "HERMES_SESSION_CHAT_ID=9",
		"HERMES_SESSION_SOURCE=telegram", "HERMES_CRON_AUTO_DELIVER_CHAT_ID=9", "OTHER_PROFILE_KEY=secret", "HERMES_KANBAN_TASK=t_0",
		"HERMES_KANBAN_BRANCH=old", "HERMES_HOME=/h/profiles/other", "HERMES_KANBAN_DB=/other.db", "TERMINAL_TIMEOUT=60",
		"TERMINAL_MAX_FOREGROUND_TIMEOUT=3600",
	}
	before := slices.Clone(base)
	_, got := HermesCommand(s, Workspace{Path: "/w", Branch: "wt/t_1"}, base)
	want := []string{
		"HERMES_HOME=/h/profiles/dev", "HERMES_KANBAN_BOARD=default", "HERMES_KANBAN_BRANCH=wt/t_1", "HERMES_KANBAN_CLAIM_LOCK=here:1",
		"HERMES_KANBAN_CLAIM_TTL_SECONDS=60", "HERMES_KANBAN_DB=/h/kanban.db", "HERMES_KANBAN_GOAL_MAX_TURNS=9", "HERMES_KANBAN_GOAL_MODE=1",
		"HERMES_KANBAN_HOME=/h", "HERMES_KANBAN_RUN_ID=7", "HERMES_KANBAN_TASK=t_1", "HERMES_KANBAN_WORKSPACE=/w",
		"HERMES_KANBAN_WORKSPACES_ROOT=/h/kanban/workspaces", "HERMES_PROFILE=dev", "HERMES_SESSION_SOURCE=kanban", "HERMES_TENANT=acme",
		"HERMES_TUI_STATE_ROOT=/s", "OPENAI_API_KEY=mine", "PATH=/bin", "TERMINAL_CWD=/w", "TERMINAL_MAX_FOREGROUND_TIMEOUT=3600",
		"TERMINAL_TIMEOUT=870",
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(base, before) {
		t.Error("the environment of this program was changed")
	}
}

func TestNothingOfAnotherCardStaysInTheEnvironment(t *testing.T) {
	base := []string{"HERMES_TENANT=acme", "HERMES_KANBAN_GOAL_MODE=1", "HERMES_KANBAN_GOAL_MAX_TURNS=3", "HERMES_KANBAN_BRANCH=x", "HERMES_KANBAN_ORIGIN=y"}
	_, env := HermesCommand(hermesSpec(), Workspace{Path: "/w"}, base)
	for _, e := range base {
		if slices.Contains(env, e) {
			t.Errorf("%s is still there", e)
		}
	}
}

func TestTimeLimitRaisesTheTimeoutsOfTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		limit   *int64
		present string
		want    int64
		raise   bool
	}{
		"no limit":       {nil, "60", 0, false},
		"zero":           {ptr(int64(0)), "", 0, false},
		"negative":       {ptr(int64(-5)), "", 0, false},
		"unset":          {ptr(int64(900)), "", 870, true},
		"lower":          {ptr(int64(900)), " 60 ", 870, true},
		"higher":         {ptr(int64(900)), "871", 870, false},
		"not a number":   {ptr(int64(900)), "soon", 870, true},
		"a short limit":  {ptr(int64(10)), "", 1, true},
		"equal to limit": {ptr(int64(900)), "870", 870, false},
	} {
		got, raise := terminalTimeout(c.limit, c.present)
		if raise != c.raise || raise && got != c.want {
			t.Errorf("%s: got %d %v", name, got, raise)
		}
	}
}

func TestLaneGetsItsCommandAndTheSameVariables(t *testing.T) {
	s := hermesSpec()
	s.Lane, s.ProfileHome = []string{"codex", "exec"}, ""
	argv, env := LaneCommand(s, Workspace{Path: "/w"}, []string{"HERMES_HOME=/h"})
	if !slices.Equal(argv, s.Lane) {
		t.Errorf("got %q", argv)
	}
	for _, want := range []string{"HERMES_HOME=/h", "HERMES_KANBAN_TASK=t_1", "HERMES_KANBAN_RUN_ID=7", "HERMES_KANBAN_DB=/h/kanban.db", "HERMES_PROFILE=dev"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestProgramsAreFoundInTheWorkersOwnPath(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"agent": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=relative::.:" + dir, "HOME=" + dir}
	for name, found := range map[string]bool{
		"agent": true, "~/agent": true, filepath.Join(dir, "agent"): true,
		"text": false, "folder": false, "absent": false, "./agent": false, "a/b": false, "": false,
	} {
		path, err := FindProgram(name, env)
		if found != (err == nil) || found && path != filepath.Join(dir, "agent") {
			t.Errorf("%q: %q %v", name, path, err)
		}
	}
}

func TestProgramsAreNotTakenFromWhereWeAre(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{"", ".", "::", "../" + filepath.Base(dir)} {
		if got, err := FindProgram("agent", []string{"PATH=" + path}); err == nil {
			t.Errorf("with PATH %q: %q", path, got)
		}
	}
}

func ptr[T any](v T) *T { return &v }
