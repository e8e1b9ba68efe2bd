package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// screenJournals are the journals of a board as the screen asks for them. What
// writes waits until the board is known to be sound.
type screenJournals struct {
	*journal.Journal
	app   *app
	sound func(context.Context) error
}

func (a *app) journals(b *board.Board, sound func(context.Context) error) screenJournals {
	return screenJournals{a.journal(b), a, sound}
}

// Replay brings the results of a card, or of all, to the board while no tick
// runs.
func (s screenJournals) Replay(ctx context.Context, task string) (journal.Report, error) {
	if err := s.sound(ctx); err != nil {
		return journal.Report{}, err
	}
	return s.app.replayLocked(ctx, s.Journal, task)
}

// Accept brings a late result to its run in the name of the person.
func (s screenJournals) Accept(ctx context.Context, file string) (journal.Result, error) {
	if err := s.sound(ctx); err != nil {
		return journal.Result{}, err
	}
	return s.Journal.Accept(ctx, file, s.app.actor())
}

// Restore takes a journal out of the quarantine.
func (s screenJournals) Restore(_ context.Context, file string) (string, error) {
	return s.Journal.Restore(file)
}

// replay says in words what a replay did.
func (s screenJournals) replay(ctx context.Context, task string) (string, error) {
	report, err := s.Replay(ctx, task)
	switch {
	case err != nil:
		return "", err
	case report.Locked:
		return "another program is replaying these journals just now; nothing was done", nil
	case len(report.Results) == 0:
		return "there is no journal to replay", nil
	}
	words := []string{core.Count(report.Replayed, "result") + " applied"}
	for _, r := range report.Results {
		if r.Outcome == journal.Applied {
			continue
		}
		line := fmt.Sprintf("%s run %d is %s", r.Task, r.Run, r.Outcome)
		if r.Reason != "" {
			line += ": " + r.Reason
		}
		words = append(words, line)
	}
	return strings.Join(words, "; "), nil
}
