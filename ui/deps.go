package ui

import (
	"context"
	"log/slog"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// Board is what the screen reads. Its methods are called from several
// goroutines.
type Board interface {
	// Poll reports cheaply whether the board moved since the last Snapshot.
	Poll(ctx context.Context) (changed bool, err error)
	Snapshot(ctx context.Context) (*core.Snapshot, error)
	// Detail returns core.ErrNotFound for a card that is gone.
	Detail(ctx context.Context, id string) (*core.Detail, error)
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
	// Hindrance names what kept a tick from running ("held by pid 4242",
	// "emergency stop"), empty for nothing.
	Hindrance func(ctx context.Context) string

	// Stand looks what stands behind a card; Requeue acts on what it said.
	Stand   func(ctx context.Context, id string) (operator.Standing, error)
	Requeue func(ctx context.Context, seen operator.Standing, saysDead bool) error

	// Findings is a dry run; Reconcile repairs the named cards and returns the
	// ids of those that it did repair.
	Findings  func(ctx context.Context) ([]reconcile.Finding, error)
	Reconcile func(ctx context.Context, ids []string) ([]string, error)

	// Replay brings the journals of a card to the board, those of all cards for
	// an empty id, and answers in words.
	Replay func(ctx context.Context, id string) (string, error)

	// Known reports whether a worker can be started for this assignee.
	Known func(assignee string) bool
	// Notices are standing remarks about the board, shown as banners.
	Notices func() []string

	Now func() time.Time
}

// Options is how a person wants the screen.
type Options struct {
	Theme   string // a name of package themes; empty follows the terminal
	NoColor bool
	ASCII   bool // borders and signs for terminals without Unicode
	Still   bool // nothing moves

	// Dispatch starts the dispatcher with the screen; otherwise the board is
	// only watched until a person says so. Interval is the time between ticks.
	Dispatch bool
	Interval time.Duration

	// LogPath is named after a crash, whose stack went to Log.
	Log     *slog.Logger
	LogPath string
}
