package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "why TASK",
		Short: "List every gate between a card and a running worker",
		Long: "Lists the gates in the order in which a dispatcher asks them; the first closed one is marked. Of a\n" +
			"running card it says what stands behind it and whether it is held.",
		Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0]) },
	}
}

// explained is what why prints as JSON. No closed gate: an empty name.
type explained struct {
	Task        string          `json:"task"`
	Gates       []dispatch.Gate `json:"gates"`
	FirstClosed string          `json:"first_closed"`
}

func (a *app) why(ctx context.Context, id string) error {
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	d, err := a.dispatcher(b)
	if err != nil {
		return err
	}
	gates, err := d.Why(ctx, id)
	if err != nil {
		return a.elsewhere(ctx, id, err)
	}
	first := dispatch.FirstClosed(gates)
	if a.flags.json {
		a.printJSON(explained{id, gates, first})
		return nil
	}
	a.write([]byte(tabulate(gateRows(gates, first), 0)))
	if first == "" {
		a.print("nothing holds it: the next tick may start it")
	}
	return nil
}

// gateRows is the list for a person. What opens a gate is told of the first
// closed one alone: it has to be opened first.
func gateRows(gates []dispatch.Gate, first string) [][]string {
	var rows [][]string
	for _, g := range gates {
		mark, words := " ", "open"
		if !g.Open {
			words = "closed: " + g.Reason
		}
		rows = append(rows, []string{mark, g.Name, words})
		if g.Name == first {
			rows[len(rows)-1][0] = ">"
			rows = append(rows, []string{" ", "", "opens: " + g.Opens})
		}
	}
	return rows
}
