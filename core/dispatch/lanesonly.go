package dispatch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// isLane reports whether a worker for the name is started by this program alone:
// a lane of our configuration, which no gateway can start.
func (d *Dispatcher) isLane(name string) bool {
	return d.Lane != nil && d.Lane(strings.ToLower(strings.TrimSpace(name)))
}

// Lane reports whether the assignee is a lane of our configuration that no Hermes
// profile stands in the way of.
func (w *Workers) Lane(assignee string) bool {
	_, lane := w.Settings().Lanes[assignee]
	return lane && !w.Home.HasProfile(assignee)
}

// A tick that serves lanes only starts, watches and ends the workers of lanes and
// brings their results to the board. Broken claims, stray bookkeeping and
// promotions need no worker of ours and are the gateway's.

// leftToGateway reports whether a tick that serves lanes only leaves everything
// about the name to the Hermes gateway beside it.
func (p *pass) leftToGateway(name string) bool { return p.LanesOnly && !p.isLane(name) }

// watched leaves out the running cards that the gateway watches. A worker
// belongs to whoever it was started for, which the run remembers.
func (p *pass) watched(cards []board.RunningCard) []board.RunningCard {
	return slices.DeleteFunc(cards, func(c board.RunningCard) bool {
		if c.Run != nil && c.Run.Profile != "" {
			return p.leftToGateway(c.Run.Profile)
		}
		return p.leftToGateway(c.Task.Assignee)
	})
}

// gatewayStarts reports whether a card of this owner is one that the gateway
// beside a tick for lanes only can start, and so nothing to complain about. That
// no Hermes is found from here says nothing about the gateway.
func (p *pass) gatewayStarts(owner string) bool {
	return p.LanesOnly && p.Home.HasProfile(cmp.Or(owner, p.rules.DefaultAssignee))
}

// asks says for whom a card of the queue asks in a tick that serves lanes only.
// An unowned card is the gateway's, unless the default assignee is a lane.
func (p *pass) asks(owner string, lane core.Status) string {
	return p.assignee(candidate{core.Task{Assignee: owner, Status: lane}, lane})
}
