package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/ui/columns"
)

// State is what is remembered of a board between two screens over it. It is
// ours alone and never stands on the board.
type State struct {
	Density  string `json:"density,omitempty"`
	Order    string `json:"order,omitempty"`
	Lanes    bool   `json:"lanes,omitempty"`
	Archived bool   `json:"archived,omitempty"`
	Filter   string `json:"filter,omitempty"`
	Theme    string `json:"theme,omitempty"`
	Dispatch bool   `json:"dispatch,omitempty"` // always dispatch this board
	// OnlyLanes narrows Dispatch to lanes.
	OnlyLanes bool `json:"dispatch_only_lanes,omitempty"`
	// Badges are the cards that nobody has looked at since something happened to
	// them: "reconciled" or "quarantined" by id.
	Badges map[string]string `json:"badges,omitempty"`
	// Newest is the newest event that was on the screen, 0 for none.
	Newest int64 `json:"newest,omitempty"`
}

// Store keeps the state of one board in a file of its own.
type Store struct{ Path string }

// largestState bounds what is read back.
const largestState = 1 << 20

// Load reads the state. A file that is not there, is damaged or was written by
// another program gives the zero state: it is only a convenience.
func (s Store) Load() State {
	var state State
	info, err := os.Stat(s.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largestState {
		return State{}
	}
	data, err := os.ReadFile(s.Path)
	if err != nil || json.Unmarshal(data, &state) != nil {
		return State{}
	}
	return state
}

// Save writes the state, so that the file is always whole.
func (s Store) Save(state State) error {
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("remember the view of the board: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return fmt.Errorf("remember the view of the board: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(s.Path), ".state-*")
	if err != nil {
		return fmt.Errorf("remember the view of the board: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), s.Path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // half a state is of no use
		return fmt.Errorf("remember the view of the board in %q: %w", s.Path, err)
	}
	return nil
}

// restore puts the screen as it was left.
func (m *Model) restore(s State) {
	if s.Density != "" {
		m.board.SetDensity(columns.DensityNamed(s.Density))
	}
	m.board.SetOrder(columns.OrderNamed(s.Order))
	m.board.SetLanes(s.Lanes)
	if s.Archived != m.board.Archived() {
		m.board.ToggleArchived()
	}
	if s.Filter != "" {
		m.filter.set(s.Filter)
		m.board.SetFilter(m.filter.keep())
	}
	if s.Theme != "" && m.opts.Theme == "" {
		m.theme = s.Theme
		m.setTheme(s.Theme)
	}
	for id, badge := range s.Badges {
		m.board.Mark(id, columns.BadgeNamed(badge))
	}
	m.newest, m.always = s.Newest, s.Dispatch
	if s.Dispatch && s.OnlyLanes {
		m.serveLanes(true)
	}
}

// state is the screen as it would be restored.
func (m *Model) state() State {
	return State{
		Density: m.board.Density().String(), Order: m.board.Order().String(), Lanes: m.board.Lanes(), Archived: m.board.Archived(),
		Filter: m.filter.value(), Theme: m.theme, Dispatch: m.always, OnlyLanes: m.always && m.disp.lanesOnly, Badges: m.board.Marks(), Newest: m.newest,
	}
}

// save writes the state off the screen's goroutine, if anything of it changed.
func (m *Model) save() tea.Cmd {
	if !m.touched || m.deps.Keep == nil {
		return nil
	}
	m.touched = false
	keep, state, log := m.deps.Keep, m.state(), m.log
	return m.ask(func(context.Context) tea.Msg {
		if err := keep(state); err != nil {
			log.Warn("the view is not remembered", "error", err)
		}
		return nil
	})
}

// saveNow writes the state at the end, when nothing else is drawn any more.
func (m *Model) saveNow() {
	if !m.touched || m.deps.Keep == nil {
		return
	}
	if err := m.deps.Keep(m.state()); err != nil {
		m.log.Warn("the view is not remembered", "error", err)
	}
}
