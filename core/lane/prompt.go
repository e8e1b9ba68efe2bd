package lane

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core"
)

// Bounds of a prompt, in bytes. A part that is longer is cut and says so: the
// end of a log and the newest comments matter most, the beginning of a text.
const (
	maxBody     = 32 << 10
	maxParent   = 8 << 10
	maxComment  = 4 << 10
	maxComments = 20
	maxAttempt  = 2 << 10
	maxAttempts = 5
	maxPrompt   = 100 << 10
)

// Brief is everything that an agent is told about its card.
type Brief struct {
	Card        *core.Detail
	Parents     []core.Task // finished cards that this one waited for, with their results
	Attachments []string    // absolute paths
	Workspace   string      // absolute path
	Branch      string      // of a worktree, else empty
	ResultFile  string      // absolute path of the file that may hold the result
	Limit       time.Duration
}

// Prompt writes the brief. Its last paragraph asks for the result and is never
// cut.
func (b Brief) Prompt() string {
	t := b.Card.Task
	var p strings.Builder
	fmt.Fprintf(&p, "You work on the card %s: %s\n", t.ID, oneLine(t.Title))
	fmt.Fprintf(&p, "Your workspace is %s", b.Workspace)
	if b.Branch != "" {
		fmt.Fprintf(&p, ", a git worktree on the branch %s", b.Branch)
	}
	p.WriteString(".\n")
	if b.Limit > 0 {
		fmt.Fprintf(&p, "You have %s.\n", b.Limit)
	}
	if body := strings.TrimSpace(t.Body); body != "" {
		section(&p, "The card", cutEnd(body, maxBody))
	}
	b.parents(&p)
	b.comments(&p)
	b.attempts(&p)
	if len(b.Attachments) > 0 {
		section(&p, "Attachments", strings.Join(b.Attachments, "\n"))
	}
	ask := b.ask()
	return cutEnd(p.String(), maxPrompt-len(ask)) + ask
}

func (b Brief) parents(p *strings.Builder) {
	for _, parent := range b.Parents {
		text := "(no result was stored)"
		if parent.Result != nil {
			text = cutEnd(*parent.Result, maxParent)
		}
		section(p, fmt.Sprintf("Result of %s: %s", parent.ID, oneLine(parent.Title)), text)
	}
}

func (b Brief) comments(p *strings.Builder) {
	newest := b.Card.Comments[max(0, len(b.Card.Comments)-maxComments):]
	for _, c := range newest {
		section(p, "Comment by "+oneLine(c.Author), cutEnd(c.Body, maxComment))
	}
}

// attempts tells how earlier runs ended, so that the agent does not walk into
// the same wall.
func (b Brief) attempts(p *strings.Builder) {
	var ended []core.Run
	for _, r := range b.Card.Runs {
		if r.EndedAt != nil {
			ended = append(ended, r)
		}
	}
	for _, r := range ended[max(0, len(ended)-maxAttempts):] {
		text := "(nothing was recorded)"
		for _, part := range []*string{r.Summary, r.Error} {
			if part != nil && strings.TrimSpace(*part) != "" {
				text = cutEnd(*part, maxAttempt)
			}
		}
		section(p, fmt.Sprintf("Earlier attempt %d ended as %s", r.ID, r.Outcome), text)
	}
}

// ask is the paragraph that every prompt ends with.
func (b Brief) ask() string {
	return "\n\n## How to report\n" +
		"When you are done, write one JSON object, either as the last thing you print or into the file " + b.ResultFile +
		" (also in HERMES_TUI_RESULT_FILE; the file wins):\n" +
		`{"status": "completed" | "blocked" | "failed", "summary": "what was done, in a few sentences", "result": anything, ` +
		`"metadata": {}, "reason": "why blocked or failed"}` + "\n" +
		"Use \"blocked\" when a person must decide or provide something, and ask one clear question as the reason. " +
		"\"completed\" needs a summary or a result.\n"
}

func section(p *strings.Builder, title, text string) { fmt.Fprintf(p, "\n## %s\n%s\n", title, text) }

// oneLine keeps a title from looking like structure of the prompt.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cutEnd shortens a text to n bytes, at a whole character, and says so.
func cutEnd(s string, n int) string {
	const mark = "\n[cut here]"
	if len(s) <= n {
		return s
	}
	end := max(0, n-len(mark))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
