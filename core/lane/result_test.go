package lane

import (
	"errors"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/home"
)

func TestTheResultIsFoundInWhatProgramsReallyPrint(t *testing.T) {
	done := `{"status": "completed", "summary": "fine"}`
	for _, c := range []struct {
		name, output string
		format       home.OutputFormat
		status       Status
		summary      string
	}{
		{"alone", done, home.OutputObject, Completed, "fine"},
		{"after other words", "working...\n{\"step\": 1}\n" + done + "\n", home.OutputObject, Completed, "fine"},
		{"in a code fence", "Here it is:\n```json\n" + done + "\n```\nBye.", home.OutputObject, Completed, "fine"},
		{"the last one wins", `{"status": "blocked", "reason": "x"} then ` + done, home.OutputObject, Completed, "fine"},
		{"an object inside is not the result", `{"status": "completed", "summary": "outer", "result": {"status": "blocked"}}`, home.OutputObject, Completed, "outer"},
		{"a stray brace before it", "if x { y\n" + done, home.OutputObject, Completed, "fine"},
		{"claude's envelope", `{"type":"result","subtype":"success","is_error":false,"result":"All done.\n` + strings.ReplaceAll(done, `"`, `\"`) + `","session_id":"s"}`, home.OutputClaude, Completed, "fine"},
		{"codex' last message", `{"type":"thread.started"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":"thinking"}}` + "\n" +
			`{"type":"item.completed","item":{"type":"agent_message","text":"` + strings.ReplaceAll(done, `"`, `\"`) + `"}}` + "\n" + `{"type":"turn.completed"}`, home.OutputCodex, Completed, "fine"},
		{"blocked", `{"status": "blocked", "reason": "30 days or 90?"}`, home.OutputObject, Blocked, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := FindResult([]byte(c.output), c.format)
			if err != nil || got.Status != c.status || got.Summary != c.summary {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestWhatIsNoResultIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		format home.OutputFormat
	}{
		"nothing":                      {"", home.OutputObject},
		"only words":                   {"all done", home.OutputObject},
		"an unknown status":            {`{"status": "ok", "summary": "x"}`, home.OutputObject},
		"completed without a word":     {`{"status": "completed", "summary": "  "}`, home.OutputObject},
		"metadata that is no object":   {`{"status": "completed", "summary": "x", "metadata": [1]}`, home.OutputObject},
		"a torn object":                {`{"status": "completed", "summary": "x"`, home.OutputObject},
		"claude says that it failed":   {`{"type":"result","is_error":true,"result":"Credit balance is too low"}`, home.OutputClaude},
		"no envelope of claude":        {`{"status": "completed", "summary": "x"}`, home.OutputClaude},
		"codex' turn failed":           {`{"type":"item.completed","item":{"type":"agent_message","text":"{\"status\":\"completed\",\"summary\":\"x\"}"}}` + "\n" + `{"type":"turn.failed","error":{"message":"stream"}}`, home.OutputCodex},
		"an object beyond the limit":   {`{"status": "completed", "summary": "` + strings.Repeat("x", 1<<20) + `"}`, home.OutputObject},
		"text that is no valid UTF-8":  {"{\"status\": \"completed\", \"summary\": \"\xff\"}", home.OutputObject},
		"a hundred thousand openings":  {strings.Repeat(`{"a":`, 100_000), home.OutputObject},
		"a message of codex with none": {`{"type":"item.completed","item":{"type":"agent_message","text":"done"}}`, home.OutputCodex},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := FindResult([]byte(c.output), c.format); !errors.Is(err, ErrNoResult) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func FuzzFindResult(f *testing.F) {
	for _, seed := range []string{`{"status": "completed", "summary": "x"}`, "{{{", `{"type":"result","result":"{}"}`, "```json\n{}\n```", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []home.OutputFormat{home.OutputObject, home.OutputClaude, home.OutputCodex} {
			r, err := FindResult(data, format)
			if err != nil && !errors.Is(err, ErrNoResult) {
				t.Errorf("an error of another kind: %v", err)
			}
			if err == nil && r.Status == Completed && strings.TrimSpace(r.Summary) == "" && r.Result == nil {
				t.Errorf("completed without a word: %+v", r)
			}
		}
	})
}
