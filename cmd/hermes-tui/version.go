package main

import (
	"runtime"

	"github.com/spf13/cobra"
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
