package home

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// usual is the configuration of a home without a file, on a machine that does
// not tell its memory.
func usual() Kanban {
	return Kanban{
		ReviewDispatch: true, DispatchInterval: 60, FailureLimit: 2, WorkerLogRotateBytes: 2097152,
		WorkerLogBackups: 1, StaleTimeout: 14400, ReconcileOrphans: true, JournalMode: "wal",
	}
}

func TestConfiguration(t *testing.T) {
	with := func(change func(*Kanban)) Kanban {
		k := usual()
		change(&k)
		return k
	}
	for _, c := range []struct {
		name, yaml string
		want       Kanban
		notices    []string // one part of each
	}{
		{"empty", "", usual(), nil},
		{"only a comment", "# nothing\n", usual(), nil},
		{"other sections", "agent: {kanban: 3}\nmodel: x\n", usual(), nil},
		{"an empty section", "kanban:\n", usual(), nil},
		{"all of it", `
kanban:
  review_dispatch: false
  dispatch_interval_seconds: 5
  failure_limit: 4
  worker_log_rotate_bytes: 100
  worker_log_backup_count: 0
  default_assignee: " Dev "
  max_spawn: 3
  max_in_progress: 9
  max_in_progress_per_profile: 2
  dispatch_stale_timeout_seconds: 0
  reconcile_orphans: off
  dispatch_profiles: [Dev, reviewer]
  auto_decompose: true
  unknown_key: 1
database:
  journal_mode: DELETE
`, Kanban{DispatchInterval: 5, FailureLimit: 4, WorkerLogRotateBytes: 100, DefaultAssignee: "dev", MaxSpawn: 3,
			MaxInProgress: 9, MaxInProgressPerProfile: 2, DispatchProfiles: []string{"dev", "reviewer"}, JournalMode: "delete"}, nil},
		{"null means the default", "kanban: {review_dispatch: null, failure_limit: ~, max_spawn: , max_in_progress: null}\ndatabase: {journal_mode: null}", usual(), nil},
		{"numbers as text and as fractions", "kanban: {failure_limit: '7', dispatch_interval_seconds: 2.9}",
			with(func(k *Kanban) { k.FailureLimit = 7; k.DispatchInterval = 2 }), nil},
		{"an interval of zero is the default", "kanban: {dispatch_interval_seconds: 0}", usual(), nil},
		{"an interval below a second", "kanban: {dispatch_interval_seconds: -4}",
			with(func(k *Kanban) { k.DispatchInterval = 1 }), []string{`kanban.dispatch_interval_seconds is "-4", not at least 1; using 1`}},
		{"values that make no sense", `
kanban:
  failure_limit: 0
  max_spawn: many
  max_in_progress: -1
  max_in_progress_per_profile: {default: 2}
  worker_log_backup_count: true
  dispatch_stale_timeout_seconds: 99999999999999999999
  review_dispatch: "no"
  default_assignee: [dev]
database: {journal_mode: truncate}
`, usual(), []string{
			`line 9: kanban.review_dispatch is "no"`, `line 3: kanban.failure_limit is "0"`, "line 7: kanban.worker_log_backup_count is \"true\"",
			"line 10: kanban.default_assignee is a list", `line 4: kanban.max_spawn is "many"`, `line 5: kanban.max_in_progress is "-1"`,
			"line 6: kanban.max_in_progress_per_profile is a mapping", "line 8: kanban.dispatch_stale_timeout_seconds", `line 11: database.journal_mode is "truncate"`,
		}},
		{"a number of seconds that no clock holds", "kanban: {dispatch_interval_seconds: 9000000001}", usual(), []string{"9000000001"}},
		{"control characters in a value are quoted", "kanban: {failure_limit: \"\\e]0;x\\a\"}", usual(), []string{`\x1b]0;x\a`}},
		{"a section that is none", "kanban: [1]\ndatabase: 3", usual(), []string{"kanban is a list", "database is"}},
		{"the last of two equal keys", "kanban: {failure_limit: 3, failure_limit: 5}", with(func(k *Kanban) { k.FailureLimit = 5 }), nil},
		{"anchors and merges", "base: &b {failure_limit: 3, max_spawn: 4}\nkanban:\n  <<: *b\n  max_spawn: 6\n",
			with(func(k *Kanban) { k.FailureLimit = 3; k.MaxSpawn = 6 }), nil},
		{"an alias for the section", "base: &b {failure_limit: 3}\nkanban: *b\n", with(func(k *Kanban) { k.FailureLimit = 3 }), nil},
		{"no profile allowed", "kanban: {dispatch_profiles: []}", with(func(k *Kanban) { k.DispatchProfiles = []string{} }), nil},
		{"a list of profiles that is blank", "kanban: {dispatch_profiles: }", with(func(k *Kanban) { k.DispatchProfiles = []string{} }), []string{"no profile at all"}},
		{"a list of profiles that is a text", "kanban: {dispatch_profiles: dev}", with(func(k *Kanban) { k.DispatchProfiles = []string{} }), []string{"no profile at all"}},
		{"one bad profile", "kanban: {dispatch_profiles: [dev, ../x, [y]]}", with(func(k *Kanban) { k.DispatchProfiles = []string{"dev"} }), []string{`"../x"`, "a list"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, dir := found(t)
			file := at(dir, "@/.hermes/config.yaml")
			put(t, file, c.yaml)
			got, notices, err := h.Config()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if len(notices) != len(c.notices) {
				t.Fatalf("notices %q", notices)
			}
			for i, part := range c.notices {
				if !strings.Contains(notices[i], part) || !strings.Contains(notices[i], file) {
					t.Errorf("notice %q does not say %q and the file", notices[i], part)
				}
			}
		})
	}
}

func TestConfigurationFileInForce(t *testing.T) {
	h, dir := found(t, "HERMES_HOME=@/h/profiles/dev")
	read := func() int64 {
		k, _, err := h.Config()
		if err != nil {
			t.Fatal(err)
		}
		return k.FailureLimit
	}
	if got := read(); got != 2 {
		t.Errorf("without a file: %d", got)
	}
	put(t, at(dir, "@/h/config.yaml"), "kanban: {failure_limit: 3}")
	if got := read(); got != 3 {
		t.Errorf("the root's file: %d", got)
	}
	put(t, at(dir, "@/h/profiles/dev/config.yaml"), "kanban: {failure_limit: 4}")
	if got := read(); got != 4 {
		t.Errorf("the profile's own file: %d", got)
	}
}

func TestBrokenConfigurationIsAnError(t *testing.T) {
	for content, line := range map[string]string{
		"kanban:\n  a: [1\nb: 2": "line ", "- a\n": "line 1", "a: b: c\n": "line 1", "kanban: *nowhere": "nowhere",
	} {
		h, dir := found(t)
		put(t, at(dir, "@/.hermes/config.yaml"), content)
		_, _, err := h.Config()
		if err == nil || !strings.Contains(err.Error(), "config.yaml") || !strings.Contains(err.Error(), line) {
			t.Errorf("%q gave %v", content, err)
		}
	}
	h, dir := found(t)
	if err := os.MkdirAll(at(dir, "@/.hermes/config.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Config(); !errors.Is(err, errNotRegular) {
		t.Errorf("a folder gave %v", err)
	}
}

func TestAllowedProfiles(t *testing.T) {
	if !(Kanban{}).Allows("anybody") {
		t.Error("without a list any profile may start")
	}
	if (Kanban{DispatchProfiles: []string{}}).Allows("dev") {
		t.Error("an empty list allows nobody")
	}
	k := Kanban{DispatchProfiles: []string{"dev"}}
	if !k.Allows(" Dev ") || k.Allows("ops") {
		t.Error("a list allows exactly its own")
	}
}

func TestMemoryLimitsWorkersOfTheMachine(t *testing.T) {
	for _, c := range []struct {
		total uint64
		err   error
		want  int64
	}{
		{256 << 20, nil, 2}, {1536 << 20, nil, 3}, {1535 << 20, nil, 2}, {4 << 30, nil, 8}, {1 << 60, nil, 8}, {8 << 30, errors.New("no"), 0},
	} {
		h, err := Find(Env{UserHome: t.TempDir(), MemTotal: func() (uint64, error) { return c.total, c.err }})
		if err != nil {
			t.Fatal(err)
		}
		k, _, err := h.Config()
		if err != nil || k.MaxInProgress != c.want {
			t.Errorf("%d bytes: %d workers, %v; want %d", c.total, k.MaxInProgress, err, c.want)
		}
	}
}

func TestTiming(t *testing.T) {
	h, _ := found(t)
	got, notices := h.Timing()
	if want := (Timing{900, 30, 300, 0}); got != want || notices != nil {
		t.Errorf("got %+v, %q", got, notices)
	}
	h, _ = found(t, "HERMES_KANBAN_CLAIM_TTL_SECONDS= 10 ", "HERMES_KANBAN_CRASH_GRACE_SECONDS=0",
		"HERMES_KANBAN_RATE_LIMIT_COOLDOWN_SECONDS=0", "HERMES_KANBAN_BUSY_TIMEOUT_MS=1500")
	got, notices = h.Timing()
	if want := (Timing{10, 0, 0, 1500 * time.Millisecond}); got != want || notices != nil {
		t.Errorf("got %+v, %q", got, notices)
	}
	h, _ = found(t, "HERMES_KANBAN_CLAIM_TTL_SECONDS=0", "HERMES_KANBAN_CRASH_GRACE_SECONDS=-1",
		"HERMES_KANBAN_RATE_LIMIT_COOLDOWN_SECONDS=5m", "HERMES_KANBAN_BUSY_TIMEOUT_MS=99999999999")
	got, notices = h.Timing()
	if want := (Timing{900, 30, 300, 0}); got != want {
		t.Errorf("got %+v", got)
	}
	for i, part := range []string{`CLAIM_TTL_SECONDS is "0"`, `"-1"`, `"5m"`, `"99999999999"`} {
		if len(notices) != 4 || !strings.Contains(notices[i], part) {
			t.Fatalf("notices %q lack %s", notices, part)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"kanban: {failure_limit: 3, dispatch_profiles: [dev]}\n", "kanban: &a {<<: *a}\n", "a: &a [*a]\n",
		"kanban: !!int x\n", "? [k]\n: v\n", "kanban: {max_spawn: 1e400, review_dispatch: !!bool 3}", "x: &x {<<: [*x, *x]}\nkanban: *x\n",
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	h, err := Find(Env{UserHome: dir})
	if err != nil {
		f.Fatal(err)
	}
	if err := os.MkdirAll(h.Root, 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		put(t, h.ConfigFile(), string(data))
		k, _, err := h.Config()
		if err != nil {
			return
		}
		if k.DispatchInterval < 1 || k.FailureLimit < 1 || k.MaxSpawn < 0 || k.MaxInProgress < 0 || k.StaleTimeout < 0 ||
			!slices.Contains([]string{"wal", "delete"}, k.JournalMode) {
			t.Fatalf("%q gave %+v", data, k)
		}
	})
}
