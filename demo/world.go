package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// World is a demo home with one board.
type World struct {
	Dir   string // the temporary folder that holds everything
	Home  *home.Home
	Place home.Board
}

// Build makes the world: a home in a new temporary folder, a configuration with
// the lanes of the fake agents, and an empty board. program is the absolute path
// of this program, which plays the agents too. busy is how long a statement may
// wait for a lock.
func Build(ctx context.Context, env home.Env, program string, busy time.Duration) (*World, error) {
	dir, err := os.MkdirTemp("", "hermes-tui-demo-")
	if err != nil {
		return nil, fmt.Errorf("make the demo's folder: %w", err)
	}
	w, err := build(ctx, dir, env, program, busy)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("build the demo in %q: %w", dir, err), os.RemoveAll(dir))
	}
	return w, nil
}

func build(ctx context.Context, dir string, env home.Env, program string, busy time.Duration) (*World, error) {
	// Links in the way of the temporary folder would make two names for one file.
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	settings := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(settings, []byte(lanes(program)), 0o600); err != nil {
		return nil, err
	}
	h, err := home.Find(isolated(env, dir, settings))
	if err != nil {
		return nil, err
	}
	place, err := h.Board(home.DefaultBoard)
	if err != nil {
		return nil, err
	}
	if err := board.Create(ctx, place.DB, busy); err != nil {
		return nil, err
	}
	return &World{Dir: dir, Home: h, Place: place}, nil
}

// isolated is the environment of the demo: nothing of the person's Hermes is
// left in it, so that neither this program nor an agent can find the way to a
// board of theirs.
func isolated(env home.Env, dir, settings string) home.Env {
	var vars []string
	for _, v := range env.Vars {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "HERMES_") && name != "HERMES_TUI_THEME" || strings.HasPrefix(name, "XDG_") {
			continue
		}
		vars = append(vars, v)
	}
	env.Vars = append(vars,
		"HERMES_HOME="+dir, "HERMES_KANBAN_HOME="+dir, "HERMES_TUI_CONFIG="+settings, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	return env
}

// Remove deletes the world's folder. The workers must be gone before.
func (w *World) Remove() error {
	if err := os.RemoveAll(w.Dir); err != nil {
		return fmt.Errorf("remove the demo's folder: %w", err)
	}
	return nil
}
