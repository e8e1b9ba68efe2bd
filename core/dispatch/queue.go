package dispatch

import (
	"context"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// queue is the unclaimed cards of a lane, in the order in which they start.
type queue struct {
	lane  core.Status
	cards []core.Task
}

// queues reads the queue of each lane. Cards whose owner cannot be started stay
// out of it and are reported: there may be very many of them.
func (p *pass) queues(ctx context.Context) ([]queue, error) {
	var out []queue
	for _, lane := range p.lanes() {
		waiting, err := p.Board.Unclaimed(ctx, lane)
		if err != nil {
			return nil, err
		}
		moved, err := p.movedTo(ctx, lane)
		if err != nil {
			return nil, err
		}
		for _, task := range moved {
			waiting = append(waiting, board.Waiting{Task: task.ID, Owner: ownerName(task)})
		}
		owners, err := p.startable(ctx, lane, waiting)
		if err != nil {
			return nil, err
		}
		q := queue{lane: lane}
		if len(owners) > 0 {
			if q.cards, err = p.Board.Queue(ctx, lane, owners); err != nil {
				return nil, err
			}
		}
		for _, task := range moved {
			if slices.Contains(owners, ownerName(task)) {
				q.insert(task)
			}
		}
		out = append(out, q)
	}
	return out, nil
}

// movedTo are the cards that a plan would promote to a lane.
func (p *pass) movedTo(ctx context.Context, lane core.Status) ([]core.Task, error) {
	var out []core.Task
	for _, m := range p.moved {
		if m.To != lane {
			continue
		}
		task, err := p.Board.Task(ctx, m.Task)
		if err != nil {
			return nil, err
		}
		out = append(out, task)
	}
	return out, nil
}

// insert puts a card that has just come into the queue where its priority
// belongs, behind those that wait already.
func (q *queue) insert(task core.Task) {
	at := slices.IndexFunc(q.cards, func(t core.Task) bool { return t.Priority < task.Priority })
	if at < 0 {
		at = len(q.cards)
	}
	q.cards = slices.Insert(q.cards, at, task)
}

// ownerName is the name of a card's owner as profiles are compared.
func ownerName(t core.Task) string { return strings.ToLower(strings.TrimSpace(t.Assignee)) }

// startable are the owners of waiting cards for whom somebody can be started,
// nobody among them where there is a default assignee. The cards of the others
// are reported.
func (p *pass) startable(ctx context.Context, lane core.Status, waiting []board.Waiting) ([]string, error) {
	closed, owners := map[string]string{}, []string{}
	for _, w := range waiting {
		why, known := closed[w.Owner]
		if !known {
			var err error
			if why, err = firstClosed(p, ctx, candidate{core.Task{Assignee: w.Owner}, lane}, ownerGates); err != nil {
				return nil, err
			}
			closed[w.Owner] = why
			if why == "" && !p.leftToGateway(p.asks(w.Owner, lane)) {
				owners = append(owners, w.Owner)
			}
		}
		if why != "" && !p.gatewayStarts(w.Owner) {
			p.skip(w.Task, why)
		}
	}
	return owners, nil
}

// heldBack keeps one slot of the board's limit for a review that can start, so
// that finished work is looked at although new work never ends. A review that
// has to wait keeps nothing from starting.
func (p *pass) heldBack(ctx context.Context, queues []queue, caps board.Caps) board.Caps {
	if caps.Board == 0 {
		return caps
	}
	for _, q := range queues {
		if q.lane != core.Review {
			continue
		}
		for _, task := range q.cards {
			why, err := firstClosed(p, ctx, candidate{task, q.lane}, waitingGates)
			if err != nil {
				p.trouble(task.ID, err)
			}
			if err == nil && why == "" {
				caps.Board--
				caps.Full = caps.Board == 0
				return caps
			}
		}
	}
	return caps
}
