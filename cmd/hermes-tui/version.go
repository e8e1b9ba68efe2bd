package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/themes"
)

// build is what this program is.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func thisBuild() build {
	return build{Version: version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.flags.json {
				a.printJSON(b)
				return nil
			}
			a.print("hermes-tui %s (%s, %s/%s)", b.Version, b.Go, b.OS, b.Arch)
			return nil
		},
	}
}

func (a *app) themesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "themes",
		Short: "List the themes of the screen",
		Long:  "Lists the names that the configuration (theme) and HERMES_TUI_THEME take; the first is the default.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.flags.json {
				a.printJSON(map[string]any{"themes": themes.Names()})
				return nil
			}
			for _, name := range themes.Names() {
				a.print("%s", name)
			}
			return nil
		},
	}
}
