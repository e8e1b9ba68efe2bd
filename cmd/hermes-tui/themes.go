package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/themes"
)

func (a *app) themesCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "themes",
		Short: "List the themes of the screen, and what is wrong with your own",
		Long: "Lists the names that the configuration (theme) and HERMES_TUI_THEME take; the first is the default. Files of\n" +
			"your own that cannot be used, and texts in them that are hard to read, are told on standard error.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if markdown {
				a.write([]byte(themes.KeyTable()))
				return nil
			}
			return a.listThemes()
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the keys of a theme file as Markdown")
	cmd.AddCommand(&cobra.Command{
		Use:   "show NAME",
		Short: "Print a theme as a file, to begin one of your own with",
		Args:  exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			h, err := home.Find(a.env)
			if err != nil {
				return err
			}
			set, _ := themesOf(h)
			theme, err := set.Pick(args[0], true)
			if err != nil {
				return usage(err)
			}
			if theme.Plain {
				return usage(fmt.Errorf("the theme %q has no colours; show another one", args[0]))
			}
			a.write([]byte(theme.File()))
			return nil
		},
	})
	return cmd
}

func (a *app) listThemes() error {
	h, err := home.Find(a.env)
	if err != nil {
		return err
	}
	set, faults := themesOf(h)
	remarks := slices.Concat(faults, hardToRead(set))
	if a.flags.json {
		a.printJSON(map[string]any{"themes": set.Names(), "problems": append([]string{}, faults...), "warnings": append([]string{}, hardToRead(set)...)})
	} else {
		for _, name := range set.Names() {
			a.print("%s", name)
		}
	}
	for _, r := range remarks {
		a.say(r)
	}
	if len(faults) > 0 {
		return coded{errQuiet, exitFailed}
	}
	return nil
}

// themesOf is every theme that can be chosen in this home, and what is wrong
// with the person's own files.
func themesOf(h *home.Home) (themes.Set, []string) {
	var set themes.Set
	var faults []string
	files, err := h.ThemeFiles()
	for _, f := range files {
		theme, err := themes.Theme{}, f.Err
		if err == nil {
			theme, err = themes.Parse(f.Name, f.Data)
		}
		if err != nil {
			err = fmt.Errorf("theme %q: %w", f.Path, err)
			faults = append(faults, err.Error())
			set.Refuse(f.Name, err)
			continue
		}
		set.Add(theme)
	}
	if err != nil {
		faults = append(faults, err.Error())
	}
	return set, faults
}

// hardToRead names the texts of the person's own themes that have too little
// contrast, one line for each theme.
func hardToRead(set themes.Set) []string {
	var list []string
	for _, t := range set.Own() {
		if pairs := t.HardToRead(themes.Readable); len(pairs) > 0 {
			list = append(list, fmt.Sprintf("theme %q is hard to read: %s%s; %.1f is the least", t.Name, pairs[0], andMore(len(pairs)-1), themes.Readable))
		}
	}
	return list
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}
