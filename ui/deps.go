package ui

import (
	"context"
	"io"
	"log/slog"
	"os/exec"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/themes"
)

// Board is what the screen reads. Its methods are called from several
// goroutines.
type Board interface {
	// Poll reports cheaply whether the board moved since the last Snapshot.
	Poll(ctx context.Context) (changed bool, err error)
	Snapshot(ctx context.Context) (*core.Snapshot, error)
	// Detail returns core.ErrNotFound for a card that is gone.
	Detail(ctx context.Context, id string) (*core.Detail, error)
	// Generation counts how often another file took the board's place.
	Generation() int
}

// Deps is what the screen shows and can ask for. A nil function means that
// this cannot be done here; the screen says so when its key is pressed.
type Deps struct {
	Board     Board
	BoardName string
	BoardPath string

	// Tick runs one pass of the dispatcher. NoTick says why it is nil.
	Tick   func(ctx context.Context) (*dispatch.Report, error)
	NoTick string
	// Beside says who else dispatches here and which lanes are configured. Ticks
	// after ServeLanes start and watch the workers of lanes only, which a Hermes
	// gateway does not; nil where that cannot be chosen.
	Beside     func(ctx context.Context) Beside
	ServeLanes func(only bool)
	// Hindrance names what kept a tick from running ("held by pid 4242",
	// "emergency stop"), empty for nothing.
	Hindrance func(ctx context.Context) string

	// Stand looks what stands behind a card; Requeue acts on what it said.
	Stand   func(ctx context.Context, id string) (operator.Standing, error)
	Requeue func(ctx context.Context, seen operator.Standing, saysDead bool) error

	// Acts change single cards. Writable is asked before each of them and says
	// why nothing may be written yet, or at all.
	Acts     Acts
	Writable func(ctx context.Context) error

	// Findings is a dry run; Reconcile repairs the named cards and returns the
	// ids of those that it did repair.
	Findings  func(ctx context.Context) ([]reconcile.Finding, error)
	Reconcile func(ctx context.Context, ids []string) ([]string, error)

	// Replay brings the journals of a card to the board, those of all cards for
	// an empty id, and answers in words.
	Replay func(ctx context.Context, id string) (string, error)

	Journals Journals

	// Known reports whether a worker can be started for this assignee; Names
	// lists those for whom one can.
	Known func(assignee string) bool
	Names func() []string

	// Why lists the gates between a card and a running worker, in their order.
	Why func(ctx context.Context, id string) ([]dispatch.Gate, error)
	// Log opens what the workers of a card wrote.
	Log func(id string) (Log, error)

	// Boards lists the boards of this home; Open returns what a screen over
	// another of them needs.
	Boards func(ctx context.Context) ([]BoardInfo, error)
	Open   func(ctx context.Context, name string) (Deps, error)

	// Create makes the board whose file is missing and returns what a screen over
	// it needs; nil where that is not for this program to do.
	Create func(ctx context.Context) (Deps, error)

	// Emergency stops everything, nil where that cannot be reached.
	Emergency *EmergencyStop

	// Editor is the person's editor for a file, nil without one. Its files are
	// made in DraftDir.
	Editor   func(path string) *exec.Cmd
	DraftDir string

	// Kept is what was remembered of this board; Keep remembers it anew.
	Kept State
	Keep func(State) error

	// Notices are standing remarks about the board, shown as banners.
	Notices func() []string

	Now func() time.Time
}

// Beside is what stands beside the dispatcher of a screen.
type Beside struct {
	Gateway bool // a Hermes gateway dispatches on this home
	Lanes   []string
}

// BoardInfo is a board of this home.
type BoardInfo struct {
	Name   string // what Open takes
	Title  string // what it is called, if it has another name
	Counts map[core.Status]int
	Err    error // why it cannot be read
}

// Options is how a person wants the screen.
type Options struct {
	Theme   string // a name of Themes; empty follows the terminal
	Themes  themes.Set
	NoColor bool
	ASCII   bool // borders and signs for terminals without Unicode
	Still   bool // nothing moves
	Mouse   bool // clicks are taken from the start
	Tmux    bool // what is meant for the terminal goes through tmux
	Notify  bool // tell of a card that needs a person while nobody looks
	Density string
	Columns []core.Status // the columns to show, in order; nil for the usual ones
	// Keys gives actions other keys than their own, by the name of the action.
	Keys map[string][]string

	// Dispatch starts the dispatcher with the screen; otherwise the board is
	// only watched until a person says so. Interval is the time between ticks.
	Dispatch bool
	Interval time.Duration

	// Terminal is written to once, after the end: to undo what this program asked
	// of the terminal. Nil where there is none.
	Terminal io.Writer

	// LogPath is named after a crash, whose stack went to Log.
	Log     *slog.Logger
	LogPath string
}
