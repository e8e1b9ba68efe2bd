package dispatch

import (
	"context"
	"math"
	"reflect"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// steady is what a tick that wrote nothing has found out about the queue. While
// the board has not moved and nothing else that it rests on has changed, the
// next tick need not read the queue again.
type steady struct {
	valid   bool
	mark    board.Mark // of the board when the tick began, and still when it ended
	rules   Rules
	options Options
	due     int64            // epoch seconds at which a guard ends
	owners  map[string]owner // what was known of every name that was asked for
	skipped []Note
	would   []Spawned
	queued  int
	strays  bool // the pass found stray bookkeeping, which processes may free
}

// never is a moment that does not come.
const never = int64(math.MaxInt64)

// unmoved reports whether the board is where the last tick left it.
func (p *pass) unmoved() bool {
	s := p.steady
	return s.valid && s.mark == p.mark && s.options == p.Options && p.Now() < s.due && reflect.DeepEqual(s.rules, p.rules)
}

// recall gives the report what the last tick found out about the queue, and
// reports whether that still holds.
func (p *pass) recall() bool {
	s := p.steady
	if !p.unmoved() || len(p.released) > 0 {
		return false
	}
	for name, was := range s.owners {
		if p.owner(name) != was {
			return false
		}
	}
	p.Skipped = append(p.Skipped, s.skipped...)
	p.WouldSpawn = append(p.WouldSpawn, s.would...)
	p.Queued += s.queued
	return true
}

// owner is what a tick knows of somebody whom cards ask for. It rests on
// profiles and on configuration, which the board knows nothing of.
type owner struct {
	closed  string // why nobody can be started, empty if somebody can
	gateway bool   // left to the gateway beside us
}

func (p *pass) owner(name string) owner { return owner{p.mayRun(name), p.leftToGateway(name)} }

// remember keeps what this tick found out, if it rests on the board alone: a tick
// that wrote, that failed at something, or that waits for processes, memory or
// other boards, is no ground for the next one.
func (p *pass) remember(ctx context.Context) {
	mark, err := p.Board.Mark(ctx)
	owners := map[string]owner{}
	for name := range p.names {
		owners[name] = p.owner(name)
	}
	p.Dispatcher.steady = steady{
		valid: err == nil && mark == p.mark && !p.unsettled, mark: mark, rules: p.rules, options: p.Options, due: p.due,
		owners: owners, skipped: p.Skipped, would: p.WouldSpawn, queued: p.Queued, strays: p.strays,
	}
}
