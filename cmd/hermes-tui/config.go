package main

import (
	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
)

func (a *app) configCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "List the keys of the configuration",
		Long:  "Lists every key of this program's own config.yaml with its values, its default and its meaning. The path of the\nfile in force is in: hermes-tui doctor.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case a.flags.json:
				a.printJSON(map[string]any{"sections": home.Reference()})
			case markdown:
				a.write([]byte(home.ReferenceTable()))
			default:
				for i, s := range home.Reference() {
					if i > 0 {
						a.print("")
					}
					a.print("%s", s.Name)
					var rows [][]string
					for _, k := range s.Keys {
						rows = append(rows, []string{"  " + k.Key, orDash(k.Default), k.Type})
					}
					a.write([]byte(tabulate(rows, a.columns())))
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the tables as Markdown")
	return cmd
}
