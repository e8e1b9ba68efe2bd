package home

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Active returns the slug of the board that is used when none is asked for:
// HERMES_KANBAN_BOARD, else the file kanban/current, else the default board.
// A choice that names no board is passed over; the notice then says so in one
// line. Nothing is created.
func (h *Home) Active() (slug, notice string) {
	var passed []string
	try := func(source, text string) bool {
		s, err := ParseSlug(text)
		switch {
		case err != nil:
			passed = append(passed, fmt.Sprintf("%s says %q, which is no slug of a board", source, clip(text)))
		case !h.hasBoard(s):
			passed = append(passed, fmt.Sprintf("%s says %q, but there is no such board", source, s))
		default:
			slug = s
			return true
		}
		return false
	}
	pick := func() {
		if text := strings.TrimSpace(h.env.Get("HERMES_KANBAN_BOARD")); text != "" && try("HERMES_KANBAN_BOARD", text) {
			return
		}
		text, err := h.current()
		if err != nil {
			passed = append(passed, fmt.Sprintf("the active board cannot be read: %v", err))
		}
		if text != "" && try(fmt.Sprintf("%q", h.currentFile()), text) {
			return
		}
		slug = DefaultBoard
	}
	pick()
	if len(passed) > 0 {
		notice = fmt.Sprintf("%s; using board %q", strings.Join(passed, "; "), slug)
	}
	return slug, notice
}

func (h *Home) currentFile() string { return filepath.Join(h.kanban(), "current") }

// current returns the first line of the file that names the active board,
// trimmed and empty if there is no such file. Editors of Windows start it with
// a byte order mark.
func (h *Home) current() (string, error) {
	data, err := readFile(h.currentFile(), 4096, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	data = trimBOM(data)
	if end := bytes.IndexAny(data, "\r\n"); end >= 0 {
		data = data[:end]
	}
	return strings.TrimSpace(string(data)), nil
}

// clip keeps a text from outside short enough for a line on screen.
func clip(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return text
}
