package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// stopping is what pause and resume are told.
type stopping struct{ all, yes bool }

func (s *stopping) flags(cmd *cobra.Command, all string) *cobra.Command {
	cmd.Flags().BoolVar(&s.all, "all", false, all)
	cmd.Flags().BoolVar(&s.yes, "yes", false, "with --all: I know that this concerns Hermes as well")
	return cmd
}

// pausing is what pause and resume print as JSON.
type pausing struct {
	Board  string `json:"board,omitempty"` // one board, or all where there is none
	Paused bool   `json:"paused"`
	Why    string `json:"why,omitempty"`
}

func (a *app) pauseCommand() *cobra.Command {
	var s stopping
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Hold the dispatchers of this program back from the board",
		Long: "Running workers go on; nothing new starts on the board, whoever dispatches with this program, until\n" +
			"resume. With --all Hermes' emergency stop is written, which holds every dispatcher of the\n" +
			"installation, those of Hermes included.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if s.all {
				return a.pauseAll(s.yes)
			}
			return a.pauseBoard()
		},
	}
	return s.flags(cmd, "stop every dispatcher of this Hermes installation")
}

func (a *app) resumeCommand() *cobra.Command {
	var s stopping
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Let dispatchers go on that pause has held back",
		Long:  "Takes the board's pause back; with --all the emergency stop, whoever wrote it.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if s.all {
				return a.resumeAll(s.yes)
			}
			return a.resumeBoard()
		},
	}
	return s.flags(cmd, "take back the emergency stop of this Hermes installation")
}

// pauseBoard pauses the board; one that is paused already stays as it is.
func (a *app) pauseBoard() error {
	place, err := a.placeToPause()
	if err != nil {
		return err
	}
	paused, why := place.Paused()
	if !paused {
		if err := place.Pause(a.actor(), now()); err != nil {
			return err
		}
		_, why = place.Paused()
	}
	return a.answer(pausing{place.Slug, true, why}, fmt.Sprintf("board %s: %s", place.Slug, why))
}

func (a *app) resumeBoard() error {
	place, err := a.placeToPause()
	if err != nil {
		return err
	}
	paused, why := place.Paused()
	if err := place.Resume(); err != nil {
		return err
	}
	if stopped, why := a.home.Stopped(now()); stopped {
		a.say(why + " still holds every dispatcher; take it back with resume --all")
	}
	line := fmt.Sprintf("board %s: was not paused", place.Slug)
	if paused {
		line = fmt.Sprintf("board %s: resumed; it was %s", place.Slug, why)
	}
	return a.answer(pausing{Board: place.Slug}, line)
}

// placeToPause is the board that the command line names, for somebody who may
// write.
func (a *app) placeToPause() (home.Board, error) {
	if err := a.locate(); err != nil {
		return home.Board{}, err
	}
	return a.place, a.mayWrite(a.home)
}

func (a *app) pauseAll(yes bool) error {
	h, err := a.ownHome()
	if err != nil {
		return err
	}
	if !yes {
		return usage(errors.New("this stops every dispatcher of the Hermes installation, gateways included; if you mean it, add --yes"))
	}
	stopped, why := h.Stopped(now())
	if !stopped {
		if err := h.Engage("paused by "+a.actor()+" with hermes-tui", now()); err != nil {
			return err
		}
		_, why = h.Stopped(now())
	}
	return a.answer(pausing{Paused: true, Why: why}, why)
}

func (a *app) resumeAll(yes bool) error {
	h, err := a.ownHome()
	if err != nil {
		return err
	}
	stopped, why := h.Stopped(now())
	if !stopped {
		return a.answer(pausing{}, "no emergency stop is in force")
	}
	if !yes {
		return usage(fmt.Errorf("%s; this lets every dispatcher of the Hermes installation go on; if you mean it, add --yes", why))
	}
	if err := h.Release(); err != nil {
		return err
	}
	return a.answer(pausing{}, "released: "+why)
}
