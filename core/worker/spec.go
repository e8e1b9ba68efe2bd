package worker

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Board says where the files of a board are. All paths are absolute.
type Board struct {
	Slug           string
	DB             string // the database file
	Workspaces     string // workspaces root
	Logs           string // worker logs
	StateRoot      string // journals and leases; see RunDir
	DefaultWorkdir string // anchor of worktrees, or empty
}

// Spec is everything that is known of a worker before it is started.
type Spec struct {
	Task   core.Task
	Run    int64
	Lock   string // the claim lock of the run
	Review bool   // claimed from the review column
	Board  Board

	// Profile is the owner of the card: a Hermes profile, or the name of a lane.
	Profile string
	// ProfileHome is the folder of the Hermes profile; unused in a lane.
	ProfileHome string
	// Toolsets are the profile's command-line toolsets; empty leaves them to it.
	Toolsets []string
	// Lane is the command line of a lane. Empty means a Hermes profile.
	Lane []string
	// Secrets names variables of the environment that belong to other profiles
	// and are not handed on.
	Secrets []string
}

// Task ids and slugs become parts of file names and come from the board, so
// anybody who can write a row chooses them.
var (
	safeTask = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	safeSlug = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
)

func checkNames(board, task string, run int64) error {
	switch {
	case !safeSlug.MatchString(board):
		return fmt.Errorf("the board name %q cannot be part of a file name: %w", board, core.ErrInvalid)
	case !safeTask.MatchString(task):
		return fmt.Errorf("the task id %q cannot be part of a file name; make a new card with an id of Hermes' form: %w", task, core.ErrInvalid)
	case run <= 0:
		return fmt.Errorf("%d is no run id: %w", run, core.ErrInvalid)
	}
	return nil
}

func (s *Spec) check() error {
	if err := checkNames(s.Board.Slug, s.Task.ID, s.Run); err != nil {
		return err
	}
	if s.Profile == "" || strings.HasPrefix(s.Profile, "-") {
		return fmt.Errorf("%q is no profile name: %w", s.Profile, core.ErrInvalid)
	}
	return nil
}
