package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoBoard: no board of this home has that slug.
var ErrNoBoard = errors.New("no such board")

// Board says where the parts of one board are. Only the board's folder or file
// was looked at: the database need not exist.
type Board struct {
	Slug        string
	DB          string // absolute path of the database file
	Workspaces  string // a folder per task id
	Attachments string // a folder per task id
	Logs        string // TASKID.log of the workers
	// StateRoot holds the journals of lanes. It belongs to the file DB: two
	// files never share one.
	StateRoot string
	Meta      Meta
}

// DispatchLock is the lock around one tick, shared with Hermes.
func (b Board) DispatchLock() string { return b.DB + ".dispatch.lock" }

// InitLock is the lock around the creation of the board, shared with Hermes.
func (b Board) InitLock() string { return b.DB + ".init.lock" }

// LoopLock is held by a screen or a loop of this program for as long as it
// dispatches. Its text is a Holder.
func (b Board) LoopLock() string { return b.DB + ".hermes-tui.lock" }

// Board returns the board of that slug, which is normalised first. A text that
// is no slug wraps core.ErrInvalid; a board that this home does not have wraps
// ErrNoBoard.
func (h *Home) Board(slug string) (Board, error) {
	s, err := ParseSlug(slug)
	if err != nil {
		return Board{}, err
	}
	if !h.hasBoard(s) {
		return Board{}, fmt.Errorf("%w: %q is not in %q; see the list of boards, or create it", ErrNoBoard, s, h.boards())
	}
	return h.board(s, or(h.pinnedDB, h.ownDB(s))), nil
}

// BoardAt returns the board in an explicitly named database file. An empty
// slug asks which board of this home the file belongs to; a file of no board
// is called default.
func (h *Home) BoardAt(db, slug string) (Board, error) {
	path, err := h.env.Abs(db)
	if err != nil {
		return Board{}, err
	}
	if slug != "" {
		s, err := ParseSlug(slug)
		if err != nil {
			return Board{}, err
		}
		return h.board(s, path), nil
	}
	slugs, err := h.slugs()
	if err != nil {
		return Board{}, err
	}
	for _, s := range slugs {
		if sameFile(path, h.ownDB(s)) {
			return h.board(s, path), nil
		}
	}
	return h.board(DefaultBoard, path), nil
}

// Boards lists the boards of this home: default first, the others by slug.
func (h *Home) Boards() ([]Board, error) {
	slugs, err := h.slugs()
	if err != nil {
		return nil, err
	}
	boards := make([]Board, 0, len(slugs))
	for _, s := range slugs {
		boards = append(boards, h.board(s, or(h.pinnedDB, h.ownDB(s))))
	}
	return boards, nil
}

func (h *Home) slugs() ([]string, error) {
	entries, err := os.ReadDir(h.boards())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list boards: %w", err)
	}
	var slugs []string
	for _, e := range entries {
		if s := e.Name(); s != DefaultBoard && name.MatchString(s) && h.hasBoard(s) {
			slugs = append(slugs, s)
		}
	}
	slices.SortFunc(slugs, strings.Compare)
	return append([]string{DefaultBoard}, slugs...), nil
}

// board puts together the paths of a valid slug.
func (h *Home) board(slug, db string) Board {
	base := h.kanban()
	if slug != DefaultBoard {
		base = h.boardDir(slug)
	}
	return Board{
		Slug:        slug,
		DB:          db,
		Workspaces:  or(h.workspaces, filepath.Join(base, "workspaces")),
		Attachments: or(h.attachments, filepath.Join(base, "attachments")),
		Logs:        filepath.Join(base, "logs"),
		StateRoot:   h.stateRootOf(slug, db),
		Meta:        h.readMeta(slug),
	}
}

// stateRootOf keeps journals with the file they belong to: a journal of this
// home must never be replayed into another file.
func (h *Home) stateRootOf(slug, db string) string {
	switch {
	case h.stateRoot != "":
		return h.stateRoot
	case sameFile(db, h.ownDB(slug)):
		return filepath.Join(h.kanban(), "cli-lanes")
	}
	return db + ".lanes"
}

func (h *Home) boards() string { return filepath.Join(h.kanban(), "boards") }

func (h *Home) boardDir(slug string) string { return filepath.Join(h.boards(), slug) }

// ownDB is the file that this home keeps the board in when nothing pins it.
func (h *Home) ownDB(slug string) string {
	if slug == DefaultBoard {
		return filepath.Join(h.Root, "kanban.db")
	}
	return filepath.Join(h.boardDir(slug), "kanban.db")
}

func (h *Home) hasBoard(slug string) bool {
	if slug == DefaultBoard {
		return true
	}
	dir := h.boardDir(slug)
	return exists(filepath.Join(dir, "board.json")) || exists(filepath.Join(dir, "kanban.db"))
}

// sameFile compares where two paths lead once links are followed; neither has
// to exist.
func sameFile(a, b string) bool { return a == b || resolve(a) == resolve(b) }
