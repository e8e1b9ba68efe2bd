package board

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
)

// BlockKinds are the kinds a block may have; empty is a block without a kind.
var BlockKinds = []string{"dependency", "needs_input", "capability", "transient"}

// recurrenceLimit is how often in a row a card may be blocked for the same kind
// of reason before it goes to triage.
const recurrenceLimit = 2

// BlockRequest asks for a card to wait.
type BlockRequest struct {
	Target
	Reason *string
	Kind   string // one of BlockKinds, or empty
}

// Block stops work on a running or ready card. It becomes blocked; waiting for
// an unfinished parent makes it todo, and the same kind of block again and
// again brings it to triage. A blocked card without a kind, which the circuit
// breaker has parked, is given the kind and stays as it is otherwise. Block
// returns the status that the card has now.
func (b *Board) Block(ctx context.Context, r BlockRequest) (core.Status, error) {
	what := fmt.Sprintf("block task %q", r.ID)
	if r.Kind != "" && !slices.Contains(BlockKinds, r.Kind) {
		return "", fmt.Errorf("%s: %w", what, invalid("%q is no kind of block; there are %q", r.Kind, BlockKinds))
	}
	var to core.Status
	err := b.write(ctx, what, func(t *tx) error {
		task, err := t.find(r.Target)
		if err != nil {
			return err
		}
		if task.Status == core.Blocked {
			to = core.Blocked
			return t.classify(task, r)
		}
		if err := only(task, "blocked", core.Running, core.Ready); err != nil {
			return err
		}
		to, err = t.block(task, r)
		return err
	})
	return to, err
}

// block writes the rows of a block of a card that was worked on or waited for a
// worker.
func (t *tx) block(task *core.Task, r BlockRequest) (core.Status, error) {
	source, err := t.phase(task)
	if err != nil {
		return "", err
	}
	kind, rekinded, err := t.kindOf(task, r.Kind)
	if err != nil {
		return "", err
	}
	route := routeBlock(task, kind, r.Reason, source)
	if rekinded {
		route.said = append(route.said, field{"requested_kind", r.Kind}, field{"rekind_reason", "no_open_parent"})
	}
	if err := t.change(task, unclaimed(append(route.set, field{"status", string(route.to)})...)); err != nil {
		return "", err
	}
	run, err := t.endOrTell(task, ending{outcome: core.OutcomeBlocked, summary: r.Reason}, task.Assignee, given(r.Reason))
	if err != nil {
		return "", err
	}
	return route.to, t.event(task.ID, run, route.event, r.by(route.said...))
}

// kindOf turns a wait for a parent into a question for a person where no parent
// is unfinished: nothing would ever end such a wait.
func (t *tx) kindOf(task *core.Task, kind string) (string, bool, error) {
	if kind != "dependency" {
		return kind, false, nil
	}
	open, err := t.openParents(task.ID)
	if err != nil || len(open) > 0 {
		return kind, false, err
	}
	return "needs_input", true, nil
}

// blockRoute is where a block leads and how it is told.
type blockRoute struct {
	to    core.Status
	event string
	set   fields
	said  fields
}

// routeBlock decides where a block leads. Waiting for a parent is nothing that
// a person has to end, so it is no block. Any other kind is counted while it
// stays the same; only a completion forgets it.
func routeBlock(task *core.Task, kind string, reason *string, source core.Status) blockRoute {
	said := fields{{"reason", reason}, {"kind", orNull(kind)}}
	if kind == "dependency" {
		return blockRoute{core.Todo, "dependency_wait", fields{{"block_kind", kind}}, append(said, field{"source_status", string(source)})}
	}
	times := int64(1)
	if kind == orEmpty(task.BlockKind) {
		times = task.BlockCount + 1
	}
	route := blockRoute{
		to: core.Blocked, event: "blocked",
		set:  fields{{"block_kind", orNull(kind)}, {"block_recurrences", times}},
		said: append(said, field{"recurrences", times}, field{"source_status", string(source)}),
	}
	if times >= recurrenceLimit {
		route.to, route.event = core.Triage, "block_loop_detected"
		route.said = append(route.said, field{"limit", recurrenceLimit})
	}
	return route
}

// classify gives a kind to a block that has none.
func (t *tx) classify(task *core.Task, r BlockRequest) error {
	switch {
	case r.Kind == "" || r.Run != nil:
		return refused("the card is blocked already")
	case task.BlockKind != nil:
		return refused("the card is blocked already, as %s", *task.BlockKind)
	case task.CurrentRun != nil:
		return refused("the card is blocked already and has %s", runName(task.CurrentRun))
	}
	if err := t.change(task, fields{{"block_kind", r.Kind}, {"block_recurrences", 1}}); err != nil {
		return err
	}
	return t.event(task.ID, nil, "blocked", r.by(
		field{"kind", r.Kind}, field{"reason", r.Reason}, field{"classified_in_place", true}))
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
