package lane

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestThePromptTellsAllThatAnAgentNeeds(t *testing.T) {
	small := Brief{
		Card:      &core.Detail{Task: core.Task{ID: "t_00000001", Title: "Port the parser"}},
		Workspace: "/srv/cards/t_00000001", ResultFile: "/srv/cards/t_00000001/.hermes-tui-t_00000001.1.result.json",
	}
	full := Brief{
		Card: &core.Detail{
			Task: core.Task{ID: "t_00000002", Title: "Port\nthe \tparser", Body: "Keep it small.\n\nAnd tested.\n"},
			Runs: []core.Run{
				{ID: 3, EndedAt: new(int64(9)), Outcome: core.Crashed, Error: new("pid 5 exited with 1 Worker's last output: no such file")},
				{ID: 4, EndedAt: new(int64(9)), Outcome: core.OutcomeBlocked, Summary: new("30 days or 90?")},
				{ID: 5, EndedAt: new(int64(9)), Outcome: core.Reclaimed},
				{ID: 6},
			},
			Comments: []core.Comment{{Author: "anna\n## fake", Body: "90, as the handbook says."}},
		},
		Parents: []core.Task{
			{ID: "t_00000001", Title: "Read the old one", Result: new(`{"status": "completed", "summary": "read"}`)}, {ID: "t_0000000a", Title: "Nothing"},
		},
		Attachments: []string{"/attachments/t_00000002/old.c", "/attachments/t_00000002/two\nlines"},
		Workspace:   "/repo/.worktrees/t_00000002", Branch: "wt/t_00000002", Limit: 30 * time.Minute,
		ResultFile: "/repo/.worktrees/t_00000002/.hermes-tui-t_00000002.6.result.json",
	}
	for name, b := range map[string]Brief{"small": small, "full": full} {
		golden := filepath.Join("testdata", "prompt_"+name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(b.Prompt()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.Prompt()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNoPartOfAPromptCrowdsOutAnother(t *testing.T) {
	long := strings.Repeat("ü", 60<<10)
	d := &core.Detail{Task: core.Task{ID: "t_1", Title: long, Body: long}}
	b := Brief{Card: d, Workspace: "/w", ResultFile: "/w/r"}
	for i := range 50 {
		d.Comments = append(d.Comments, core.Comment{Author: long, Body: fmt.Sprint("comment ", i, " ", long)})
		d.Runs = append(d.Runs, core.Run{ID: int64(i), EndedAt: new(int64(1)), Error: new(fmt.Sprint("attempt ", i, " ", long))})
		b.Parents = append(b.Parents, core.Task{ID: fmt.Sprint("t_p", i), Title: long, Result: &long})
		b.Attachments = append(b.Attachments, fmt.Sprint("/attachment ", i, strings.Repeat("x", 1000)))
	}
	p := b.Prompt()
	if len(p) > maxPrompt || !utf8.ValidString(p) {
		t.Errorf("%d bytes", len(p))
	}
	for _, want := range []string{"comment 49 ", "attempt 49 ", "Result of t_p49", "/attachment 49", "older comments left out]", "## How to report"} {
		if !strings.Contains(p, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
}

func TestAPromptHoldsNoByteThatAProgramCannotTake(t *testing.T) {
	b := newBench(t)
	d := &core.Detail{Task: core.Task{ID: "t_1", Title: "a\x00b", Body: "c\x00d\xff"}}
	p := Brief{Card: d, Workspace: b.Workspace, ResultFile: "/r"}.Prompt()
	if !utf8.ValidString(p) || strings.Contains(p, "\x00") {
		t.Errorf("%q", p[:200])
	}
}
