package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hermes-tui/hermes-tui/core"
)

// Create makes the folder of a new board and its board.json; the database is
// not created here. A slug that is taken wraps core.ErrRefused. now is in
// seconds since the epoch; an empty name is derived from the slug.
func (h *Home) Create(slug string, m Meta, now int64) (Board, error) {
	s, err := ParseSlug(slug)
	if err != nil {
		return Board{}, err
	}
	if h.hasBoard(s) {
		return Board{}, fmt.Errorf("%w: board %q exists already in %q", core.ErrRefused, s, h.Root)
	}
	m.Name = or(m.Name, title(s))
	m.CreatedAt = now
	if err := h.writeMeta(s, m); err != nil {
		return Board{}, err
	}
	return h.Board(s)
}

// SwitchTo makes a board the active one of this home, for Hermes as well.
func (h *Home) SwitchTo(slug string) error {
	b, err := h.Board(slug)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(h.kanban(), 0o755); err != nil {
		return fmt.Errorf("switch to board %q: %w", b.Slug, err)
	}
	if err := writeFile(h.currentFile(), []byte(b.Slug+"\n")); err != nil {
		return fmt.Errorf("switch to board %q: %w", b.Slug, err)
	}
	return nil
}

// Archive moves the folder of a board, database included, to
// kanban/boards/_archived and returns where it is now. If it was the active
// board, the default board is active afterwards. The default board cannot be
// archived: that wraps core.ErrRefused. now is in seconds since the epoch.
func (h *Home) Archive(slug string, now int64) (string, error) {
	b, err := h.Board(slug)
	if err != nil {
		return "", err
	}
	if b.Slug == DefaultBoard {
		return "", fmt.Errorf("%w: the default board cannot be archived", core.ErrRefused)
	}
	archived := filepath.Join(h.boards(), "_archived")
	if err := os.MkdirAll(archived, 0o755); err != nil {
		return "", fmt.Errorf("archive board %q: %w", b.Slug, err)
	}
	target := freeName(filepath.Join(archived, fmt.Sprintf("%s-%d", b.Slug, now)))
	if err := os.Rename(h.boardDir(b.Slug), target); err != nil {
		return "", fmt.Errorf("archive board %q: %w", b.Slug, err)
	}
	if err := h.forget(b.Slug); err != nil {
		return target, fmt.Errorf("board %q is archived in %q, but it is still named as the active board: %w", b.Slug, target, err)
	}
	return target, nil
}

// forget removes the file that names the active board if it names this one.
func (h *Home) forget(slug string) error {
	text, err := h.current()
	if err != nil {
		return err
	}
	if normalise(text) != slug {
		return nil
	}
	if err := os.Remove(h.currentFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// freeName returns path, or path with the first number after it that is free.
// A name that cannot be looked at counts as free; using it reports the cause.
func freeName(path string) string {
	free := path
	for n := 1; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d", path, n)
	}
}
