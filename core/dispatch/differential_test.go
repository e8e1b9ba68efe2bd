package dispatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/board/differential"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// table answers for the processes of a scenario as our own rules see them: what
// nothing proves is unknown, also where Hermes would signal it.
type table struct{ procs *differential.Processes }

func (t table) Sight(w process.Worker) core.Sighting {
	s := t.procs.Look(w.PID, w.Fingerprint)
	alive := w.PID != nil && slices.Contains(t.procs.Live(), *w.PID)
	if alive && w.Fingerprint == nil {
		s.Verdict, s.Evidence = core.Unknown, "it lives, but nothing says whose it is"
	}
	s.Certain = w.Fingerprint != nil && strings.HasPrefix(*w.Fingerprint, "oracle-epoch|")
	if w.Lock != nil && !t.procs.Local(w.Lock) && s.Verdict != core.AliveOurs {
		s.Verdict, s.Elsewhere = core.Unknown, true
	}
	return s
}

func (t table) Leftovers() func(process.Worker) ([]process.Member, error) {
	return func(process.Worker) ([]process.Member, error) { return nil, nil }
}

// stops keeps the stops of a tick, which run side by side, out of each other's way
// in a table of processes that are not real.
var stops sync.Mutex

func (t table) Stop(_ context.Context, w process.Worker) core.Termination {
	stops.Lock()
	defer stops.Unlock()
	return t.procs.Stop(w.Lock, w.PID, w.Fingerprint)
}

func (t table) StopLeft(context.Context, process.Worker) core.Termination {
	return core.Termination{Terminated: true}
}

func (t table) Open(int64) bool { return false }

func (t table) Exit(pid int64) (process.Exit, bool) {
	e, known := t.procs.Exits[pid]
	switch {
	case !known:
		return process.Exit{}, false
	case e.Signal != nil:
		return process.Exit{Signal: syscall.Signal(*e.Signal)}, true
	}
	return process.Exit{Code: int(*e.Code)}, true
}

// starter starts what a scenario says.
type starter struct {
	home     string
	procs    *differential.Processes
	profiles []string
	answer   string
	tipped   bool
}

func (s *starter) Knows(assignee string) string {
	if slices.Contains(s.profiles, assignee) {
		return ""
	}
	return "unknown profile"
}

func (s *starter) Prepare(_ context.Context, claim board.Claimed) (board.Workspace, error) {
	at := board.Workspace{Path: filepath.Join(s.home, "kanban", "workspaces", claim.Task.ID)}
	if !s.tipped {
		at.Tip, s.tipped = "a tip", true
	}
	return at, nil
}

func (s *starter) Start(context.Context, board.Claimed, board.Workspace) (dispatch.Started, error) {
	how, number, _ := strings.Cut(s.answer, ":")
	started := dispatch.Started{Release: nothing, Abort: nothing}
	switch how {
	case "fail":
		return started, errors.New(number)
	case "pid", "dead":
		pid, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return started, err
		}
		s.answer = fmt.Sprintf("%s:%d", how, pid+1)
		if how == "pid" {
			s.procs.Born(pid)
		}
		started.PID, started.Fingerprint = pid, s.procs.Fingerprint(pid)
	}
	return started, nil
}

func nothing(context.Context) error { return nil }

// request is the dispatch operation of a scenario.
type request struct {
	DryRun           bool   `json:"dry_run"`
	Spawn            string `json:"spawn"`
	MaxSpawn         int64  `json:"max_spawn"`
	MaxInProgress    int64  `json:"max_in_progress"`
	MaxPerProfile    int64  `json:"max_in_progress_per_profile"`
	DefaultAssignee  string `json:"default_assignee"`
	StaleTimeout     int64  `json:"stale_timeout_seconds"`
	FailureLimit     int64  `json:"failure_limit"`
	ReconcileOrphans bool   `json:"reconcile_orphans"`
}

func parse(op differential.Op) (request, error) {
	data, err := json.Marshal(op)
	if err != nil {
		return request{}, err
	}
	var r request
	return r, json.Unmarshal(data, &r)
}

// dispatches makes a player play the operations of a dispatcher.
func dispatches(t *testing.T, p *differential.Player, s differential.Scenario) {
	h, err := home.Find(home.Env{UserHome: p.Home, Cwd: p.Home, Vars: []string{"HERMES_HOME=" + p.Home, "HERMES_KANBAN_HOME=" + p.Home}})
	if err != nil {
		t.Fatal(err)
	}
	place, err := h.Board("default")
	if err != nil {
		t.Fatal(err)
	}
	procs := table{p.Procs}
	start := &starter{home: p.Home, procs: p.Procs, profiles: append([]string{"default"}, s.Profiles...)}
	p.More["dispatch"] = func(p *differential.Player, op differential.Op) (any, error) {
		r, err := parse(op)
		if err != nil {
			return nil, err
		}
		start.answer = r.Spawn
		d := &dispatch.Dispatcher{
			Board: p.Board, Home: h, Place: place, Prober: procs, Stopper: procs, Exits: procs, Starter: start, Claimer: s.Claimer,
			PID: int64(os.Getpid()), Fingerprint: process.Unverified, Now: p.Now, Sleep: sleep,
			Rules: func() dispatch.Rules {
				return dispatch.Rules{
					Kanban: home.Kanban{
						ReviewDispatch: true, FailureLimit: r.FailureLimit, DefaultAssignee: r.DefaultAssignee, MaxSpawn: r.MaxSpawn,
						MaxInProgress: r.MaxInProgress, MaxInProgressPerProfile: r.MaxPerProfile, StaleTimeout: r.StaleTimeout,
						ReconcileOrphans: r.ReconcileOrphans,
					},
					Timing: home.Timing{ClaimTTL: 900, CrashGrace: 30, RateLimitCooldown: 300},
				}
			},
		}
		report, err := d.Tick(t.Context(), dispatch.Options{NoSpawn: r.DryRun})
		return answer(report), err
	}
	p.More["reconcile"] = func(p *differential.Player, _ differential.Op) (any, error) {
		ids, _, err := reconcile.Pass{Board: p.Board, Prober: procs, Now: p.Now}.Run(t.Context(), nil)
		return append([]string{}, ids...), err
	}
}

// answer puts a report into the words of the scenarios, as far as they have
// words for it.
func answer(r *dispatch.Report) map[string]any {
	spawned := [][]any{}
	for _, s := range append(r.Spawned, r.WouldSpawn...) {
		spawned = append(spawned, []any{s.Task, s.Assignee, s.Workspace})
	}
	return map[string]any{
		"reconciled_orphans": r.Reconciled, "stale": r.Stale, "crashed": r.Crashed, "rate_limited": r.RateLimited,
		"timed_out": r.TimedOut, "auto_blocked": r.AutoBlocked, "reclaimed": len(r.Reclaimed), "promoted": len(r.Promoted), "spawned": spawned,
	}
}

// deliberate are the differences from Hermes that show in a recording: a sign of
// each in what Hermes did, and the row of docs/hermes.md that says what we do.
var deliberate = []struct {
	row  string
	sign func(s differential.Scenario) bool
}{
	{"a name that is no profile gets an event", wrote("skipped_nonspawnable")},
	{"payloads of repairs lack what was overwritten", wrote("reconciled")},
	{"each tick writes that a card is guarded", wrote("respawn_guarded")},
	{"a start that gives no pid counts as started", func(s differential.Scenario) bool {
		for _, op := range s.Ops {
			if r, err := parse(op); err == nil && r.Spawn == "none" {
				return true
			}
		}
		return false
	}},
	{"a card released in a tick is claimed again in the same tick", func(s differential.Scenario) bool {
		released := map[any]any{}
		for _, e := range s.Expected.Tables["task_events"] {
			switch e["kind"] {
			case "reclaimed", "reconciled", "stale", "crashed", "timed_out":
				released[e["task_id"]] = e["created_at"]
			case "claimed":
				if at, was := released[e["task_id"]]; was && at == e["created_at"] {
					return true
				}
			}
		}
		return false
	}},
}

// wrote reports whether Hermes left an event of the kind.
func wrote(kind string) func(differential.Scenario) bool {
	return func(s differential.Scenario) bool {
		return slices.ContainsFunc(s.Expected.Tables["task_events"], func(e map[string]any) bool { return e["kind"] == kind })
	}
}

// TestDifferential plays recorded passes of Hermes' dispatcher. Ours differs on
// purpose: a scenario is equal throughout, or rows of docs/hermes.md explain why
// not. HERMES_DIFFERENTIAL names another folder of scenarios.
func TestDifferential(t *testing.T) {
	folder, reason := differential.Folder("HERMES_DIFFERENTIAL", "../shared/differential/ticks")
	if folder == "" {
		t.Skip(reason)
	}
	scenarios, err := differential.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/hermes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			if !s.Has("dispatch") && !s.Has("reconcile") {
				t.Skip("no dispatcher in it; it is played in core/board")
			}
			p, err := differential.Start(t.Context(), s, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			dispatches(t, p, s)
			diffs, err := s.Play(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if len(diffs) == 0 {
				return
			}
			explained := false
			for _, d := range deliberate {
				if !d.sign(s) {
					continue
				}
				explained = true
				t.Logf("differs on purpose: %s", d.row)
				if !strings.Contains(string(doc), "| "+d.row+" |") {
					t.Errorf("docs/hermes.md has no row %q", d.row)
				}
			}
			if !explained {
				t.Errorf("no deliberate difference explains: %s", strings.Join(diffs[:min(len(diffs), 20)], "\n"))
			}
		})
	}
}
