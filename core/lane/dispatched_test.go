package lane_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
)

// claude and codex print what the programs of these names print.
const (
	claudeScript = `#!/bin/sh
cat > seen.prompt
echo 'a warning on standard error' >&2
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"duration_ms":2006,"num_turns":3,"result":"Ported it.\n\n` + "```" + `json\n{\"status\": \"completed\", \"summary\": \"ported by claude\", \"metadata\": {\"lines\": 12}}\n` + "```" + `","session_id":"495cc7e5-d22e-4192-92ba-4ce2d14827a6","total_cost_usd":0.04,"usage":{"input_tokens":10,"output_tokens":78}}'
`
	claudeLimited = `#!/bin/sh
cat > /dev/null
printf '%s\n' '{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1760000000","session_id":"s"}'
exit 1
`
	codexScript = `#!/bin/sh
cat > seen.prompt
cat <<'END'
{"type":"thread.started","thread_id":"019f5504-86db-7cf1-9b59-5cdcf0f70672"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"thinking"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"parser.go\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"{\"status\": \"completed\", \"summary\": \"ported by codex\"}"}}
{"type":"turn.completed","usage":{"input_tokens":8053,"cached_input_tokens":7680,"output_tokens":6}}
END
`
)

const both = `  cli-auto:
    routes:
      - {name: claude, command: [claude, -p, --output-format, json], output: claude, quota: "usage limit reached"}
      - {name: codex, command: [codex, exec, --json, "-"], output: codex}
`

func TestACardOfALaneIsFinishedByItsAgent(t *testing.T) {
	w := newWorld(t, both)
	w.write("bin/claude", claudeScript)
	id := w.card("cli-auto")
	d := w.untilStatus(id, core.Done)
	w.untilFree(id, d.Runs[0].ID)
	if outcomes(d) != "completed" || *d.Runs[0].Summary != "ported by claude" || d.Runs[0].Metadata == nil || !strings.Contains(*d.Runs[0].Metadata, `"lines": 12`) {
		t.Errorf("run %+v", d.Runs[0])
	}
	if count(d, "completed") != 1 {
		t.Errorf("events %+v", d.Events)
	}
	prompt, err := os.ReadFile(filepath.Join(w.workspace(id), "seen.prompt"))
	if err != nil || !strings.Contains(string(prompt), "Keep it small.") {
		t.Errorf("prompt %q, %v", prompt, err)
	}
	// 75 where the tick was faster than the runner in bringing the result home.
	if log := w.log(id); !strings.Contains(log, "a warning on standard error\n") || !regexp.MustCompile(`\n\[kanban-worker-exit\] rc=(0|75)\n$`).MatchString(log) {
		t.Errorf("log:\n%s", log)
	}
	w.checked()
}

func TestAQuotaSendsTheSameRunToTheOtherRoute(t *testing.T) {
	w := newWorld(t, both)
	w.write("bin/claude", claudeLimited)
	w.write("bin/codex", codexScript)
	d := w.untilStatus(w.card("cli-auto"), core.Done)
	if outcomes(d) != "completed" || *d.Runs[0].Summary != "ported by codex" {
		t.Errorf("runs %+v", d.Runs)
	}
	// The next card does not ask the first route again.
	id := w.card("cli-auto")
	w.untilStatus(id, core.Done)
	if log := w.log(id); !strings.Contains(log, "route claude is passed over") {
		t.Errorf("log:\n%s", log)
	}
}

func TestAQuotaOfEveryRouteCountsAsNoFailure(t *testing.T) {
	w := newWorld(t, both)
	w.write("bin/claude", claudeLimited)
	id := w.card("cli-auto")
	d := w.until(id, "a run met the quota", func(d *core.Detail) bool { return len(d.Runs) > 0 && d.Runs[0].Outcome != "" })
	if d.Runs[0].Outcome != core.RateLimited || d.Task.Failures != 0 {
		t.Errorf("card %+v, run %+v", d.Task, d.Runs[0])
	}
}

func TestALaneWithoutAnyOfItsProgramsIsBlockedAtOnce(t *testing.T) {
	w := newWorld(t, "  odd:\n    routes:\n      - {command: [no-such-agent]}\n      - {command: [no-other-agent]}\n")
	d := w.untilStatus(w.card("odd"), core.Blocked)
	if outcomes(d) != "crashed" || d.Task.LastError == "" || !strings.Contains(d.Task.LastError, "none of the 2 routes can be run") {
		t.Errorf("card %+v", d.Task)
	}
}

func TestAQuestionBlocksACardThroughTheJournal(t *testing.T) {
	w := newWorld(t, "  asks:\n    routes:\n      - {command: [sh, -c, \"echo '{\\\"status\\\": \\\"blocked\\\", \\\"reason\\\": \\\"30 days or 90?\\\"}'\"]}\n")
	d := w.untilStatus(w.card("asks"), core.Blocked)
	if outcomes(d) != "blocked" || *d.Runs[0].Summary != "30 days or 90?" || count(d, "blocked") != 1 {
		t.Errorf("card %+v, runs %+v", d.Task, d.Runs)
	}
	w.checked()
}

func TestAFailedAttemptIsRetriedAndToldOfInThePrompt(t *testing.T) {
	w := newWorld(t, "  flaky:\n    routes:\n      - {command: [flaky]}\n")
	w.write("bin/flaky", `#!/bin/sh
if mkdir tried 2>/dev/null; then echo '{"status": "failed", "reason": "the parser is older than I"}'; exit 3; fi
cat > seen.prompt; echo '{"status": "completed", "summary": "second try"}'
`)
	id := w.card("flaky")
	d := w.untilStatus(id, core.Done)
	if outcomes(d) != "crashed completed" || d.Runs[0].Error == nil || !strings.Contains(*d.Runs[0].Error, "the parser is older than I") {
		t.Errorf("runs %+v", d.Runs)
	}
	prompt, err := os.ReadFile(filepath.Join(w.workspace(id), "seen.prompt"))
	if err != nil || !strings.Contains(string(prompt), "the parser is older than I") {
		t.Errorf("prompt %q, %v", prompt, err)
	}
}

// waits is an agent that finishes when the test lets it.
const waits = `#!/bin/sh
echo working; : > started; while [ ! -e go ]; do sleep 0.02; done
echo '{"status": "completed", "summary": "done by run '$HERMES_KANBAN_RUN_ID'"}'
`

func TestARunnerKilledWhenItsResultWasDurableIsCompletedByTheNextTick(t *testing.T) {
	w := newWorld(t, "  slow:\n    routes:\n      - {command: [slow]}\n")
	w.write("bin/slow", waits)
	id := w.card("slow")
	w.tick()
	w.untilThere(filepath.Join(w.workspace(id), "started"))
	d := w.detail(id)
	run := d.Runs[0].ID
	// While another program holds the board, a durable result is all there is.
	letGo := w.hold()
	w.must(os.WriteFile(filepath.Join(w.workspace(id), "go"), nil, 0o600))
	w.untilThere(w.pending(id, run))
	w.kill(d, syscall.SIGKILL)
	letGo()
	if d := w.detail(id); d.Task.Status != core.Running {
		t.Fatalf("the board heard of it: %s", d.Task.Status)
	}
	report := w.tick()
	if len(report.Replayed) != 1 || report.Replayed[0].Run != run {
		t.Errorf("report %+v", report)
	}
	for range 3 {
		w.tick()
	}
	d = w.detail(id)
	if d.Task.Status != core.Done || outcomes(d) != "completed" || count(d, "completed") != 1 || *d.Runs[0].Summary != fmt.Sprint("done by run ", run) {
		t.Errorf("card %+v, runs %+v", d.Task, d.Runs)
	}
	w.checked()
}

func TestARunnerToldToEndEndsItsAgentAndLeavesTheClaimToTheTick(t *testing.T) {
	w := newWorld(t, "  slow:\n    routes:\n      - {command: [slow]}\n")
	w.write("bin/slow", waits)
	id := w.card("slow")
	w.tick()
	w.untilThere(filepath.Join(w.workspace(id), "started"))
	w.kill(w.detail(id), syscall.SIGTERM)
	if d := w.detail(id); d.Task.Status != core.Running {
		t.Fatalf("the card is %s", d.Task.Status)
	}
	if log := w.log(id); strings.Contains(log, "[kanban-worker-exit]") {
		t.Errorf("log:\n%s", log)
	}
	d := w.until(id, "the run has ended", func(d *core.Detail) bool { return d.Runs[0].EndedAt != nil })
	if d.Runs[0].Outcome != core.Crashed || !strings.Contains(*d.Runs[0].Error, "signal 15") {
		t.Errorf("run %+v: %s", d.Runs[0], *d.Runs[0].Error)
	}
}

func TestWhatAnAgentSaysWhenItIsToldToEndStillCounts(t *testing.T) {
	w := newWorld(t, "  tidy:\n    routes:\n      - {command: [tidy]}\n")
	w.write("bin/tidy", `#!/bin/sh
trap 'echo "{\"status\": \"completed\", \"summary\": \"in time\"}"; exit 0' TERM
: > started; while :; do sleep 0.02; done
`)
	id := w.card("tidy")
	w.tick()
	w.untilThere(filepath.Join(w.workspace(id), "started"))
	w.kill(w.detail(id), syscall.SIGTERM)
	d := w.untilStatus(id, core.Done)
	if outcomes(d) != "completed" || *d.Runs[0].Summary != "in time" {
		t.Errorf("runs %+v", d.Runs)
	}
}

func TestAJournalThatCannotBeTrustedIsPutAsideAndTheExactRunRetried(t *testing.T) {
	for name, text := range map[string]string{
		"truncated": `{"version": 1, "task_id": "`,
		"foreign":   `{"board": "somebody-elses", "task_id": "t_other", "expected_run_id": 1, "result": "forged", "summary": "forged", "metadata": {}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "  liar:\n    routes:\n      - {command: [liar]}\n")
			w.write("bad.json", text)
			w.write("bin/liar", `#!/bin/sh
if mkdir tried 2>/dev/null; then
  cp '`+w.path("bad.json")+`' '`+filepath.Join(w.d.Place.StateRoot, "default")+`/'$HERMES_KANBAN_TASK.$HERMES_KANBAN_RUN_ID.terminal.pending.json
  chmod 600 '`+filepath.Join(w.d.Place.StateRoot, "default")+`/'$HERMES_KANBAN_TASK.$HERMES_KANBAN_RUN_ID.terminal.pending.json
  kill -9 $PPID
  exit 0
fi
echo '{"status": "completed", "summary": "honest"}'
`)
			id := w.card("liar")
			w.tick()
			w.untilFree(id, w.detail(id).Runs[0].ID)
			d := w.untilStatus(id, core.Done)
			if outcomes(d) != "reclaimed completed" || *d.Runs[1].Summary != "honest" || count(d, "journal_quarantined") != 1 || d.Task.Failures != 0 {
				t.Errorf("card %+v, runs %+v", d.Task, d.Runs)
			}
			aside, err := filepath.Glob(filepath.Join(w.d.Place.StateRoot, "default", "quarantine", "*"))
			if err != nil || len(aside) != 1 {
				t.Fatalf("quarantine %v, %v", aside, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != text {
				t.Errorf("kept %q, %v", kept, err)
			}
			w.checked()
		})
	}
}

func TestAnAgentThatMadeItsResultDurableByItselfIsNotAskedAgain(t *testing.T) {
	w := newWorld(t, "  own:\n    routes:\n      - {name: one, command: [own]}\n      - {name: two, command: [sh, -c, ': > second']}\n")
	w.write("bin/own", `#!/bin/sh
at='`+filepath.Join(w.d.Place.StateRoot, "default")+`/'$HERMES_KANBAN_TASK.$HERMES_KANBAN_RUN_ID
(umask 077; echo '{"board": "default", "task_id": "'$HERMES_KANBAN_TASK'", "expected_run_id": '$HERMES_KANBAN_RUN_ID', "result": "x", "summary": "by itself", "metadata": {}}' > $at.mine)
mv $at.mine $at.terminal.pending.json
exit 75
`)
	id := w.card("own")
	d := w.untilStatus(id, core.Done)
	w.untilFree(id, d.Runs[0].ID)
	if outcomes(d) != "completed" || *d.Runs[0].Summary != "by itself" {
		t.Errorf("runs %+v", d.Runs)
	}
	if _, err := os.Stat(filepath.Join(w.workspace(id), "second")); err == nil {
		t.Error("the second route was tried although the result was there")
	}
}

func TestARunnerThatCannotUseTheBoardIsNobodysFailure(t *testing.T) {
	w := newWorld(t, "  slow:\n    routes:\n      - {command: [slow]}\n")
	w.write("bin/slow", waits)
	id := w.card("slow")
	// A settings file that cannot be read for a moment: the dispatcher keeps the
	// last good one, the runner has none.
	good := w.d.Home
	settings, err := good.Settings()
	w.must(err)
	w.keepSettings(settings)
	w.write("settings.yaml", "lanes: [")
	d := w.until(id, "the run has ended", func(d *core.Detail) bool { return len(d.Runs) > 0 && d.Runs[0].EndedAt != nil })
	if d.Task.Failures != 0 || d.Task.Status == core.Blocked || !strings.Contains(*d.Runs[0].Error, "cannot work") {
		t.Errorf("card %+v, runs %+v", d.Task, d.Runs)
	}
}
