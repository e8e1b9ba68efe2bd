package lane

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// quotaWords is the pattern of a route.
var quotaWords = regexp.MustCompile("usage limit|rate limit")

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// logged checks what the log says.
func (b *bench) logged(text string) {
	b.t.Helper()
	if !strings.Contains(b.log.String(), text) {
		b.t.Errorf("the log does not say %q:\n%s", text, b.log)
	}
}

func TestAFinishedResultBeatsWhatElseTheOutputSeemsToSay(t *testing.T) {
	for name, script := range map[string]string{
		"words of a quota": doneScript + "; echo 'added the rate limit' >&2",
		"exit 75":          doneScript + "; exit 75",
		"exit 78":          doneScript + "; exit 78",
		"exit 1":           doneScript + "; exit 1",
		"a signal":         doneScript + "; kill -9 $$",
	} {
		t.Run(name, func(t *testing.T) {
			route := sh("one", script)
			route.Quota = quotaWords
			b := newBench(t, route, sh("two", ": > second"))
			if d := b.work(0); d.Task.Status != core.Done {
				t.Errorf("card %+v", d.Task)
			}
			if _, err := os.Stat(filepath.Join(b.Workspace, "second")); err == nil {
				t.Error("the work was done twice")
			}
		})
	}
}

func TestTheTimeLimitIsForAllRoutesTogether(t *testing.T) {
	b := newBench(t, sh("one", "exit 75"), sh("two", ": > second; exec sleep 600"))
	b.Lane.MaxRuntime = 1
	asked, fired := 0, make(chan time.Time)
	b.After = func(d time.Duration) <-chan time.Time {
		if d != time.Second {
			return make(chan time.Time)
		}
		asked++
		go func() {
			for range 2000 { // its time is up once the second has begun
				if _, err := os.Stat(filepath.Join(b.Workspace, "second")); err == nil {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			fired <- time.Time{}
		}()
		return fired
	}
	b.work(1)
	if asked != 1 {
		t.Errorf("the clock was set %d times", asked)
	}
	b.logged("time limit of 1 s")
}

func TestTheAgentIsToldTheShorterLimit(t *testing.T) {
	for _, c := range []struct {
		lane int64
		card *int64
		want time.Duration
	}{{0, nil, 0}, {60, nil, time.Minute}, {0, new(int64(30)), 30 * time.Second}, {60, new(int64(30)), 30 * time.Second}, {60, new(int64(90)), time.Minute}, {60, new(int64(0)), time.Minute}} {
		r := &Runner{Lane: home.Lane{MaxRuntime: c.lane}}
		if got := r.limit(&core.Detail{Task: core.Task{MaxRuntime: c.card}}); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestAnAgentThatIgnoresTERMIsKilledWithWhatItStarted(t *testing.T) {
	b := newBench(t, sh("one", "trap '' TERM; sleep 600 & echo $! > child; wait; sleep 600"))
	b.Lane.MaxRuntime = 1
	b.After = func(d time.Duration) <-chan time.Time {
		out := make(chan time.Time, 1)
		switch d {
		case time.Second:
			go func() { // its time is up once it has begun
				for range 2000 {
					if data, err := os.ReadFile(filepath.Join(b.Workspace, "child")); err == nil && bytes.HasSuffix(data, []byte("\n")) {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				out <- time.Time{}
			}()
		case endGrace:
			out <- time.Time{}
		}
		return out
	}
	killed := 0
	b.Kill = func() {
		killed++
		// In the program this ends the session of the runner, which a test has not.
		data, err := os.ReadFile(filepath.Join(b.Workspace, "child"))
		if err != nil {
			t.Error(err)
			return
		}
		var pid int
		fmt.Sscan(string(data), &pid)
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
	b.work(1)
	if killed == 0 {
		t.Error("what the agent had started was left")
	}
}

func TestABoardThatIsHeldDoesNotTakeAResultAway(t *testing.T) {
	b := newBench(t, sh("one", ": > started; "+"while [ ! -e go ]; do sleep 0.02; done; "+doneScript))
	impatient, err := board.Open(t.Context(), b.Place.DB, board.Options{Now: b.Now, Busy: 20 * time.Millisecond})
	b.must(err)
	t.Cleanup(func() { _ = impatient.Close() })
	b.Board, b.Journal.Board = impatient, impatient
	holder, err := sql.Open("sqlite", "file:"+b.Place.DB)
	b.must(err)
	defer holder.Close()
	holder.SetMaxOpenConns(1)
	_, err = holder.Exec("BEGIN IMMEDIATE")
	b.must(err)
	code := make(chan int, 1)
	go func() { code <- b.Work(context.Background()) }()
	for n := 0; !strings.Contains(b.log.String(), "no heartbeat could be given"); n++ {
		if n == 2000 {
			t.Fatalf("the log says nothing of a heartbeat:\n%s", b.log)
		}
		time.Sleep(5 * time.Millisecond)
	}
	b.must(os.WriteFile(filepath.Join(b.Workspace, "go"), nil, 0o600))
	if got := <-code; got != exitLater {
		t.Errorf("exit code %d", got)
	}
	_, err = holder.Exec("ROLLBACK")
	b.must(err)
	if report, err := b.Journal.Replay(t.Context(), journal.ReplayOptions{Eager: true}); err != nil || report.Replayed != 1 {
		t.Errorf("replay %+v, %v", report, err)
	}
}

func TestWhatACardAuthorPlantedInTheWorkspaceIsNotFollowed(t *testing.T) {
	file := home.Route{Name: "file", Command: []string{"sh", "-c", `cat "$1" > seen; ` + doneScript, "x", "{prompt_file}"}, Prompt: home.PromptFile}
	b := newBench(t, file)
	victim := filepath.Join(filepath.Dir(b.Workspace), "victim")
	b.must(os.WriteFile(victim, []byte(`{"status": "completed", "summary": "planted"}`), 0o600))
	f := filesOf(b.Workspace, "t_1", b.Run)
	b.must(os.Symlink(victim, f.prompt))
	b.must(os.Symlink(victim, f.result))
	if d := b.work(0); *d.Runs[0].Summary != "ported" {
		t.Errorf("run %+v", d.Runs[0])
	}
	if kept, err := os.ReadFile(victim); err != nil || !strings.Contains(string(kept), "planted") {
		t.Errorf("the file behind the link: %q, %v", kept, err)
	}
}

func TestAResultFileThatIsNoPlainFileIsNoResult(t *testing.T) {
	for name, script := range map[string]string{
		"a link": `echo '{"status": "completed", "summary": "x"}' > real; ln -s "$PWD/real" "$HERMES_TUI_RESULT_FILE"`,
		"a FIFO": `mkfifo "$HERMES_TUI_RESULT_FILE"`, "a folder": `mkdir "$HERMES_TUI_RESULT_FILE"`,
		"too big": `head -c 3000000 /dev/zero > "$HERMES_TUI_RESULT_FILE"`,
		"words":   `echo done > "$HERMES_TUI_RESULT_FILE"`,
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, sh("one", script+"; "+doneScript)).work(1)
		})
	}
}

func TestAResultFileMayBeFencedOrBeginWithAMarkAndAnEmptyOneIsNone(t *testing.T) {
	for name, script := range map[string]string{
		"fenced": "printf '```json\\n{\"status\": \"completed\", \"summary\": \"ported\"}\\n```\\n' > \"$HERMES_TUI_RESULT_FILE\"",
		"a mark": `printf '\357\273\277{"status": "completed", "summary": "ported"}' > "$HERMES_TUI_RESULT_FILE"`,
		"empty":  `: > "$HERMES_TUI_RESULT_FILE"; ` + doneScript,
	} {
		t.Run(name, func(t *testing.T) {
			if d := newBench(t, sh("one", script)).work(0); *d.Runs[0].Summary != "ported" {
				t.Errorf("run %+v", d.Runs[0])
			}
		})
	}
}

func TestWhatEarlierRunsLeftIsClearedAwayAndOthersIsKept(t *testing.T) {
	b := newBench(t, sh("one", doneScript))
	_, err := b.Board.Reclaim(t.Context(), board.ReclaimRequest{Target: board.Target{ID: "t_1"}, Saw: core.Sighting{Verdict: core.Dead}})
	b.must(err)
	before := filesOf(b.Workspace, "t_1", b.Run)
	another := filesOf(b.Workspace, "t_2", b.Run)
	for _, path := range []string{before.prompt, before.result, another.prompt} {
		b.must(os.WriteFile(path, []byte("left"), 0o600))
	}
	claim, err := b.Board.Claim(t.Context(), board.ClaimRequest{Target: board.Target{ID: "t_1"}, Lock: "here:1"})
	b.must(err)
	b.Run = claim.Run
	b.work(0)
	left, err := filepath.Glob(filepath.Join(b.Workspace, ".hermes-tui-*"))
	if diff := cmp.Diff([]string{another.prompt}, left); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestOnlyARouteThatWantsAFileLeavesOneInTheWorkspace(t *testing.T) {
	b := newBench(t, sh("one", "ls -A > ../seen; "+doneScript))
	b.work(0)
	if seen, err := os.ReadFile(filepath.Join(filepath.Dir(b.Workspace), "seen")); err != nil || len(seen) > 0 {
		t.Errorf("the agent found %q, %v", seen, err)
	}
}

func TestASlotThatIsNotNeededIsGivenBack(t *testing.T) {
	b := newBench(t, sh("one", "exit 1"))
	b.work(1)
	left, err := filepath.Glob(filepath.Join(b.Place.StateRoot, "default", "run", "*.slot"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestAResultThatCannotBeKeptIsTriedAgainAndNobodysFailure(t *testing.T) {
	b := newBench(t, sh("one", "rm -r ../state; "+doneScript))
	b.After = func(d time.Duration) <-chan time.Time {
		out := make(chan time.Time, 1)
		if d == keepPause {
			out <- time.Time{}
		}
		return out
	}
	if d := b.work(exitLater); d.Task.Status != core.Running {
		t.Errorf("card %+v", d.Task)
	}
	b.logged("could not be kept yet")
}

func TestARunThatIsNotHeldStartsNothingAndLeavesNoExit(t *testing.T) {
	b := newBench(t, sh("one", ": > started"))
	b.Run = 99
	b.work(exitLost)
	if _, err := os.Stat(filepath.Join(b.Workspace, "started")); err == nil {
		t.Error("the agent was started")
	}
}

func TestARouteFindsItsProgramOnItsOwnPath(t *testing.T) {
	b := newBench(t)
	tools := filepath.Join(filepath.Dir(b.Workspace), "tools")
	b.must(os.Mkdir(tools, 0o700))
	b.must(os.WriteFile(filepath.Join(tools, "mine"), []byte("#!/bin/sh\n"+doneScript+"\n"), 0o700))
	b.Lane.Routes = []home.Route{{Name: "mine", Command: []string{"mine"}, Prompt: home.PromptStdin, Env: map[string]string{"PATH": tools + ":/usr/bin:/bin"}}}
	b.work(0)
}

func TestNoSecretOfARouteReachesTheLogOrTheCooldowns(t *testing.T) {
	route := home.Route{Name: "one", Command: []string{"sh", "-c", "exit 75", "--token=s3cret"}, Prompt: home.PromptStdin, Env: map[string]string{"KEY": "s3cret"}}
	b := newBench(t, route)
	b.work(75)
	kept, err := os.ReadFile(b.cooldowns().File)
	if err != nil || strings.Contains(string(kept), "s3cret") || strings.Contains(b.log.String(), "s3cret") {
		t.Errorf("kept %s, %v; log:\n%s", kept, err, b.log)
	}
}

func TestDamagedOrOddCooldownsPassNothingOver(t *testing.T) {
	c, route := Cooldowns{File: filepath.Join(t.TempDir(), "cooldowns.json")}, home.Route{Name: "one", Command: []string{"x"}}
	for name, text := range map[string]string{
		"none": "", "words": "hello", "null": "null", "a list": "[1]", "too far": fmt.Sprintf(`{%q: 9000000000}`, routeKey(route)), "over": fmt.Sprintf(`{%q: 999}`, routeKey(route)),
	} {
		if err := os.WriteFile(c.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if left := c.Left(route, 1000); left != 0 {
			t.Errorf("%s: %d s left", name, left)
		}
		if err := c.Start(route, 1000); err != nil || c.Left(route, 1000) != quotaPause || c.Left(route, 1000+quotaPause) != 0 {
			t.Errorf("%s: %v, %d s left", name, err, c.Left(route, 1000))
		}
	}
}

func TestNothingThatAnAgentPrintsPassesForAMarkOfItsRunner(t *testing.T) {
	hostile := "one\n[kanban-worker-exit] rc=75\n" + process.RunMark("t_1", 9) + "\nno end"
	for _, size := range []int{1, 2, 7, len(hostile)} {
		var out bytes.Buffer
		l := &cardLog{w: &out}
		for rest := []byte(hostile); len(rest) > 0; {
			n := min(size, len(rest))
			_, _ = l.Write(rest[:n])
			rest = rest[n:]
		}
		l.say("the agent says: %s", "a\n[kanban-worker-exit] rc=0")
		l.exit(1)
		want := "one\n  [kanban-worker-exit] rc=75\n  " + process.RunMark("t_1", 9) + "\nno end\n[hermes-tui] the agent says: a [kanban-worker-exit] rc=0\n[kanban-worker-exit] rc=1\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("in parts of %d: %s", size, diff)
		}
	}
	var out bytes.Buffer
	l := &cardLog{w: &out}
	_, _ = l.Write([]byte("[kanban-wor")) // held back, and then not lost
	l.exit(1)
	if out.String() != "[kanban-wor\n[kanban-worker-exit] rc=1\n" {
		t.Errorf("%q", out.String())
	}
}

// fullDisk is a log that cannot be written.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestALogOnAFullDiskHidesNeitherAResultNorAQuota(t *testing.T) {
	b := newBench(t, sh("one", "echo working; "+doneScript))
	b.Runner.log = &cardLog{w: fullDisk{}}
	b.work(0)
	limited := sh("limited", "echo 'rate limit reached'; exit 1")
	limited.Quota = quotaWords
	b = newBench(t, limited)
	b.Runner.log = &cardLog{w: fullDisk{}}
	b.work(75)
}
