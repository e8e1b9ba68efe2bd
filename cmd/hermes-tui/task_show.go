package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a card with its runs, comments and events",
		Args:  exactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.showCard(cmd.Context(), args[0]) },
	}
}

func (a *app) showCard(ctx context.Context, id string) error {
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	d, err := b.Detail(ctx, id)
	if err != nil {
		return a.elsewhere(ctx, id, err)
	}
	if !a.flags.json {
		a.write([]byte(describe(d, now(), a.columns())))
		return nil
	}
	rows, err := b.Rows(ctx, board.Filter{ID: id})
	if err != nil {
		return err
	}
	if len(rows) != 1 {
		return fmt.Errorf("read task %q: %w", id, core.ErrNotFound) // deleted between the two looks
	}
	a.printJSON(shown{
		Task: rows[0], Runs: each(d.Runs, showRun), Events: each(d.Events, showEvent), Comments: each(d.Comments, showComment),
		Parents: each(d.Parents, linkID), Children: each(d.Children, linkID),
	})
	return nil
}

// shown is a card as scripts get it. Times are seconds since the epoch.
type shown struct {
	Task     board.Row      `json:"task"`
	Runs     []shownRun     `json:"runs"`
	Events   []shownEvent   `json:"events"`
	Comments []shownComment `json:"comments"`
	Parents  []string       `json:"parents"`
	Children []string       `json:"children"`
}

type shownRun struct {
	ID            int64   `json:"id"`
	Profile       string  `json:"profile"`
	Status        string  `json:"status"`
	Outcome       *string `json:"outcome"`
	StartedAt     int64   `json:"started_at"`
	EndedAt       *int64  `json:"ended_at"`
	Summary       *string `json:"summary"`
	Metadata      any     `json:"metadata"`
	Error         *string `json:"error"`
	ClaimLock     *string `json:"claim_lock"`
	ClaimExpires  *int64  `json:"claim_expires"`
	WorkerPID     *int64  `json:"worker_pid"`
	WorkerStarted *string `json:"worker_started_at"`
	MaxRuntime    *int64  `json:"max_runtime_seconds"`
	LastHeartbeat *int64  `json:"last_heartbeat_at"`
}

type shownEvent struct {
	ID        int64  `json:"id"`
	Task      string `json:"task,omitempty"`
	Kind      string `json:"kind"`
	Payload   any    `json:"payload"`
	RunID     *int64 `json:"run_id"`
	CreatedAt int64  `json:"created_at"`
}

type shownComment struct {
	Author    string `json:"author"`
	Body      string `json:"body"`
	CreatedAt int64  `json:"created_at"`
}

func showRun(r core.Run) shownRun {
	s := shownRun{
		ID: r.ID, Profile: r.Profile, Status: r.Status, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Summary: r.Summary,
		Error: r.Error, ClaimLock: r.ClaimLock, ClaimExpires: r.ClaimExpires, WorkerPID: r.WorkerPID,
		WorkerStarted: r.WorkerStarted, MaxRuntime: r.MaxRuntime, LastHeartbeat: r.LastHeartbeat,
	}
	if r.Outcome != core.Open {
		s.Outcome = new(string(r.Outcome))
	}
	if r.Metadata != nil {
		s.Metadata = parsed(*r.Metadata)
	}
	return s
}

func showEvent(e core.Event) shownEvent {
	return shownEvent{ID: e.ID, Kind: e.Kind, Payload: parsed(e.Payload), RunID: e.RunID, CreatedAt: e.CreatedAt}
}

func showComment(c core.Comment) shownComment { return shownComment{c.Author, c.Body, c.CreatedAt} }

func linkID(l core.Link) string { return l.ID }

// parsed is JSON text of a board as a value, null where there is none, and the
// bare text where it is no JSON.
func parsed(s string) any {
	switch {
	case s == "":
		return nil
	case json.Valid([]byte(s)):
		return json.RawMessage(s)
	}
	return s
}

// each converts a list; an empty one is not null.
func each[A, B any](list []A, convert func(A) B) []B {
	out := make([]B, 0, len(list))
	for _, v := range list {
		out = append(out, convert(v))
	}
	return out
}

// describe shows a card to a person. Rows are cut to width cells, unless it is 0.
func describe(d *core.Detail, now int64, width int) string {
	var b strings.Builder
	t := &d.Task
	fmt.Fprintf(&b, "%s  %s\n\n%s", text.Clean(t.ID), text.Clean(t.Title), tabulate(facts(t, now), width))
	section(&b, "Text", t.Body)
	if t.Result != nil {
		section(&b, "Result", *t.Result)
	}
	rows := [][]string{}
	for _, l := range d.Parents {
		rows = append(rows, []string{"  waits for", l.ID, string(l.Status), l.Title})
	}
	for _, l := range d.Children {
		rows = append(rows, []string{"  awaited by", l.ID, string(l.Status), l.Title})
	}
	tableSection(&b, "Links", rows, width)
	rows = nil
	for _, r := range d.Runs {
		rows = append(rows, runRow(r))
	}
	tableSection(&b, "Runs", rows, width)
	if len(d.Comments) > 0 {
		b.WriteString("\nComments\n")
	}
	for _, c := range d.Comments {
		fmt.Fprintf(&b, "  %s  %s\n%s", moment(c.CreatedAt), text.Clean(c.Author), indented(c.Body))
	}
	rows = nil
	for _, e := range d.Events {
		rows = append(rows, []string{"  " + moment(e.CreatedAt), e.Kind, told(e.Payload)})
	}
	tableSection(&b, "Events", rows, width)
	return b.String()
}

func section(b *strings.Builder, heading, body string) {
	if strings.TrimSpace(body) != "" {
		fmt.Fprintf(b, "\n%s\n%s", heading, indented(body))
	}
}

func tableSection(b *strings.Builder, heading string, rows [][]string, width int) {
	if len(rows) > 0 {
		fmt.Fprintf(b, "\n%s\n%s", heading, tabulate(rows, width))
	}
}

func runRow(r core.Run) []string {
	how := string(r.Outcome)
	if how == "" {
		how = "open"
	}
	said := ""
	for _, s := range []*string{r.Summary, r.Error} {
		if s != nil && said == "" {
			said = *s
		}
	}
	return []string{fmt.Sprintf("  %d", r.ID), how, orDash(r.Profile), moment(r.StartedAt), text.Truncate(text.Clean(said), 200)}
}

// facts are the columns of a card that say something, with their names.
func facts(t *core.Task, now int64) [][]string {
	rows := [][]string{{"status", string(t.Status)}}
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if t.CurrentRun != nil {
		add("run", "%d", *t.CurrentRun)
	}
	if t.ClaimLock != nil {
		until := "without an end"
		if t.ClaimExpires != nil {
			until = "until " + moment(*t.ClaimExpires)
		}
		add("claim", "%s %s", *t.ClaimLock, until)
	}
	if t.WorkerPID != nil {
		add("worker", "pid %d", *t.WorkerPID)
	}
	if t.LastHeartbeat != nil {
		add("heartbeat", "%s ago", age(now, *t.LastHeartbeat))
	}
	add("assignee", "%s", orDash(t.Assignee))
	add("priority", "%d", t.Priority)
	add("created", "%s by %s", moment(t.CreatedAt), orDash(t.CreatedBy))
	if t.CompletedAt != nil {
		add("completed", "%s", moment(*t.CompletedAt))
	}
	add("workspace", "%s", strings.TrimSpace(t.WorkspaceKind+" "+t.WorkspacePath))
	for _, f := range [][2]string{{"branch", t.BranchName}, {"tenant", t.Tenant}, {"model", t.Model}, {"skills", t.Skills}} {
		if f[1] != "" {
			add(f[0], "%s", f[1])
		}
	}
	if t.Failures > 0 {
		add("failures", "%d in a row: %s", t.Failures, t.LastError)
	}
	if t.BlockKind != nil {
		add("blocked by", "%s", *t.BlockKind)
	}
	if len(t.Odd) > 0 {
		add("unusable", "%s", strings.Join(t.Odd, ", "))
	}
	return rows
}
