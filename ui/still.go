package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
)

// Frame draws one frame of a board as the screen would, with colours as
// escape sequences. It asks nothing of the board in deps.
func Frame(snap *core.Snapshot, deps Deps, opts Options, width, height int, darkBackground bool) (string, error) {
	m, err := NewModel(context.Background(), deps, opts)
	if err != nil {
		return "", err
	}
	m.dark = darkBackground
	m.restyle()
	m.handle(tea.WindowSizeMsg{Width: width, Height: height})
	m.take(snap, 0)
	return m.draw(), nil
}
