package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui"
)

func (a *app) keysCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "List what can be done on the screen, with its keys",
		Long:  "Lists every action of the screen with its keys, as the configuration (keys) has them. The names are what the\nconfiguration takes; the scope says where a key counts: board, page, anywhere or dialog.",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return a.keys(markdown) },
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the table as Markdown")
	return cmd
}

func (a *app) keys(markdown bool) error {
	h, err := home.Find(a.env)
	if err != nil {
		return err
	}
	settings, err := h.Settings()
	if err != nil {
		return err
	}
	list, err := ui.Bindings(settings.Keys)
	if err != nil {
		return err
	}
	switch {
	case a.flags.json:
		a.printJSON(map[string]any{"keys": list})
	case markdown:
		a.write([]byte(ui.KeyTable(list)))
	default:
		var rows [][]string
		for _, k := range list {
			rows = append(rows, []string{strings.Join(k.Keys, " "), k.Action, k.Scope, k.Help})
		}
		a.write([]byte(tabulate(rows, a.columns())))
	}
	return nil
}
