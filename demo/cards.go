package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// agents are the lanes of the demo: what each fake agent does with a card.
var agents = []struct{ name, script string }{
	{"builder", "finish"},           // works for a while and reports
	{"writer", "finish"},            // the same, another hand
	{"flaky", "crash-once"},         // dies on its first attempt
	{"asker", "ask"},                // blocks with a question
	{"courier", "die-when-durable"}, // its runner dies between the journal and the board
	{"smudger", "tear-once"},        // leaves half a journal on its first attempt
	{"stranger", "lie-once"},        // leaves a journal that speaks of another board
}

// lanes is the configuration that makes this program play every agent.
func lanes(program string) string {
	var b strings.Builder
	b.WriteString("lanes:\n")
	for _, a := range agents {
		fmt.Fprintf(&b, "  %s:\n    routes:\n      - {name: demo, command: [%q, %q, %q]}\n", a.name, program, AgentCommand, a.script)
	}
	return b.String()
}

// Deal fills the board: a card in every column, work for every agent, and three
// zombies of which the dispatcher repairs two by itself. host is this machine, as
// in our claim locks.
func Deal(ctx context.Context, b *board.Board, host string) error {
	d := dealer{ctx: ctx, b: b}
	api := d.card(board.NewTask{Title: "Design the export API", Assignee: "builder", Priority: 5,
		Body: "Decide which formats we offer and what a request looks like.\n\nKeep it small: CSV and JSON are enough."})
	d.card(board.NewTask{Title: "Implement CSV export", Assignee: "builder", Priority: 4, Parents: []string{api}})
	d.card(board.NewTask{Title: "Implement JSON export", Assignee: "builder", Priority: 4, Parents: []string{api}})
	d.card(board.NewTask{Title: "Write the release notes", Assignee: "writer", Priority: 3})
	d.card(board.NewTask{Title: "Migrate the test database", Assignee: "flaky", Priority: 4})
	d.card(board.NewTask{Title: "Choose the retention period", Assignee: "asker", Priority: 2})
	d.card(board.NewTask{Title: "Archive the audit log", Assignee: "courier", Priority: 3})
	d.card(board.NewTask{Title: "Compress the images", Assignee: "smudger", Priority: 3})
	d.card(board.NewTask{Title: "Answer the security mail", Assignee: "stranger", Priority: 2})
	d.card(board.NewTask{Title: "Translate the handbook", Priority: 1})
	d.card(board.NewTask{Title: "Call the customer in Lyon", Assignee: "marie", Priority: 1})
	d.card(board.NewTask{Title: "The export feels slow", Triage: true, Body: "Reported twice this week."})

	parked := d.card(board.NewTask{Title: "Renew the certificates", Assignee: "writer"})
	d.note(b.Schedule(ctx, board.Target{ID: parked}, text("in spring, with the new provider")))
	blocked := d.card(board.NewTask{Title: "Delete old backups", Assignee: "builder", Priority: 2})
	_, err := b.Block(ctx, board.BlockRequest{Target: board.Target{ID: blocked}, Kind: "needs_input",
		Reason: text("How long must we keep them? Nobody wrote it down.")})
	d.note(err)
	review := d.card(board.NewTask{Title: "Rate limits for the public API", Assignee: "builder", Priority: 3})
	d.note(b.RequestReview(ctx, board.ReviewRequest{Target: board.Target{ID: review}, Summary: text("200 requests a minute, burst of 50")}))
	done := d.card(board.NewTask{Title: "Set up the repository", Assignee: "builder"})
	d.note(b.Complete(ctx, board.Completion{Target: board.Target{ID: done}, Result: text("Repository, licence and CI are in place.")}))
	old := d.card(board.NewTask{Title: "Try the old exporter"})
	_, err = b.Archive(ctx, board.Target{ID: old}, nil)
	d.note(err)
	d.zombies(host)
	return d.err
}

// stuckTitle names the zombie that only a person can let go: somebody claimed it
// by hand for hours, and no worker was ever started.
const stuckTitle = "Clean the build cache"

// zombies are made the way they come about in the field: a script sets the
// status, a restore loses half a claim, a person claims a card and goes home.
func (d *dealer) zombies(host string) {
	wiped := d.card(board.NewTask{Title: "Tidy up the changelog", Assignee: "writer", Priority: 3})
	d.note(d.b.MarkRunning(d.ctx, wiped, board.Damage{}))
	half := d.card(board.NewTask{Title: "Check the invoices", Assignee: "builder", Priority: 2})
	d.note(d.b.MarkRunning(d.ctx, half, board.Damage{Lock: text("old-laptop:4711")}))
	stuck := d.card(board.NewTask{Title: stuckTitle, Assignee: "builder", Priority: 3})
	_, err := d.b.Claim(d.ctx, board.ClaimRequest{Target: board.Target{ID: stuck}, Lock: host + ":4712", TTL: 6 * 3600})
	d.note(err)
}

// dealer makes cards and keeps the first error.
type dealer struct {
	ctx context.Context
	b   *board.Board
	err error
}

func (d *dealer) card(n board.NewTask) string {
	if d.err != nil {
		return ""
	}
	made, err := d.b.CreateTask(d.ctx, n)
	d.note(err)
	return made.ID
}

func (d *dealer) note(err error) {
	if d.err == nil {
		d.err = err
	}
}

func text(s string) *string { return &s }
