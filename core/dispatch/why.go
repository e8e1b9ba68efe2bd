package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// Why lists every gate between a card and a running worker, in the order in
// which a tick asks them. Of a running card the gates say what stands behind it
// and whether it is held. It writes nothing.
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
	for _, gate := range slices.Concat(placeGates, whoGates, cardGates, limitGates, boardGates) {
		reason, err := gate.closed(p, ctx, c)
		if err != nil {
			return nil, err
		}
		opens := gate.opens
		if gate.name == statusGate {
			opens = opensStatus[task.Status.Column()]
		}
		gates = append(gates, Gate{Name: gate.name, Open: reason == "", Reason: reason, Opens: opens})
	}
	return gates, nil
}

// FirstClosed is the name of the first gate that is closed, or empty.
func FirstClosed(gates []Gate) string {
	for _, g := range gates {
		if !g.Open {
			return g.Name
		}
	}
	return ""
}

const statusGate = "status"

// placeGates ask whether the card stands in a queue.
var placeGates = []cardGate{
	{statusGate, "", (*pass).closedStatus},
	{"hold", "wait for the next tick, stop its worker, or requeue it", (*pass).heldRunning},
	{"lock", "wait for a tick to take it off, or requeue the card", (*pass).strayLock},
	{"parents", "finish or archive them", (*pass).openParents},
}

// whoGates are the ownerGates of a tick. That no Hermes is found from here keeps no
// gateway from starting a profile.
var whoGates = []cardGate{
	ownerGates[0],
	{ownerGates[1].name, ownerGates[1].opens, func(p *pass, ctx context.Context, c candidate) (string, error) {
		if p.byGateway(c) && p.Home.HasProfile(c.task.Assignee) {
			return "", nil
		}
		return p.noProfile(ctx, c)
	}},
}

// byGateway reports whether a Hermes gateway is there that dispatches the card. A
// gateway starts no lanes.
func (p *pass) byGateway(c candidate) bool {
	held, err := p.Home.GatewayHolds()
	return err == nil && held && !p.isLane(p.assignee(c))
}

// limitGates ask whether one more card may run.
var limitGates = []cardGate{
	{"memory", "wait until the machine has memory to spare", (*pass).memoryGate},
	{"assignee's limit", "wait for a card of the same assignee to end", (*pass).profileFull},
	{"board's limit", "wait for a card to end, or raise kanban.max_spawn or kanban.max_in_progress", (*pass).boardFull},
}

// boardGates concern the whole board: whether anybody dispatches on it.
var boardGates = []cardGate{
	{"emergency stop", "release it: hermes-tui resume --all", forBoard((*Dispatcher).stopGate)},
	{"file system", "allow it: hermes-tui dispatch --allow-network-fs", ours((*Dispatcher).networkGate)},
	{"pause", "end it: hermes-tui resume", ours((*Dispatcher).pauseGate)},
	{"dispatcher", "start one: press d on the board, or run hermes-tui dispatch", ours((*Dispatcher).dispatcherGate)},
}

func forBoard(closed func(*Dispatcher) string) func(*pass, context.Context, candidate) (string, error) {
	return func(p *pass, _ context.Context, _ candidate) (string, error) { return closed(p.Dispatcher), nil }
}

// ours is a gate that holds only dispatchers of this program. Where a Hermes
// gateway is there to start the card, it is open.
func ours(closed func(*Dispatcher) string) func(*pass, context.Context, candidate) (string, error) {
	return func(p *pass, _ context.Context, c candidate) (string, error) {
		if p.byGateway(c) {
			return "", nil
		}
		return closed(p.Dispatcher), nil
	}
}

// opensStatus says what moves a card of a status on.
var opensStatus = map[core.Status]string{
	core.Triage: "promote it", core.Todo: "wait for the next tick, or promote it", core.Scheduled: "unblock it when its time has come",
	core.Review: "review it by hand, or switch kanban.review_dispatch on", core.Blocked: "answer it or unblock it", core.Running: "wait for it to end", core.Done: "reopen it, or make a card that follows it", core.Archived: "make a new card",
	core.Other: "only the Hermes that knows this status can move it",
}

// closedStatus says why a card in this status is not in a queue.
func (p *pass) closedStatus(ctx context.Context, c candidate) (string, error) {
	t := c.task
	switch t.Status {
	case core.Ready:
		return "", nil
	case core.Review:
		if !p.rules.ReviewDispatch {
			return "kanban.review_dispatch is off", nil
		}
		return "", nil
	case core.Running:
		behind, _, err := p.standing(ctx, t)
		return "it is running: " + behind, err
	case core.Todo, core.Blocked:
		return p.closedWaiting(ctx, t)
	}
	return fmt.Sprintf("it is %s", t.Status), nil
}

// closedWaiting says of a waiting card whether the next tick moves it on.
func (p *pass) closedWaiting(ctx context.Context, t core.Task) (string, error) {
	parents, err := p.Board.OpenParents(ctx, t.ID)
	if err != nil || len(parents) > 0 {
		return fmt.Sprintf("it is %s", t.Status), err
	}
	moving, err := p.Board.Promotable(ctx, p.rules.FailureLimit)
	switch {
	case err != nil:
		return "", err
	case slices.ContainsFunc(moving, func(m board.Promotion) bool { return m.Task == t.ID }):
		return fmt.Sprintf("it is %s; the next tick moves it on", t.Status), nil
	case t.Status == core.Todo:
		return "it is todo: it waits for something that is not linked", nil
	}
	return fmt.Sprintf("it is %s", t.Status), nil
}

func (p *pass) openParents(ctx context.Context, c candidate) (string, error) {
	parents, err := p.Board.OpenParents(ctx, c.task.ID)
	if err != nil || len(parents) == 0 {
		return "", err
	}
	return "waits for " + strings.Join(parents, ", "), nil
}

func (p *pass) memoryGate(context.Context, candidate) (string, error) { return p.memoryShort(), nil }

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
	if p.memoryShort() != "" {
		return "", nil // a gate of its own
	}
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

func (d *Dispatcher) networkGate() string {
	switch remote, kind, err := d.networkFS(); {
	case err != nil:
		return err.Error()
	case remote:
		return networkWords(kind)
	}
	return ""
}

// dispatcherGate says why no dispatcher of this program is there to start the
// card.
func (d *Dispatcher) dispatcherGate() string {
	switch held, err := home.Held(d.Place.LoopLock()); {
	case err != nil:
		return fmt.Sprintf("cannot tell whether a dispatcher runs on this board: %v", err)
	case held:
		return ""
	}
	return "no dispatcher runs on this board"
}
