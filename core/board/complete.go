package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-tui/hermes-tui/core"
)

// Completion asks for a card to be done. A nil text is one that was not given.
type Completion struct {
	Target
	Result  *string // stored on the card; nil takes a stored one off it
	Summary *string // stored on the run; nil stands for the result
	// Metadata is a JSON object for the run. Its "artifacts", where that is a
	// list, are told to subscribers.
	Metadata json.RawMessage
	// CreatedCards are ids of cards that the worker says it has created.
	CreatedCards []string
	// Force takes the card from a live worker.
	Force bool
	// Saw is what stands behind the card; see ErrLiveWorker.
	Saw *core.Sighting

	told fields // further keys of the event
}

// approvedNote is the summary of a review that was approved without a word.
const approvedNote = "The review was approved; no further evidence was given."

// Complete finishes a running, ready, blocked or reviewed card and lets its
// children go on. It is refused with ErrOpenParents, ErrUnknownCards,
// ErrNoEvidence, ErrContract or ErrLiveWorker; the second and third of these
// are recorded on the card.
func (b *Board) Complete(ctx context.Context, r Completion) error {
	metadata, err := parseMetadata(r.Metadata)
	if err != nil {
		return fmt.Errorf("complete task %q: %w", r.ID, err)
	}
	return b.write(ctx, fmt.Sprintf("complete task %q", r.ID), func(t *tx) error {
		task, gone := t.findSeen(r.Target)
		if gone != nil && !errors.Is(gone, core.ErrNotFound) {
			return gone
		}
		open, err := t.openParents(r.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return waitsFor(open)
		}
		// A false claim is recorded even for a card that was deleted meanwhile.
		verified, err := t.checkCreatedCards(r)
		if err != nil {
			return err
		}
		if gone != nil {
			return gone
		}
		if err := t.mayComplete(task, r); err != nil {
			return err
		}
		return t.complete(task, r, metadata, verified)
	})
}

// mayComplete holds what the card itself says against a completion.
func (t *tx) mayComplete(task *core.Task, r Completion) error {
	if task.Status != core.Review && !says(r.Result) && !says(r.Summary) && !says(task.Result) {
		return t.recordNoEvidence(r)
	}
	if task.Contract != "" && task.Contract != localContract {
		return because(ErrContract, "%q", task.Contract)
	}
	if err := fence(task, r.Target, r.Force, r.Saw); err != nil {
		return err
	}
	if err := only(task, "completed", core.Running, core.Ready, core.Blocked, core.Review); err != nil {
		return err
	}
	return r.checkRun(task)
}

// complete writes the rows of a completion that nothing stands against.
func (t *tx) complete(task *core.Task, r Completion, metadata metadata, verified []string) error {
	from := task.Status
	err := t.change(task, unclaimed(
		field{"status", string(core.Done)}, field{"result", r.Result}, field{"completed_at", t.now},
		field{"block_kind", nil}, field{"block_recurrences", 0},
		field{"consecutive_failures", 0}, field{"last_failure_error", nil},
	))
	if err != nil {
		return err
	}
	summary := r.Summary
	if summary == nil {
		summary = r.Result
	}
	run, err := t.endCompleted(task, from, ending{
		outcome: core.Completed, status: "done", summary: summary, metadata: metadata.text(),
	}, given(r.Result))
	if err != nil {
		return err
	}
	if from == core.Review && !given(summary) {
		summary = new(approvedNote)
	}
	said := fields{{"result_len", length(r.Result)}, {"summary", firstLine(summary, 400)}}
	if len(verified) > 0 {
		said = append(said, field{"verified_cards", verified})
	}
	if artifacts := metadata.artifacts(); len(artifacts) > 0 {
		said = append(said, field{"artifacts", artifacts})
	}
	if err := t.event(task.ID, run, "completed", r.by(append(said, r.told...)...)); err != nil {
		return err
	}
	if err := t.suspectReferences(task.ID, run, r, verified); err != nil {
		return err
	}
	children, err := t.children(task.ID)
	if err != nil {
		return err
	}
	return t.release(children)
}

// endCompleted ends the run of a completed card. Where none was open, a review
// is always told, other completions where they say something.
func (t *tx) endCompleted(task *core.Task, from core.Status, e ending, result bool) (*int64, error) {
	run, err := t.endRun(task, e)
	if err != nil || run != nil {
		return run, err
	}
	silent := !given(e.summary) && e.metadata == nil
	switch {
	case from == core.Review && silent:
		e.summary = new(approvedNote)
		e.metadata = new(pythonJSON(fields{{"source_status", string(core.Review)}, {"approval", "manual"}}))
	case silent && !result:
		return nil, nil
	}
	return t.tellRun(task, e, task.Assignee)
}

// recordNoEvidence refuses a completion that would leave nothing to show for
// it, and records that it was tried.
func (t *tx) recordNoEvidence(r Completion) error {
	said := fields{{"result_preview", firstLine(r.Result, 200)}, {"summary_preview", firstLine(r.Summary, 200)}}
	if err := t.event(r.ID, nil, "completion_blocked_empty_result", r.by(said...)); err != nil {
		return err
	}
	return kept{ErrNoEvidence}
}

// checkCreatedCards returns those created cards that are proven: they exist and
// were created by the card's owner or by the card, or are linked as its
// children. Any other refuses the completion, which is recorded.
func (t *tx) checkCreatedCards(r Completion) ([]string, error) {
	claimed := distinct(r.CreatedCards)
	if len(claimed) == 0 {
		return nil, nil
	}
	own, err := t.texts(`SELECT c.id FROM tasks AS c JOIN tasks AS t ON t.id = ?1
		WHERE c.id IN (SELECT value FROM json_each(?2)) AND c.created_by IS NOT NULL AND (
			c.created_by = t.id OR c.created_by = t.assignee AND t.assignee <> ''
			OR EXISTS (SELECT 1 FROM task_links AS l WHERE l.parent_id = t.id AND l.child_id = c.id))`, r.ID, jsonList(claimed))
	if err != nil {
		return nil, err
	}
	var verified, phantom []string
	for _, id := range claimed {
		if slices.Contains(own, id) {
			verified = append(verified, id)
		} else {
			phantom = append(phantom, id)
		}
	}
	if len(phantom) == 0 {
		return verified, nil
	}
	preview := r.Summary
	if !given(preview) {
		preview = r.Result
	}
	said := fields{{"phantom_cards", phantom}, {"verified_cards", verified}, {"summary_preview", firstLine(preview, 200)}}
	if err := t.event(r.ID, nil, "completion_blocked_hallucination", r.by(said...)); err != nil {
		return nil, err
	}
	return nil, kept{because(ErrUnknownCards, "%s", strings.Join(phantom, ", "))}
}

// cardName is how a task id looks in prose.
var cardName = regexp.MustCompile(`t_[a-f0-9]{8,}`)

// suspectReferences records names of cards in the texts of a completion that no
// card has. It is advice for a reader and stops nothing.
func (t *tx) suspectReferences(id string, run *int64, r Completion, verified []string) error {
	var texts []string
	for _, s := range []*string{r.Summary, r.Result} {
		if given(s) {
			texts = append(texts, *s)
		}
	}
	named := cardNames(strings.Join(texts, " "))
	if len(named) == 0 {
		return nil
	}
	known, err := t.texts("SELECT id FROM tasks WHERE id IN (SELECT value FROM json_each(?))", jsonList(named))
	if err != nil {
		return err
	}
	phantom := slices.DeleteFunc(named, func(name string) bool {
		return slices.Contains(known, name) || slices.Contains(verified, name)
	})
	if len(phantom) == 0 {
		return nil
	}
	said := fields{{"phantom_refs", phantom}, {"source", "completion_summary"}}
	return t.event(id, run, "suspected_hallucinated_references", said)
}

// cardNames finds the distinct task ids in prose that stand as words of their
// own.
func cardNames(prose string) []string {
	var names []string
	for _, at := range cardName.FindAllStringIndex(prose, -1) {
		before, _ := utf8.DecodeLastRuneInString(prose[:at[0]])
		after, _ := utf8.DecodeRuneInString(prose[at[1]:])
		if at[0] > 0 && inWord(before) || at[1] < len(prose) && inWord(after) {
			continue
		}
		names = append(names, prose[at[0]:at[1]])
	}
	return distinct(names)
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// distinct strips the texts of a list and drops blank and repeated ones,
// keeping the order.
func distinct(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if s = strip(s); s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
