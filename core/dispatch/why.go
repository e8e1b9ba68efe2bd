package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// Why lists every gate between a card and a running worker, in the order in
// which a tick asks them. It writes nothing.
func (d *Dispatcher) Why(ctx context.Context, id string) ([]Gate, error) {
	task, err := d.Board.Task(ctx, id)
	if err != nil {
		return nil, err
	}
	p := d.newPass(Options{DryRun: true}, NewReport())
	c := candidate{task: task, lane: core.Ready}
	if task.Status == core.Review {
		c.lane = core.Review
	}
	var gates []Gate
	add := func(name, opens, reason string) {
		gates = append(gates, Gate{Name: name, Open: reason == "", Reason: reason, Opens: opens})
	}
	add("status", opensStatus[task.Status.Column()], p.closedStatus(task))
	parents, err := d.Board.OpenParents(ctx, id)
	if err != nil {
		return nil, err
	}
	add("parents", "finish or archive them", waitsFor(parents))
	for _, gate := range slices.Concat(ownerGates, cardGates) {
		reason, err := gate.closed(p, ctx, c)
		if err != nil {
			return nil, err
		}
		add(gate.name, gate.opens, reason)
	}
	for _, gate := range []struct {
		name, opens string
		closed      func(context.Context, candidate) (string, error)
	}{
		{"assignee's limit", "wait for a card of the same assignee to end", p.profileFull},
		{"board's limit", "wait for a card to end, or raise kanban.max_spawn or kanban.max_in_progress", p.boardFull},
	} {
		reason, err := gate.closed(ctx, c)
		if err != nil {
			return nil, err
		}
		add(gate.name, gate.opens, reason)
	}
	add("emergency stop", "release it", d.stopGate())
	add("dispatcher", "start one: press p on the board, or run hermes-tui dispatch", d.dispatcherGate())
	return gates, nil
}

// opensStatus says what moves a card of a status on.
var opensStatus = map[core.Status]string{
	core.Triage: "promote it", core.Todo: "wait for the next tick, or promote it", core.Scheduled: "unblock it when its time has come",
	core.Blocked: "answer it or unblock it", core.Running: "it runs", core.Done: "it is done", core.Archived: "it is archived",
	core.Other: "only the Hermes that knows this status can move it",
}

// closedStatus says why a card in this status is not in a queue.
func (p *pass) closedStatus(t core.Task) string {
	switch t.Status {
	case core.Ready:
		if t.ClaimLock != nil {
			return fmt.Sprintf("it carries the lock of %q", *t.ClaimLock)
		}
		return ""
	case core.Review:
		if !p.rules.ReviewDispatch {
			return "kanban.review_dispatch is off"
		}
		return ""
	}
	return fmt.Sprintf("it is %s", t.Status)
}

func waitsFor(parents []string) string {
	if len(parents) == 0 {
		return ""
	}
	return "waits for " + strings.Join(parents, ", ")
}

func (p *pass) profileFull(ctx context.Context, c candidate) (string, error) {
	name := p.assignee(c)
	if p.rules.MaxInProgressPerProfile == 0 || name == "" {
		return "", nil
	}
	n, err := p.Board.CountRunningOf(ctx, name)
	if err != nil || n < p.rules.MaxInProgressPerProfile {
		return "", err
	}
	return fmt.Sprintf("%d of %d cards of %q run", n, p.rules.MaxInProgressPerProfile, name), nil
}

func (p *pass) boardFull(ctx context.Context, _ candidate) (string, error) {
	caps, err := p.caps(ctx)
	if err != nil {
		return "", err
	}
	if caps.Full {
		return "other boards use up the machine's limit", nil
	}
	n, err := p.Board.CountRunning(ctx)
	if err != nil || caps.Board == 0 || n < caps.Board {
		return "", err
	}
	return fmt.Sprintf("%d of %d cards run", n, caps.Board), nil
}

func (d *Dispatcher) stopGate() string {
	if stopped, why := d.Home.Stopped(d.Now()); stopped {
		return why
	}
	return ""
}

// dispatcherGate says why nobody is there to start the card. A Hermes gateway
// and another process of ours both do.
func (d *Dispatcher) dispatcherGate() string {
	if held, err := d.Home.GatewayHolds(); err == nil && held {
		return ""
	}
	if held, err := home.Held(d.Place.LoopLock()); err == nil && held {
		return ""
	}
	return "no dispatcher runs on this board"
}
