package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// Workers starts real workers: a Hermes profile, or the lane of our own
// configuration that has the assignee's name. A profile wins over a lane of the
// same name, because that is what a gateway beside us would start.
type Workers struct {
	Home     *home.Home
	Place    home.Board
	Table    *process.Table
	Children *process.Children
	// Program is the absolute path of this program, which is the barrier that
	// every worker starts behind.
	Program  string
	Settings func() home.Settings
	Rules    func() Rules
	Sleep    func(context.Context, time.Duration) error
}

// BarrierCommand is the hidden subcommand of this program that calls
// worker.RunBarrier.
const BarrierCommand = "worker-start"

// laneCommand is the one that calls lane.Main with the name of the lane.
var laneCommand = []string{"lane", "run"}

// LaneOf reports whether the command line is that of a lane's worker, and with
// which arguments.
func LaneOf(args []string) (rest []string, ok bool) {
	n := len(laneCommand)
	if len(args) < n || !slices.Equal(args[:n], laneCommand) {
		return nil, false
	}
	return args[n:], true
}

// Knows reports whether somebody can be started for the assignee, and if not,
// why.
func (w *Workers) Knows(assignee string) (why string) {
	if w.Home.HasProfile(assignee) {
		return w.noHermes()
	}
	if _, lane := w.Settings().Lanes[assignee]; lane {
		return ""
	}
	return fmt.Sprintf("unknown profile %q", assignee)
}

// noHermes says why no Hermes worker can be started on this machine: that is
// nothing that a card should be blamed for.
func (w *Workers) noHermes() string {
	program := w.Home.HermesBin()
	if program == "" {
		program = "hermes"
	}
	if _, err := worker.FindProgram(program, w.Home.Env().Vars); err != nil {
		return "Hermes is not there: " + err.Error()
	}
	return ""
}

// Prepare makes the folder that the worker of a claimed card is to work in.
func (w *Workers) Prepare(ctx context.Context, claim board.Claimed) (board.Workspace, error) {
	spec := w.spec(claim)
	at, err := w.starter().Prepare(ctx, spec)
	if err != nil {
		return board.Workspace{}, err
	}
	return board.Workspace{Path: at.Path, Branch: at.Branch, Tip: w.tip(spec, at.Path)}, nil
}

// Start brings the worker of a claimed card up to its barrier.
func (w *Workers) Start(ctx context.Context, claim board.Claimed, at board.Workspace) (Started, error) {
	s, err := w.starter().Start(ctx, w.spec(claim), worker.Workspace{Path: at.Path, Branch: at.Branch})
	if err != nil {
		return Started{}, err
	}
	return Started{PID: s.PID, Fingerprint: s.Fingerprint, Release: s.Release, Abort: s.Abort}, nil
}

func (w *Workers) starter() *worker.Starter {
	rules := w.Rules()
	return &worker.Starter{
		Self: w.Program, Args: []string{BarrierCommand}, Env: w.environment(), Table: w.Table, Children: w.Children, Sleep: w.Sleep,
		RotateBytes: rules.WorkerLogRotateBytes, Backups: int(rules.WorkerLogBackups),
	}
}

// environment is that of this program, in which paths lead to the same places
// from a workspace: a worker that calls this program finds the same home.
func (w *Workers) environment() []string {
	env := w.Home.Env()
	vars := slices.Clone(env.Vars)
	for i, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "HERMES_HOME", "HERMES_KANBAN_HOME", "HERMES_TUI_STATE_ROOT", "HERMES_TUI_CONFIG":
			if value = strings.TrimSpace(value); value == "" {
				continue
			}
			if path, err := env.Abs(value); err == nil {
				vars[i] = name + "=" + path
			}
		}
	}
	return vars
}

func (w *Workers) spec(claim board.Claimed) worker.Spec {
	spec := worker.Spec{
		Task: claim.Task, Run: claim.Run, Lock: claim.Lock, Review: claim.Review, Profile: claim.Task.Assignee,
		Board: worker.Board{
			Slug: w.Place.Slug, DB: w.Place.DB, Workspaces: w.Place.Workspaces, Logs: w.Place.Logs,
			StateRoot: w.Place.StateRoot, DefaultWorkdir: w.Place.Meta.DefaultWorkdir,
		},
	}
	if folder, ok := w.Home.ProfileHome(claim.Task.Assignee); ok {
		spec.ProfileHome = folder
		return spec
	}
	spec.Lane = slices.Concat([]string{w.Program}, laneCommand, []string{claim.Task.Assignee})
	return spec
}

// tip tells once an installation where scratch workspaces are and that they
// stay. The file that remembers it is Hermes' own.
func (w *Workers) tip(spec worker.Spec, workspace string) string {
	if kind := spec.Task.WorkspaceKind; kind != "" && kind != "scratch" {
		return ""
	}
	sentinel := w.Home.ScratchTip()
	if _, err := os.Stat(sentinel); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	f, err := os.OpenFile(sentinel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "" // somebody else was first, or it cannot be remembered: better never than each time
	}
	_ = f.Close()
	return fmt.Sprintf("This card works in a scratch folder, %s. hermes-tui never deletes it; Hermes may, when the card is done.", workspace)
}
