package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// cardForm is a form about a card.
func (m *Model) cardForm(c *core.Card, verb, does string, look bool, entries ...*entry) *form {
	id := text.Clean(c.ID)
	return &form{
		head: verb + " " + id, name: text.Clean(c.Title), does: does, entries: entries, draft: does + " " + c.ID,
		card: m.asSeen(c), look: look,
	}
}

func (m *Model) openBlock() tea.Cmd {
	c := m.target()
	kinds := append([]string{""}, board.BlockKinds...)
	f := m.cardForm(c, "Block", "block", true, line("reason", ""), choice("kind", kinds...))
	f.entries[0].hint = "What has to be decided, for whoever reads it."
	undo := func(s sent) *step {
		return parkStep(s.card, "the block of", func(ctx context.Context, a Acts, c operator.Card) error {
			_, err := a.Block(ctx, c, false, s.values[0], s.values[1])
			return err
		})
	}
	f.send = sendStep(undo, func(ctx context.Context, s sent) (string, error) {
		status, err := s.acts.Block(ctx, s.card, s.stop, s.values[0], s.values[1])
		return fmt.Sprintf("%s is %s", s.card.ID, status), err
	})
	return m.openForm(f)
}

func (m *Model) openSchedule() tea.Cmd {
	f := m.cardForm(m.target(), "Park", "park", true, line("reason", ""))
	f.entries[0].hint = "What it waits for. Nothing wakes it by itself: u lets it go on."
	undo := func(s sent) *step {
		return parkStep(s.card, "the parking of", func(ctx context.Context, a Acts, c operator.Card) error {
			return a.Schedule(ctx, c, false, s.values[0])
		})
	}
	f.send = sendStep(undo, func(ctx context.Context, s sent) (string, error) {
		return s.card.ID + " is parked until it is unblocked", s.acts.Schedule(ctx, s.card, s.stop, s.values[0])
	})
	return m.openForm(f)
}

func (m *Model) openArchive() tea.Cmd {
	c := m.target()
	f := m.cardForm(c, "Archive", "archive", true)
	f.warn = []string{"This cannot be undone: no board lets an archived card come back."}
	if n := m.wouldStart(c); n > 0 {
		f.warn = append(f.warn, several(n, "card")+" will start: an archived card counts as finished for those that wait for it.")
	}
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		return s.card.ID + " is archived", s.acts.Archive(ctx, s.card, s.stop)
	})
	return m.openForm(f)
}

// wouldStart counts the cards that wait for this one alone.
func (m *Model) wouldStart(c *core.Card) int {
	if c.Status.Satisfies() {
		return 0
	}
	n := 0
	for _, other := range m.snap.ByID {
		if other.Status == core.Todo && other.OpenParents == 1 && other.WaitsFor == c.ID {
			n++
		}
	}
	return n
}

func (m *Model) openComplete() tea.Cmd {
	f := m.cardForm(m.target(), "Complete", "complete", true, words("summary", ""))
	f.entries[0].required = true
	f.entries[0].hint = "What was done. Cards that wait for this one read it."
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		return s.card.ID + " is done", s.acts.Complete(ctx, s.card, s.stop, s.values[0])
	})
	return m.openForm(f)
}

func (m *Model) openReview() tea.Cmd {
	f := m.cardForm(m.target(), "Hand to review", "hand over", true, line("reviewer", ""), words("summary", ""))
	f.entries[0].hint = "Who looks at it; left empty, whoever asked for changes last."
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		return s.card.ID + " waits for its review", s.acts.RequestReview(ctx, s.card, s.stop, s.values[0], s.values[1])
	})
	return m.openForm(f)
}

func (m *Model) openAnswer() tea.Cmd {
	c := m.target()
	f := m.cardForm(c, "Answer", "answer and unblock", false, words("answer", ""))
	f.entries[0].required = true
	f.entries[0].hint = "Becomes a comment; then the card goes on."
	if reason := text.Clean(c.BlockReason); reason != "" {
		f.warn = []string{reason}
	}
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		status, err := s.acts.Answer(ctx, s.card, s.values[0])
		return fmt.Sprintf("%s is answered and %s", s.card.ID, status), err
	})
	return m.openForm(f)
}

// openSendBack asks what has to change. Where the reviewer is at work its run
// ends with that; a card that waits for a review is taken back from it.
func (m *Model) openSendBack() tea.Cmd {
	c := m.target()
	f := m.cardForm(c, "Send back", "send back", c.Status == core.Running, words("changes", ""))
	f.entries[0].required = true
	f.entries[0].hint = "What has to change, for whoever did the work."
	if c.Status == core.Running {
		f.send = send(func(ctx context.Context, s sent) (string, error) {
			who, err := s.acts.RequestChanges(ctx, s.card, s.stop, s.values[0])
			return fmt.Sprintf("%s is sent back to %s", s.card.ID, orNobody(who)), err
		})
		return m.openForm(f)
	}
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		status, err := s.acts.SendBack(ctx, s.card, s.values[0])
		return fmt.Sprintf("%s is sent back and %s", s.card.ID, status), err
	})
	return m.openForm(f)
}

func (m *Model) openComment() tea.Cmd {
	f := m.cardForm(m.target(), "Comment on", "comment", false, words("comment", ""))
	f.entries[0].required = true
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		return s.card.ID + " has a comment of yours", s.acts.Comment(ctx, s.card, s.values[0])
	})
	return m.openForm(f)
}

func (m *Model) openStop() tea.Cmd {
	f := m.cardForm(m.target(), "Stop the worker of", "stop", true)
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		_, err := s.acts.StopWorker(ctx, s.card.ID)
		return "the worker of " + s.card.ID + " is stopped; the next tick finds it gone", err
	})
	f.check = func(f *form) string {
		if !f.live() {
			return "Nothing was done: no worker lives that is proven to be this card's."
		}
		return ""
	}
	return m.openForm(f)
}

// Where a new card may start beside the ordinary way.
const (
	inTriage      = "in triage"
	blockedAtOnce = "blocked"
)

// openCreate asks for a new card.
func (m *Model) openCreate() tea.Cmd {
	f := &form{head: "New card", does: "create", draft: "create", entries: []*entry{
		line("title", ""), words("text", ""), line("owner", ""), line("priority", ""), choice("start", "when ready", inTriage, blockedAtOnce),
	}}
	f.entries[0].required = true
	f.entries[2].hint = "A profile or a lane; nobody starts a card without one."
	if names := m.names(); len(names) > 0 {
		f.entries[2].hint += " Known: " + strings.Join(names, ", ") + "."
	}
	f.check = func(f *form) string { return notANumber(f.entries[3]) }
	f.send = send(func(ctx context.Context, s sent) (string, error) {
		priority, _ := number64(s.values[3])
		made, err := s.acts.Create(ctx, board.NewTask{
			Title: s.values[0], Body: s.values[1], Assignee: s.values[2], Priority: priority,
			Triage: s.values[4] == inTriage, Blocked: s.values[4] == blockedAtOnce,
		})
		return fmt.Sprintf("%s is made and %s", made.ID, made.Status), err
	})
	return m.openForm(f)
}

// openEdit reads the card first: what is edited is the whole text, not what the
// board shows of it.
func (m *Model) openEdit() tea.Cmd {
	c := m.target()
	read, seen := m.deps.Board, m.asSeen(c)
	m.say("reading " + text.Clean(c.ID) + m.signs.Ellipsis)
	return m.ask(func(ctx context.Context) tea.Msg {
		detail, err := read.Detail(ctx, seen.ID)
		return toEdit{seen, detail, err}
	})
}

// toEdit is a card that was read to be edited.
type toEdit struct {
	card   operator.Card
	detail *core.Detail
	err    error
}

func (m *Model) onToEdit(e toEdit) tea.Cmd {
	m.dirty, m.message = true, ""
	switch {
	case e.err != nil:
		m.complain(text.Clean(e.err.Error()))
		return nil
	case m.dialog != nil:
		return nil // the person has moved on
	}
	task := &e.detail.Task
	f := &form{head: "Edit " + text.Clean(task.ID), does: "save", draft: "edit " + task.ID, card: e.card, entries: []*entry{
		line("title", task.Title), words("text", task.Body), line("priority", fmt.Sprint(task.Priority)),
	}}
	f.entries[0].required, f.entries[2].required = true, true
	f.initial = f.values()
	f.check = func(f *form) string {
		if slices.Equal(f.values(), f.initial) {
			return "Nothing was written: nothing has changed."
		}
		return notANumber(f.entries[2])
	}
	before := f.initial
	undo := func(s sent) *step { return editStep(s.card, edited(task, before, s.values)) }
	f.send = sendStep(undo, func(ctx context.Context, s sent) (string, error) {
		return s.card.ID + " is edited", s.acts.Edit(ctx, s.card, edited(task, before, s.values))
	})
	return m.openForm(f)
}

// edited names only what was changed in the form. What a field made of a text
// that it cannot hold is no change.
func edited(was *core.Task, before, after []string) (e operator.Edit) {
	if after[0] != before[0] {
		e.Title = &operator.Change[string]{From: was.Title, To: after[0]}
	}
	if after[1] != before[1] {
		e.Body = &operator.Change[string]{From: was.Body, To: after[1]}
	}
	if priority, err := number64(after[2]); err == nil && priority != was.Priority {
		e.Priority = &operator.Change[int64]{From: was.Priority, To: priority}
	}
	return e
}
