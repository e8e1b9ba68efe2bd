package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Exit codes. 3 and 75 win over 1 where several cards were named.
const (
	exitDone     = 0
	exitFailed   = 1  // refused or failed
	exitUsage    = 2  // the command line makes no sense
	exitUnusable = 3  // the board is missing, damaged or no board
	exitLater    = 75 // locked by somebody else; try again
)

// errElsewhere: the card is not on this board but on another one of this home.
var errElsewhere = errors.New("not on")

// errQuiet is a failure whose words are already on standard output.
var errQuiet = errors.New("already reported")

// coded is an error that carries its own exit code.
type coded struct {
	error
	exit int
}

func (c coded) Unwrap() error { return c.error }

// exitCode is the exit code that err deserves.
func exitCode(err error) int {
	var c coded
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &c):
		return c.exit
	case isUsage(err), unknownCommand(err), errors.Is(err, core.ErrInvalid):
		return exitUsage
	case errors.Is(err, board.ErrBusy), errors.Is(err, home.ErrHeld), errors.Is(err, context.DeadlineExceeded):
		return exitLater
	case board.Unusable(err):
		return exitUnusable
	}
	return exitFailed
}

// errorCode is the stable word that scripts get for err.
func errorCode(err error) string {
	switch {
	case isUsage(err), unknownCommand(err), errors.Is(err, core.ErrInvalid):
		return "usage"
	case errors.Is(err, errElsewhere):
		return "not_here"
	case errors.Is(err, core.ErrNotFound):
		return "not_found"
	case errors.Is(err, core.ErrChanged):
		return "changed"
	case errors.Is(err, board.ErrBusy), errors.Is(err, home.ErrHeld), errors.Is(err, context.DeadlineExceeded):
		return "busy"
	case errors.Is(err, board.ErrMissing):
		return "board_missing"
	case board.Unusable(err):
		return "board_unusable"
	}
	return "refused"
}

// unknownCommand recognises cobra's complaint, which has no type of its own.
func unknownCommand(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "unknown command")
}

// failure is the JSON shape of an error.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{Code: errorCode(err), Message: text.Clean(err.Error())}
}

// finish prints what went wrong, in one line, and returns the exit code.
func (a *app) finish(err error) int {
	a.close()
	if err == nil {
		err = a.unsaid
	}
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errQuiet) {
		f := failureOf(err)
		if a.flags.json {
			a.printJSON(map[string]any{"error": f})
		}
		fmt.Fprintf(a.err, "hermes-tui: %s\n", f.Message)
	}
	return exitCode(err)
}
