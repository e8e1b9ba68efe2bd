package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hermes-tui/hermes-tui/core"
)

// Workspace is the folder a worker works in. Nothing here ever deletes one.
type Workspace struct {
	Path   string // absolute, and there
	Branch string // of a worktree, else empty
}

// errNotAbsolute: a relative path would mean something else for each program.
var errNotAbsolute = errors.New("the path is not absolute")

// resolveWorkspace finds or makes the workspace of a card. Every error begins
// with "workspace: ", which is how Hermes tells them from failed starts.
func resolveWorkspace(ctx context.Context, s Spec, env []string) (Workspace, error) {
	at, err := workspaceOf(ctx, s, env)
	if err != nil {
		return Workspace{}, fmt.Errorf("workspace: %w", err)
	}
	return at, nil
}

func workspaceOf(ctx context.Context, s Spec, env []string) (Workspace, error) {
	switch s.Task.WorkspaceKind {
	case "", "scratch":
		path := s.Task.WorkspacePath
		if path == "" {
			path = filepath.Join(s.Board.Workspaces, s.Task.ID)
		}
		return folder(path, env)
	case "dir":
		if s.Task.WorkspacePath == "" {
			return Workspace{}, fmt.Errorf("card %q wants a folder but names none; give it a path: %w", s.Task.ID, core.ErrInvalid)
		}
		return folder(s.Task.WorkspacePath, env)
	case "worktree":
		return worktree(ctx, s, env)
	}
	return Workspace{}, fmt.Errorf("card %q has the unknown kind %q: %w", s.Task.ID, s.Task.WorkspaceKind, core.ErrInvalid)
}

// folder makes sure that the folder is there.
func folder(path string, env []string) (Workspace, error) {
	path, err := absolute(path, env)
	if err != nil {
		return Workspace{}, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return Workspace{}, fmt.Errorf("make the folder: %w", err)
	}
	return Workspace{Path: path}, nil
}

func absolute(path string, env []string) (string, error) {
	expanded, err := expandHome(path, env)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(expanded) {
		return "", fmt.Errorf("%w: %q; give the card an absolute one", errNotAbsolute, path)
	}
	return filepath.Clean(expanded), nil
}
