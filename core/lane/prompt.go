package lane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core"
)

// Bounds of a prompt, in bytes. A part that is longer is cut and says so. The
// sections together stay below the whole, so that no part crowds out another:
// of the comments and attempts the newest count most.
const (
	maxTitle       = 1 << 10
	maxBody        = 32 << 10
	maxParent      = 8 << 10
	maxParents     = 24 << 10
	maxComment     = 4 << 10
	maxComments    = 20 << 10
	maxAttempt     = 2 << 10
	maxAttempts    = 8 << 10
	maxAttachments = 8 << 10
	maxPrompt      = 100 << 10
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

// Prompt writes the brief as text that any program takes: UTF-8 without zero
// bytes, at most 100 KiB. Its last paragraph asks for the result and is never
// cut.
func (b Brief) Prompt() string {
	t := b.Card.Task
	var p strings.Builder
	fmt.Fprintf(&p, "You work on the card %s: %s\n", t.ID, cutEnd(oneLine(t.Title), maxTitle))
	fmt.Fprintf(&p, "Your workspace is %s", b.Workspace)
	if b.Branch != "" {
		fmt.Fprintf(&p, ", a git worktree on the branch %s", oneLine(b.Branch))
	}
	p.WriteString(".\n")
	if b.Limit > 0 {
		fmt.Fprintf(&p, "You have %s.\n", b.Limit)
	}
	if body := strings.TrimSpace(t.Body); body != "" {
		p.WriteString(section("The card", cutEnd(body, maxBody)))
	}
	for _, part := range [][]string{b.parents(), b.comments(), b.attempts(), b.attachments()} {
		p.WriteString(strings.Join(part, ""))
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(p.String(), "\uFFFD"), "\x00", "")
	ask := b.ask()
	return cutEnd(text, maxPrompt-len(ask)) + ask
}

func (b Brief) parents() []string {
	var all []string
	for _, parent := range b.Parents {
		text := "(no result was stored)"
		if parent.Result != nil {
			text = cutEnd(*parent.Result, maxParent)
		}
		all = append(all, section(fmt.Sprintf("Result of %s: %s", parent.ID, cutEnd(oneLine(parent.Title), maxTitle)), text))
	}
	return newest(all, maxParents, "parent result")
}

func (b Brief) comments() []string {
	var all []string
	for _, c := range b.Card.Comments {
		all = append(all, section("Comment by "+cutEnd(oneLine(c.Author), maxTitle), cutEnd(c.Body, maxComment)))
	}
	return newest(all, maxComments, "older comment")
}

// attempts tells how earlier runs ended, so that the agent does not walk into
// the same wall.
func (b Brief) attempts() []string {
	var all []string
	for _, r := range b.Card.Runs {
		if r.EndedAt == nil {
			continue
		}
		text := "(nothing was recorded)"
		for _, part := range []*string{r.Summary, r.Error} {
			if part != nil && strings.TrimSpace(*part) != "" {
				text = cutEnd(*part, maxAttempt)
			}
		}
		all = append(all, section(fmt.Sprintf("Earlier attempt %d ended as %s", r.ID, r.Outcome), text))
	}
	return newest(all, maxAttempts, "earlier attempt")
}

// attachments lists files, whose names may hold anything.
func (b Brief) attachments() []string {
	if len(b.Attachments) == 0 {
		return nil
	}
	var lines []string
	for _, path := range b.Attachments {
		if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
			path = quoted
		}
		lines = append(lines, path+"\n")
	}
	return []string{section("Attachments", strings.Join(newest(lines, maxAttachments, "attachment"), ""))}
}

// newest keeps the last parts that have room in so many bytes together, and says
// how many of what were left out.
func newest(parts []string, room int, what string) []string {
	from := len(parts)
	for from > 0 && len(parts[from-1]) <= room {
		from--
		room -= len(parts[from])
	}
	if from == 0 {
		return parts
	}
	return slices.Concat([]string{fmt.Sprintf("\n[%s left out]\n", core.Count(from, what))}, parts[from:])
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

func section(title, text string) string { return fmt.Sprintf("\n## %s\n%s\n", title, text) }

// oneLine keeps a title from looking like structure of the prompt.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cutEnd shortens a text to n bytes, at a whole character, and says so.
func cutEnd(s string, n int) string {
	const mark = " [cut here]"
	if len(s) <= n {
		return s
	}
	end := max(0, n-len(mark))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
