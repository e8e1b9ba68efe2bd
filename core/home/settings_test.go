package home

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
)

var compareSettings = cmp.Comparer(func(a, b *regexp.Regexp) bool {
	return (a == nil) == (b == nil) && (a == nil || a.String() == b.String())
})

const fullSettings = `
dispatch: lanes
theme: dusk
density: roomy
columns: [ready, running, other]
keys:
  requeue: R
  quit: [q, ctrl+c]
mouse: true
motion: false
notify: true
notify_command: [notify-send, "a card needs you"]
allow_network_fs: true
lanes:
  cli-auto:
    routes:
      - {name: codex-high, command: [codex, exec, --json, "-"], prompt: stdin, output: codex, env: {EFFORT: high, N: 3, ON: true}}
      - {name: claude, command: [claude, -p, --output-format, json], prompt: stdin, output: claude, quota: "usage limit|rate limit"}
    max_runtime: 30m
  plain:
    routes:
      - command: [/usr/bin/agent, "{prompt}"]
        prompt: arg
      - {name: by-file, command: [agent, "--in={prompt_file}"], prompt: file}
    max_runtime: 90
`

func TestSettings(t *testing.T) {
	h, dir := found(t)
	put(t, at(dir, "@/.config/hermes-tui/config.yaml"), fullSettings)
	got, err := h.Settings()
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{
		Dispatch: DispatchLanes, Theme: "dusk", Density: Roomy,
		Columns: []core.Status{core.Ready, core.Running, core.Other},
		Keys:    map[string][]string{"requeue": {"R"}, "quit": {"q", "ctrl+c"}},
		Mouse:   true, Notify: true, NotifyCommand: []string{"notify-send", "a card needs you"}, AllowNetworkFS: true,
		Lanes: map[string]Lane{
			"cli-auto": {MaxRuntime: 1800, Routes: []Route{
				{Name: "codex-high", Command: []string{"codex", "exec", "--json", "-"}, Prompt: PromptStdin, Output: OutputCodex,
					Env: map[string]string{"EFFORT": "high", "N": "3", "ON": "true"}},
				{Name: "claude", Command: []string{"claude", "-p", "--output-format", "json"}, Prompt: PromptStdin, Output: OutputClaude,
					Quota: regexp.MustCompile("usage limit|rate limit")},
			}},
			"plain": {MaxRuntime: 90, Routes: []Route{
				{Name: "agent", Command: []string{"/usr/bin/agent", "{prompt}"}, Prompt: PromptArg, Output: OutputObject},
				{Name: "by-file", Command: []string{"agent", "--in={prompt_file}"}, Prompt: PromptFile, Output: OutputObject},
			}},
		},
	}
	if diff := cmp.Diff(want, got, compareSettings); diff != "" {
		t.Error(diff)
	}
}

func TestSettingsThatSayNothing(t *testing.T) {
	h, dir := found(t)
	want := Settings{Dispatch: DispatchAsk, Density: Normal, Motion: true}
	if got, err := h.Settings(); err != nil || !cmp.Equal(got, want) {
		t.Errorf("no file: %+v, %v", got, err)
	}
	for _, content := range []string{"", "# nothing\n", "---\n", "lanes:\nkeys:\ntheme:\n"} {
		put(t, at(dir, "@/.config/hermes-tui/config.yaml"), content)
		if got, err := h.Settings(); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %+v, %v", content, got, err)
		}
	}
}

func TestSettingsRefuseWhatMakesNoSense(t *testing.T) {
	lane := func(rest string) string {
		return "lanes:\n  x:\n    routes:\n      - " + rest + "\n"
	}
	for _, c := range []struct {
		name, yaml string
		want       []string // parts of the error
	}{
		{"an unknown key", "theme: a\ncolour: b\n", []string{"line 2", `"colour"`, "unknown", "theme"}},
		{"an unknown key of a lane", "lanes:\n  x:\n    route: []\n", []string{"line 3", `"lanes.x.route"`}},
		{"an unknown key of a route", lane("{command: [a], prmpt: arg}"), []string{"line 4", `"lanes.x.routes[0].prmpt"`}},
		{"a key with control characters", "\"\\e[2J\": 1\n", []string{"line 1", `"\x1b[2J"`}},
		{"a key twice", "theme: a\ntheme: b\n", []string{"line 2", `"theme"`, "twice"}},
		{"a lane twice", "lanes:\n  x: {routes: [{command: [a]}]}\n  x: {routes: [{command: [b]}]}\n", []string{"line 3", `"lanes.x"`, "twice"}},
		{"a merge", "a: &a {theme: x}\n", []string{`"a"`, "unknown"}},
		{"a wrong type of text", "theme: [a]\n", []string{"line 1", `"theme"`, "a list"}},
		{"a number where text belongs", "theme: 123456\n", []string{`"theme"`, "quote it"}},
		{"a wrong type of truth", "mouse: maybe\n", []string{"line 1", `"mouse"`, `"maybe"`}},
		{"truth in quotes", "mouse: 'true'\n", []string{`"mouse"`}},
		{"a list where a mapping belongs", "lanes: [a]\n", []string{`"lanes"`, "a list"}},
		{"a mapping where a list belongs", "columns: {a: b}\n", []string{`"columns"`, "a mapping"}},
		{"an unknown choice", "density: tiny\n", []string{`"density"`, `"tiny"`, "compact"}},
		{"an unknown dispatch mode", "dispatch: on\n", []string{`"dispatch"`, "always"}},
		{"an unknown column", "columns:\n  - ready\n  - doing\n", []string{"line 3", `"columns[1]"`, `"doing"`}},
		{"a column twice", "columns: [ready, ready]\n", []string{`"columns[1]"`, "second time"}},
		{"a key binding that is a number", "keys: {quit: 1}\n", []string{`"keys.quit"`}},
		{"an empty key binding", "keys: {quit: ''}\n", []string{`"keys.quit"`, "empty"}},
		{"a command in one text for notices", "notify_command: notify-send hello\n", []string{"line 1", `"notify_command"`, "a list belongs here"}},
		{"an empty command for notices", "notify_command: []\n", []string{`"notify_command"`, "name the program"}},
		{"a blank program for notices", "notify_command: ['', x]\n", []string{`"notify_command"`, "name the program"}},
		{"a number in a command for notices", "notify_command: [sleep, 5]\n", []string{`"notify_command[1]"`, "quote it"}},
		{"a zero byte in a command for notices", "notify_command: [\"a\\0b\"]\n", []string{`"notify_command"`, "zero byte"}},
		{"a word for a network file system", "allow_network_fs: sometimes\n", []string{`"allow_network_fs"`, "true or false"}},
		{"a lane that cannot be an assignee", "lanes: {My Lane: {}}\n", []string{`"lanes.My Lane"`, "assignee"}},
		{"a lane in capitals", "lanes: {Codex: {}}\n", []string{`"lanes.Codex"`}},
		{"a lane called default", "lanes: {default: {}}\n", []string{`"lanes.default"`, "profile"}},
		{"a lane without routes", "lanes:\n  x: {}\n", []string{"line 2", `"lanes.x.routes"`}},
		{"a lane with an empty list of routes", "lanes: {x: {routes: []}}\n", []string{`"lanes.x.routes"`}},
		{"a lane that is empty", "lanes: {x: }\n", []string{`"lanes.x"`}},
		{"a route without a command", lane("{name: a}"), []string{"line 4", `"lanes.x.routes[0].command"`}},
		{"a route with an empty command", lane("{command: []}"), []string{`"lanes.x.routes[0].command"`}},
		{"a blank program", lane("{command: [' ']}"), []string{`"lanes.x.routes[0].command"`}},
		{"a zero byte", lane(`{command: ["a\0b"]}`), []string{`"lanes.x.routes[0].command"`}},
		{"a command in one text", lane("{command: codex exec}"), []string{`"lanes.x.routes[0].command"`, "a list belongs here"}},
		{"two routes of one name", "lanes:\n  x:\n    routes:\n      - {command: [a]}\n      - {command: [/bin/a]}\n", []string{"line 5", `"lanes.x.routes[1].name"`, `"a"`}},
		{"an unknown prompt mode", lane("{command: [a], prompt: pipe}"), []string{`"lanes.x.routes[0].prompt"`}},
		{"an argument without its place", lane("{command: [a], prompt: arg}"), []string{`"lanes.x.routes[0].command"`, "{prompt}"}},
		{"a file without its place", lane("{command: [a, '{prompt}'], prompt: file}"), []string{"{prompt"}},
		{"a place that nothing fills", lane("{command: [a, '{prompt}']}"), []string{`"lanes.x.routes[0].prompt"`, "prompt: arg"}},
		{"an unknown output", lane("{command: [a], output: xml}"), []string{`"lanes.x.routes[0].output"`}},
		{"a quota that is no pattern", lane("{command: [a], quota: '('}"), []string{`"lanes.x.routes[0].quota"`, "pattern"}},
		{"a quota that always matches", lane("{command: [a], quota: ''}"), []string{`"lanes.x.routes[0].quota"`, "every output"}},
		{"a variable without a name", lane("{command: [a], env: {'A=B': c}}"), []string{`"lanes.x.routes[0].env.A=B"`}},
		{"no duration", "lanes: {x: {max_runtime: soon}}\n", []string{`"lanes.x.max_runtime"`, `"soon"`, "30m"}},
		{"a duration of nothing", "lanes: {x: {max_runtime: 0}}\n", []string{`"lanes.x.max_runtime"`}},
		{"a negative duration", "lanes: {x: {max_runtime: -5m}}\n", []string{`"lanes.x.max_runtime"`}},
		{"less than a second", "lanes: {x: {max_runtime: 900ms}}\n", []string{`"lanes.x.max_runtime"`}},
		{"no mapping at all", "- a\n", []string{"line 1"}},
		{"no YAML", "theme: [a\n", []string{"line "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseSettings("my.yaml", []byte(c.yaml))
			if err == nil {
				t.Fatalf("it was taken: %+v", got)
			}
			for _, part := range append(c.want, `"my.yaml"`) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v\ndoes not say %s", err, part)
				}
			}
		})
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	_, err := ParseSettings("f", []byte("lanes: {x: {routes: [{command: [a], env: {TOKEN: [hush]}}]}}"))
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v", err)
	}
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	h, _ := found(t)
	if err := os.MkdirAll(h.SettingsFile, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Settings(); !errors.Is(err, errNotRegular) || !strings.Contains(err.Error(), h.SettingsFile) {
		t.Errorf("got %v", err)
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, s := range []string{
		fullSettings, "", "lanes: &a {x: *a}\n", "keys: {a: [b, [c]]}\n", "? {a: b}\n: c\n", "lanes: {x: {routes: [{command: [a], quota: '(?:)'}]}}",
		"theme: !!binary aGk=\n", "lanes: {x: {max_runtime: 1e99}}", "a: &a\n<<: *a\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSettings("f.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), `settings "f.yaml": `) {
				t.Fatalf("%q gave an error without the file: %v", data, err)
			}
			return
		}
		for assignee, lane := range s.Lanes {
			if !name.MatchString(assignee) || len(lane.Routes) == 0 || lane.MaxRuntime < 0 {
				t.Fatalf("%q gave the lane %q: %+v", data, assignee, lane)
			}
			for _, r := range lane.Routes {
				if len(r.Command) == 0 || r.Command[0] == "" || r.Name == "" {
					t.Fatalf("%q gave the route %+v", data, r)
				}
			}
		}
	})
}
