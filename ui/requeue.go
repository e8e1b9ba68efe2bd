package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// requeueDialog says what stands behind a card before it is requeued. It opens
// at once and takes no confirmation until the answer is there and could be
// read; what it then does is guarded by exactly what it showed.
type requeueDialog struct {
	guard
	id, name string
	seen     *operator.Standing
	err      error
	word     field // the person's word, where nothing else proves anything
	complain string
}

// deadWord is what a person types to say that no worker lives.
const deadWord = "dead"

type stood struct {
	id   string
	seen operator.Standing
	err  error
}

func (m *Model) openRequeue() tea.Cmd {
	c := m.target()
	m.dialog = &requeueDialog{id: c.ID, name: text.Clean(c.Title), word: newField()}
	stand, id := m.deps.Stand, c.ID
	return m.ask(func(ctx context.Context) tea.Msg {
		seen, err := stand(ctx, id)
		return stood{id, seen, err}
	})
}

func (m *Model) onStood(s stood) {
	d, ok := m.dialog.(*requeueDialog)
	if !ok || d.id != s.id || d.seen != nil {
		return // the person has moved on
	}
	m.dirty = true
	if d.err = s.err; s.err == nil {
		d.seen = &s.seen
		d.arm(m.now())
	}
}

func (d *requeueDialog) title() string { return "Requeue " + text.Clean(d.id) }

func (d *requeueDialog) field() *field {
	if d.seen != nil && d.seen.NeedsDeadWord {
		return &d.word
	}
	return nil
}

func (d *requeueDialog) hints() []hint {
	switch {
	case d.err != nil || d.seen == nil:
		return []hint{{"esc", "close"}}
	case d.seen.NeedsDeadWord:
		return []hint{{"enter", "requeue"}, {"esc", "leave it"}}
	}
	return []hint{{"y", "requeue"}, {"esc", "leave it"}}
}

func (d *requeueDialog) body(m *Model, width int) []row {
	ink := &m.styles.Raised
	rows := []row{{{Text: d.name, Style: ink.Strong}}, nil}
	switch {
	case d.err != nil:
		return append(rows, paragraph("Cannot look behind this card: "+text.Clean(d.err.Error()), width, ink.Danger)...)
	case d.seen == nil:
		return append(rows, row{{Text: "Looking what stands behind it" + m.signs.Ellipsis, Style: ink.Muted}})
	}
	for _, f := range standingFacts(d.seen, ink) {
		rows = append(rows, row{{Text: text.Fit(f.name, 11), Style: ink.Muted}, {Text: text.Clean(f.words), Style: f.style}})
	}
	rows = append(rows, nil)
	return append(rows, paragraph(consequence(d.seen), width, ink.Text)...)
}

func (d *requeueDialog) foot(m *Model, _ int) []row {
	ink := &m.styles.Raised
	var rows []row
	if d.field() != nil {
		rows = append(rows, nil, append(row{{Text: "Type " + deadWord + " to say so: ", Style: ink.Accent}}, d.word.pieces(ink, m.styles.Brand)...))
	}
	if d.complain != "" {
		rows = append(rows, row{{Text: d.complain, Style: ink.Danger}})
	}
	return rows
}

type fact struct {
	name, words string
	style       themes.Style
}

// standingFacts is what was found, one line each.
func standingFacts(s *operator.Standing, ink *themes.Ink) []fact {
	facts := []fact{{"status", printable(s.Task.Status), ink.Text}, workerFact(s, ink)}
	if s.Sighting.Evidence != "" {
		facts = append(facts, fact{"evidence", s.Sighting.Evidence, ink.Text})
	}
	if s.HeartbeatAge >= 0 {
		style := ink.Text
		if s.HeartbeatAge >= 120 {
			style = ink.Attention
		}
		facts = append(facts, fact{"heartbeat", columns.Span(s.HeartbeatAge) + " ago", style})
	} else {
		facts = append(facts, fact{"heartbeat", "none in this run", ink.Text})
	}
	facts = append(facts, fact{"claim", claimWords(s), ink.Text})
	if s.Run != nil {
		facts = append(facts, fact{"run", fmt.Sprintf("%d, by %s", s.Run.ID, s.Run.Profile), ink.Text})
	}
	if s.JournalFound {
		facts = append(facts, fact{"journal", "a finished result of this run waits", ink.Attention})
	} else {
		facts = append(facts, fact{"journal", "none", ink.Text})
	}
	return facts
}

func workerFact(s *operator.Standing, ink *themes.Ink) fact {
	if s.Sighting.PID == nil {
		return fact{"worker", "no pid recorded", ink.Text}
	}
	pid := fmt.Sprintf("pid %d ", *s.Sighting.PID)
	if s.Sighting.Elsewhere {
		return fact{"worker", pid + "on another machine, out of sight from here", ink.Attention}
	}
	switch s.Sighting.Verdict {
	case core.Dead:
		return fact{"worker", pid + "is gone", ink.Text}
	case core.AliveOurs:
		return fact{"worker", pid + "lives and is proven to be this worker", ink.Running}
	case core.AliveOther:
		return fact{"worker", pid + "belongs to another program now", ink.Text}
	}
	return fact{"worker", pid + "may live; nothing proves whose it is", ink.Attention}
}

func claimWords(s *operator.Standing) string {
	lock := "no lock"
	if s.Task.ClaimLock != nil {
		lock = *s.Task.ClaimLock
	}
	switch {
	case !s.HasLease:
		return lock + ", no expiry"
	case s.LeaseLeft < 0:
		return lock + ", expired " + columns.Span(-s.LeaseLeft) + " ago"
	}
	return lock + ", for another " + columns.Span(s.LeaseLeft)
}

// consequence is what a confirmation will do.
func consequence(s *operator.Standing) string {
	var b strings.Builder
	switch {
	case s.NeedsDeadWord:
		b.WriteString("Nothing tells whether its worker still lives, and a second one beside it may ruin its work. Requeue only if you know that it is dead.")
	case s.Sighting.Verdict == core.AliveOurs && s.Sighting.PID != nil:
		fmt.Fprintf(&b, "Worker %d is stopped, and when it is gone the card goes back in the queue.", *s.Sighting.PID)
	default:
		b.WriteString("No worker lives: the card goes back in the queue.")
	}
	if s.JournalFound {
		b.WriteString(" Its finished result is better replayed: leave this and press J.")
	}
	return b.String()
}

func (d *requeueDialog) confirm(m *Model) tea.Cmd {
	if d.seen == nil || !d.ready(m.now()) {
		return nil
	}
	if d.seen.NeedsDeadWord && strings.TrimSpace(d.word.value()) != deadWord {
		d.complain = "Nothing was done: the word is missing."
		return nil
	}
	m.dialog = nil
	requeue, seen := m.deps.Requeue, *d.seen
	m.say("requeueing " + text.Clean(d.id) + m.signs.Ellipsis)
	return m.ask(func(ctx context.Context) tea.Msg {
		if err := requeue(ctx, seen, seen.NeedsDeadWord); err != nil {
			return answered{err: err}
		}
		return answered{text: seen.Task.ID + " is back in the queue"}
	})
}

// replay brings the journals of the card to the board, or of all cards where
// none is meant.
func (m *Model) replay() tea.Cmd {
	replay, id, whose := m.deps.Replay, "", "all cards"
	if c := m.target(); c != nil {
		id, whose = c.ID, text.Clean(c.ID)
	}
	m.say("replaying the journals of " + whose + m.signs.Ellipsis)
	return m.ask(func(ctx context.Context) tea.Msg {
		words, err := replay(ctx, id)
		return answered{text: words, err: err}
	})
}
