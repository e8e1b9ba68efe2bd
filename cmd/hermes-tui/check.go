package main

import (
	"context"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// check looks whether the board keeps what must always be true of it. It changes
// nothing; what a tick would repair is listed like everything else.
func (a *app) check(ctx context.Context) error {
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	violations, err := b.Check(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		a.printJSON(map[string]any{"violations": violations})
	} else {
		for _, v := range violations {
			a.print("%-12s %s: %s", text.Clean(v.Task), v.Rule, text.Clean(v.What))
		}
		a.print("%s", core.Count(len(violations), "violation"))
	}
	if len(violations) > 0 {
		return coded{errQuiet, exitFailed}
	}
	return nil
}
