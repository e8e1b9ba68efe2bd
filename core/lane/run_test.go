package lane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// bench is a runner over a claimed card of a real board; its agents are shell
// commands.
type bench struct {
	*Runner
	t   *testing.T
	log *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newBench(t *testing.T, routes ...home.Route) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "kanban.db")
	must(board.Create(t.Context(), path, time.Second))
	now := func() int64 { return time.Now().Unix() }
	b, err := board.Open(t.Context(), path, board.Options{Now: now, Busy: 5 * time.Second, NewID: func() string { return "t_1" }})
	must(err)
	t.Cleanup(func() { _ = b.Close() })
	_, err = b.CreateTask(t.Context(), board.NewTask{Title: "Port the parser", Body: "Keep it small.", Assignee: "lane"})
	must(err)
	claim, err := b.Claim(t.Context(), board.ClaimRequest{Target: board.Target{ID: "t_1"}, Lock: "here:1"})
	must(err)
	workspace := filepath.Join(dir, "workspace")
	must(os.Mkdir(workspace, 0o700))
	place := home.Board{Slug: "default", DB: path, StateRoot: filepath.Join(dir, "state"), Attachments: filepath.Join(dir, "attachments")}
	log := &safeBuffer{}
	table := &process.Table{Host: "here"}
	return &bench{t: t, log: log, Runner: &Runner{
		Board: b, Place: place, Lane: home.Lane{Routes: routes}, Task: "t_1", Run: claim.Run, Lock: "here:1", TTL: 900,
		Journal: &journal.Journal{
			Board: b, Place: journal.Place{Root: place.StateRoot, Slug: place.Slug, DB: path}, Sight: table.Sight, Now: now,
			Held: func(string, int64) bool { return true },
		},
		Workspace: workspace, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir}, log: &cardLog{w: log}, Kill: func() {},
		Now: now, After: time.After, FindProgram: worker.FindProgram,
	}}
}

// sh is a route whose agent is a shell command.
func sh(name, script string) home.Route {
	return home.Route{Name: name, Command: []string{"sh", "-c", script}, Prompt: home.PromptStdin, Output: home.OutputObject}
}

func (b *bench) work(code int) *core.Detail {
	b.t.Helper()
	if got := b.Work(b.t.Context()); got != code {
		b.t.Errorf("exit code %d, want %d; log:\n%s", got, code, b.log)
	}
	d, err := b.Board.Detail(context.Background(), "t_1")
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

const doneScript = `echo '{"status": "completed", "summary": "ported", "metadata": {"lines": 12}}'`

func TestACompletedResultIsInTheJournalAndOnTheCard(t *testing.T) {
	b := newBench(t, sh("one", "cat > seen; "+doneScript))
	d := b.work(0)
	if d.Task.Status != core.Done || d.Runs[0].Outcome != core.Completed || d.Runs[0].Summary == nil || *d.Runs[0].Summary != "ported" {
		t.Errorf("card %+v, run %+v", d.Task, d.Runs[0])
	}
	listing, err := b.Journal.List(t.Context(), "")
	if err != nil || len(listing.Committed) != 1 || len(listing.Pending) != 0 {
		t.Errorf("journals %+v, %v", listing, err)
	}
	prompt, err := os.ReadFile(filepath.Join(b.Workspace, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Port the parser", "Keep it small.", "HERMES_TUI_RESULT_FILE", `"status": "completed" | "blocked" | "failed"`} {
		if !strings.Contains(string(prompt), part) {
			t.Errorf("the prompt lacks %q:\n%s", part, prompt)
		}
	}
	left, err := filepath.Glob(filepath.Join(b.Workspace, ".hermes-tui-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the workspace: %v %v", left, err)
	}
}

func TestTheResultFileWinsOverTheOutput(t *testing.T) {
	b := newBench(t, sh("one", `echo '{"status": "completed", "summary": "from the file"}' > "$HERMES_TUI_RESULT_FILE"; `+doneScript))
	if d := b.work(0); *d.Runs[0].Summary != "from the file" {
		t.Errorf("run %+v", d.Runs[0])
	}
}

func TestAQuestionBlocksTheCardWithItsReason(t *testing.T) {
	b := newBench(t, sh("one", `echo '{"status": "blocked", "reason": "30 days or 90?"}'`))
	d := b.work(0)
	if d.Task.Status != core.Blocked || d.Runs[0].Summary == nil || *d.Runs[0].Summary != "30 days or 90?" {
		t.Errorf("card %+v, run %+v", d.Task, d.Runs[0])
	}
}

func TestAFailedAgentIsNoResult(t *testing.T) {
	for name, script := range map[string]string{
		"it says so": `echo '{"status": "failed", "reason": "no idea"}'`, "it says nothing": "exit 0", "it dies": "kill -9 $$",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, sh("one", script))
			if d := b.work(1); d.Task.Status != core.Running {
				t.Errorf("card %+v", d.Task)
			}
		})
	}
}

func TestAQuotaLeadsToTheNextRouteAndCoolsTheFirstOneDown(t *testing.T) {
	limited := sh("limited", "echo 'usage limit reached'; exit 1")
	limited.Quota = regexp.MustCompile("usage limit")
	b := newBench(t, limited, sh("by code", "exit 75"), sh("other", doneScript))
	if d := b.work(0); d.Task.Status != core.Done {
		t.Errorf("card %+v", d.Task)
	}
	if b.cooldowns().Left(limited, b.Now()) == 0 {
		t.Error("the route does not cool down")
	}
	again := newBench(t, limited)
	again.Place = b.Place
	again.work(75)
	if !strings.Contains(again.log.String(), "is passed over") {
		t.Errorf("log:\n%s", again.log)
	}
}

func TestAMissingProgramLeadsToTheNextRouteAndWithoutOneNothingCanWork(t *testing.T) {
	missing := home.Route{Name: "missing", Command: []string{"no-such-agent"}, Prompt: home.PromptStdin, Output: home.OutputObject}
	b := newBench(t, missing, sh("other", doneScript))
	b.work(0)
	newBench(t, missing).work(78)
	newBench(t, sh("one", "exit 78")).work(78)
}

func TestThePromptReachesTheAgentAsItsRouteWants(t *testing.T) {
	arg := home.Route{Name: "arg", Command: []string{"sh", "-c", `printf %s "$1" > seen; ` + doneScript, "x", "{prompt}"}, Prompt: home.PromptArg, Output: home.OutputObject}
	file := home.Route{Name: "file", Command: []string{"sh", "-c", `cat "$1" > seen; ` + doneScript, "x", "{prompt_file}"}, Prompt: home.PromptFile, Output: home.OutputObject}
	for _, route := range []home.Route{arg, file} {
		b := newBench(t, route)
		b.work(0)
		seen, err := os.ReadFile(filepath.Join(b.Workspace, "seen"))
		if err != nil || !strings.Contains(string(seen), "Port the parser") {
			t.Errorf("%s: %q %v", route.Name, seen, err)
		}
	}
}

func TestAnAgentOverItsTimeIsEndedAndItsRunFails(t *testing.T) {
	b := newBench(t, sh("one", "exec sleep 600"))
	b.Lane.MaxRuntime = 1
	fired := make(chan time.Time, 1)
	fired <- time.Time{}
	never := make(chan time.Time)
	b.After = func(d time.Duration) <-chan time.Time {
		if d == time.Second {
			return fired
		}
		return never
	}
	b.work(1)
	if !strings.Contains(b.log.String(), "time limit") {
		t.Errorf("log:\n%s", b.log)
	}
}

func TestARunThatWasTakenAwayEndsItsAgent(t *testing.T) {
	b := newBench(t, sh("one", "echo started; exec sleep 600"))
	ticks := make(chan time.Time)
	b.After = func(d time.Duration) <-chan time.Time {
		if d == beatEvery {
			return ticks
		}
		return make(chan time.Time)
	}
	done := make(chan int, 1)
	go func() { done <- b.Work(context.Background()) }()
	// The first heartbeat has been given once the runner waits for the second.
	task, err := b.Board.Task(t.Context(), "t_1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Board.Reclaim(t.Context(), board.ReclaimRequest{Target: board.Target{ID: "t_1"}, Saw: core.Sighting{PID: task.WorkerPID}}); err != nil {
		t.Fatal(err)
	}
	for ended := false; !ended; {
		select {
		case ticks <- time.Time{}:
		case code := <-done:
			ended = true
			if code != exitLost {
				t.Errorf("exit code %d", code)
			}
		}
	}
	if d, err := b.Board.Detail(t.Context(), "t_1"); err != nil || d.Task.Status != core.Ready {
		t.Errorf("card %+v, %v", d.Task, err)
	}
}

func TestAPromptIsBoundedAndAlwaysEndsWithTheRequest(t *testing.T) {
	d := &core.Detail{Task: core.Task{ID: "t_1", Title: "x\n## fake", Body: strings.Repeat("ü", 60<<10)}}
	for i := range 50 {
		d.Comments = append(d.Comments, core.Comment{Author: "a", Body: fmt.Sprint(i, strings.Repeat("y", 9<<10))})
	}
	p := Brief{Card: d, Workspace: "/w", ResultFile: "/w/r"}.Prompt()
	if len(p) > maxPrompt || !strings.HasSuffix(strings.TrimSpace(p), "a summary or a result.") || strings.Contains(p, "\n## fake") {
		t.Errorf("%d bytes, ends with %q", len(p), p[len(p)-80:])
	}
}
