package main

import (
	"context"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/attention"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/worker"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// attention watches the board of a dispatcher for cards that need somebody and
// runs the person's command for them.
func (a *app) attention(d *dispatch.Dispatcher) *attention.Watch {
	settings := a.settings()
	return &attention.Watch{
		Board: d.Board, Now: now,
		Served: func(t core.Task) bool {
			rules := d.Rules()
			return rules.ReviewDispatch && rules.Allows(t.Assignee) && d.Starter.Knows(t.Assignee) == ""
		},
		Tell: func(ctx context.Context, call attention.Call) error {
			argv := settings().NotifyCommand
			if len(argv) == 0 {
				return nil
			}
			program, err := worker.FindProgram(argv[0], a.home.Env().Vars)
			if err != nil {
				return err
			}
			command := attention.Command{
				Argv: append([]string{program}, argv[1:]...), Env: a.home.Env().Vars, Board: a.place.Slug, Clean: text.Clean,
			}
			return command.Tell(ctx, call)
		},
	}
}

// callForHelp tells of the cards that newly need somebody.
func (p *post) callForHelp(ctx context.Context, r *dispatch.Report) {
	var quarantined []attention.Call
	for _, q := range r.Quarantined {
		quarantined = append(quarantined, attention.Call{Task: q.Task, Reason: "quarantined: " + q.Reason})
	}
	if err := p.attention.Look(ctx, quarantined); err != nil {
		if ctx.Err() == nil {
			p.complain(err)
		}
		return
	}
	if err := p.attention.Call(ctx); err != nil && ctx.Err() == nil {
		p.say(p.prefix() + err.Error())
	}
}
