package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
)

// app is one invocation: what it was given and what it has opened.
type app struct {
	env   home.Env
	in    io.Reader
	out   io.Writer
	err   io.Writer
	flags struct {
		board, db string
		json      bool
		plain     bool
	}

	home   *home.Home
	place  home.Board
	times  *home.Timing
	opened []*board.Board
	unsaid error // the answer could not be written
	newID  func() string
	faults string // what was said of the settings, once
}

func newApp(env home.Env, in io.Reader, out, errOut io.Writer) *app {
	return &app{env: env, in: in, out: out, err: errOut, newID: newID}
}

// How long a statement waits for another program's lock, unless Hermes'
// variable says otherwise.
const (
	busyOnScreen = 3 * time.Second
	busyCommand  = 15 * time.Second
)

// now is the clock of the program, in epoch seconds.
func now() int64 { return time.Now().Unix() }

// newID returns a task id as Hermes makes them.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime aborts where the system has no randomness
	return "t_" + hex.EncodeToString(b[:])
}

// pid is the number of this process.
func pid() int { return os.Getpid() }

// hostName is the name of this machine as Python's gethostname sees it.
func hostName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "localhost"
	}
	return host
}

// claimer is the text of the locks that this process takes.
func claimer() string { return fmt.Sprintf("%s:%d", hostName(), pid()) }

// locate finds the home and the board that the flags and the environment name.
func (a *app) locate() error {
	if a.home != nil {
		return nil
	}
	h, err := home.Find(a.env)
	if err != nil {
		return err
	}
	place, err := a.find(h)
	if err != nil {
		return err
	}
	a.home, a.place = h, place
	return nil
}

func (a *app) find(h *home.Home) (home.Board, error) {
	if a.flags.db != "" {
		return h.BoardAt(a.flags.db, a.flags.board)
	}
	slug := a.flags.board
	if slug == "" {
		active, notice := h.Active()
		if notice != "" {
			a.say(notice)
		}
		slug = active
	}
	place, err := h.Board(slug)
	return place, noBoard(err)
}

// open opens the board for the command, which closes with the app.
func (a *app) open(ctx context.Context, busy time.Duration) (*board.Board, error) {
	if err := a.locate(); err != nil {
		return nil, err
	}
	opt := board.Options{Now: now, NewID: a.newID, Busy: a.busy(busy)}
	if a.home.DelegatedChild() {
		opt.ReadOnly = delegated
	}
	b, err := board.Open(ctx, a.place.DB, opt)
	if err != nil {
		return nil, err
	}
	a.opened = append(a.opened, b)
	return b, nil
}

// delegated says why nothing may be written.
const delegated = "this is a delegated child of Hermes, which may not write to the board"

// openToWrite opens the board for a command that changes it. What a program that
// died while writing has left half done is taken back first.
func (a *app) openToWrite(ctx context.Context) (*board.Board, error) {
	if err := a.locate(); err != nil {
		return nil, err
	}
	if err := a.mayWrite(a.home); err != nil {
		return nil, err
	}
	b, err := a.open(ctx, busyCommand)
	if !errors.Is(err, board.ErrInterrupted) {
		return b, err
	}
	if err := board.Recover(ctx, a.place.DB, a.busy(busyCommand)); err != nil {
		return nil, err
	}
	return a.open(ctx, busyCommand)
}

// mayWrite refuses a process that Hermes allows no write.
func (a *app) mayWrite(h *home.Home) error {
	if h.DelegatedChild() {
		return fmt.Errorf("%w: %s", core.ErrRefused, delegated)
	}
	return nil
}

// busy is how long a statement waits for another program's lock.
func (a *app) busy(usual time.Duration) time.Duration {
	if said := a.timing().BusyTimeout; said > 0 {
		return said
	}
	return usual
}

// timing is what the environment says about how long things may take. The home
// must be known.
func (a *app) timing() home.Timing {
	if a.times == nil {
		t, notices := a.home.Timing()
		for _, n := range notices {
			a.say(n)
		}
		a.times = &t
	}
	return *a.times
}

func (a *app) close() {
	for _, b := range a.opened {
		if err := b.Close(); err != nil {
			a.say(fmt.Sprintf("closing the board: %v", err))
		}
	}
	a.opened = nil
}

// version is what was stamped into the build, or what Go knows about it.
func version() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// stamped is set by the release build.
var stamped string
