package lane

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
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
		{"an unknown status after it", done + `{"status": "ok"}`, home.OutputObject, Completed, "fine"},
		{"a status in other letters after it", done + `{"Status": "failed"}`, home.OutputObject, Completed, "fine"},
		{"an indented envelope of claude", "{\n  \"type\": \"result\",\n  \"subtype\": \"success\",\n  \"result\": " + quoted(done) + "\n}", home.OutputClaude, Completed, "fine"},
		{"claude set to be verbose", `[{"type":"system","subtype":"init"},{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}},` + envelopeOf(done) + `]`, home.OutputClaude, Completed, "fine"},
		{"a long array of claude cut in front", `"text":"cut"}]}},{"type":"assistant","message":{}},` + envelopeOf(done) + `]`, home.OutputClaude, Completed, "fine"},
		{"the stream of claude", `{"type":"system","subtype":"init"}` + "\n" + `{"type":"result","subtype":"success","result":"no"}` + "\n" + envelopeOf(done) + "\n", home.OutputClaude, Completed, "fine"},
		{"words around claude's envelope", "warning: {x\n" + envelopeOf(done) + "\nbye\n", home.OutputClaude, Completed, "fine"},
		{"an older codex", `{"type":"item.completed","item":{"id":"item_2","item_type":"assistant_message","text":` + quoted(done) + `}}`, home.OutputCodex, Completed, "fine"},
		{"codex after a retry", `{"type":"error","message":"stream disconnected, retrying"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":` + quoted(done) + `}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":1}}`, home.OutputCodex, Completed, "fine"},
		{"codex in a turn after a failed one", `{"type":"turn.failed"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":` + quoted(done) + `}}`, home.OutputCodex, Completed, "fine"},
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
		"claude out of turns":          {`{"type":"result","subtype":"error_max_turns","duration_ms":283992,"is_error":true,"num_turns":41,"session_id":"s","errors":["Reached maximum number of turns (40)"]}`, home.OutputClaude},
		"claude without is_error":      {`{"type":"result","subtype":"error_max_turns","result":"{\"status\":\"completed\",\"summary\":\"x\"}"}`, home.OutputClaude},
		"an error with a number":       {`{"type":"item.completed","item":{"type":"agent_message","text":"{\"status\":\"completed\",\"summary\":\"x\"}"}}` + "\n" + `{"type":"turn.failed","error":{"message":42}}`, home.OutputCodex},
		"a summary that is no text":    {`{"status": "completed", "summary": ["x"]}`, home.OutputObject},
		"metadata nested very deep":    {`{"status": "completed", "summary": "x", "metadata": ` + strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200) + `}`, home.OutputObject},
		"the example of the prompt":    {Brief{Card: &core.Detail{}}.ask(), home.OutputObject},
		"a message of codex with none": {`{"type":"item.completed","item":{"type":"agent_message","text":"done"}}`, home.OutputCodex},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := FindResult([]byte(c.output), c.format); !errors.Is(err, ErrNoResult) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func quoted(text string) string {
	data, _ := json.Marshal("All done.\n" + text)
	return string(data)
}

func envelopeOf(text string) string {
	return `{"type":"result","subtype":"success","is_error":false,"result":` + quoted(text) + `,"session_id":"s"}`
}

func TestWhyClaudeOrCodexFailedIsSaid(t *testing.T) {
	for _, c := range []struct {
		output string
		format home.OutputFormat
		want   string
	}{
		{`{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}`, home.OutputClaude, "Invalid API key"},
		{`{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (40)"]}`, home.OutputClaude, "error_max_turns Reached maximum"},
		{`{"type":"error","message":"You've hit your usage limit."}`, home.OutputCodex, "You've hit your usage limit."},
		{`{"type":"turn.failed","error":{"message":"token expired"}}`, home.OutputCodex, "token expired"},
	} {
		if _, err := FindResult([]byte(c.output), c.format); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.output, err)
		}
	}
}

// What the runner takes for a result must be one for whoever replays the record,
// down to the spelling of a key.
func TestKeysTwiceOrInOtherLettersMeanTheSameToTheJournal(t *testing.T) {
	for text, want := range map[string]Status{
		`{"status": "completed", "STATUS": "blocked", "summary": "x"}`:                 Completed,
		`{"status": "blocked", "status": "completed", "summary": "x", "reason": "no"}`: Completed,
	} {
		if r, err := ParseResult([]byte(text)); err != nil || r.Status != want {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	r, err := ParseResult([]byte(`{"status": "completed", "summary": "x", "metadata": {"a": 1, "a": 1.50, "b": "<>"}}`))
	if err != nil || string(r.Metadata) != `{"a":1.50,"b":"<>"}` {
		t.Errorf("metadata %s, %v", r.Metadata, err)
	}
}

func TestMetadataWithAKeyTwiceDoesNotSendAResultToQuarantine(t *testing.T) {
	b := newBench(t, sh("one", `echo '{"status": "completed", "summary": "x", "metadata": {"a": 1, "a": 2}}'`))
	if d := b.work(0); d.Task.Status != core.Done || *d.Runs[0].Metadata != `{"a": 2}` {
		t.Errorf("card %+v, run %+v", d.Task, d.Runs[0])
	}
}

func TestAnOutputMadeOfBracesKeepsNobodyBusy(t *testing.T) {
	for name, part := range map[string]string{"nested": `{"a":`, "open": "{", "texts": `{"`, "lists": `{"a":[`} {
		if found := objects(strings.Repeat(part, 2*searched/len(part))); len(found) != 0 {
			t.Errorf("%s: %d objects", name, len(found))
		}
	}
}

func FuzzParseResult(f *testing.F) {
	for _, seed := range []string{
		`{"status": "completed", "summary": "x"}`, `{"status":"blocked","reason":"?","metadata":{"a":1,"a":2}}`,
		`{"status":"completed","result":[1,{"b":null}],"metadata":{"\ud800":1,"\ud801":1e999}}`, `{"status":"failed"}`, "null", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseResult(data)
		if err != nil {
			if !errors.Is(err, ErrNoResult) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		if r.Text != string(data) || !r.Status.known() {
			t.Errorf("%+v", r)
		}
		if r.Metadata != nil {
			again, err := plainObject(r.Metadata)
			if err != nil || string(again) != string(r.Metadata) {
				t.Errorf("metadata %s becomes %s, %v", r.Metadata, again, err)
			}
		}
	})
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
