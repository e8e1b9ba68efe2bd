package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// table is the process table of this machine as our claim locks name it.
func table() *process.Table { return &process.Table{Host: hostName()} }

// results are the journals of the board.
type results struct{ *journal.Journal }

// HasPending reports whether a result of that run waits to be applied.
func (r results) HasPending(task string, run int64) (bool, error) {
	return r.Place.HasPending(task, run)
}

// journal brings the results of the board's workers to it.
func (a *app) journal(b *board.Board) *journal.Journal {
	runs := worker.RunDir{StateRoot: a.place.StateRoot, Board: a.place.Slug}
	return &journal.Journal{
		Board: b, Place: journal.Place{Root: a.place.StateRoot, Slug: a.place.Slug, DB: a.place.DB}, Sight: table().Sight, Now: now,
		Held: func(task string, run int64) bool { return runs.Lease(task, run) != worker.LeaseFree },
	}
}

// stopper ends workers that are proven to be ours.
func stopper(t *process.Table) *process.Stopper {
	return &process.Stopper{Table: t, Self: int64(pid()), Sleep: sleep}
}

// operator acts on single cards of the board in the name of the person.
func (a *app) operator(b *board.Board) *operator.Operator {
	t := table()
	return &operator.Operator{
		Board: b, Prober: t, Now: now, Actor: a.actor(), Host: hostName(),
		Stopper: stopper(t),
	}
}

// reconciler compares the board with reality.
func (a *app) reconciler(b *board.Board) reconcile.Pass {
	return reconcile.Pass{Board: b, Prober: table(), Now: now, Files: cardFiles{a.place.Logs}}
}

// cardFiles looks for what cards name, below the folder of the board's logs.
type cardFiles struct{ logs string }

// Exists reports whether something is there; what cannot be looked at is.
func (cardFiles) Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// Log is where the log of a card is, empty for an id that could lead elsewhere.
func (f cardFiles) Log(task string) string {
	if task == "" || strings.ContainsAny(task, "/\x00") || strings.HasPrefix(task, ".") {
		return ""
	}
	return filepath.Join(f.logs, task+".log")
}

// dispatcher runs ticks over the board.
func (a *app) dispatcher(b *board.Board) (*dispatch.Dispatcher, error) {
	rules, err := a.rules()
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which starts the workers: %w", err)
	}
	children := process.NewChildren(time.Now)
	t := table()
	workers := &dispatch.Workers{
		Home: a.home, Place: a.place, Table: t, Children: children, Program: program, Settings: a.settings(), Rules: rules, Sleep: sleep,
	}
	d := &dispatch.Dispatcher{
		Board: b, Home: a.home, Place: a.place, Prober: t, Exits: children, Claimer: claimer(), Now: now, Rules: rules, Sleep: sleep, MemoryLeft: process.MemoryLeft, Steady: steady(),
		Stopper: stopper(t), PID: int64(pid()), Fingerprint: t.Fingerprint(int64(pid())),
		Results: results{a.journal(b)},
		Starter: workers, Lane: workers.Lane,
	}
	if !workers.Settings().AllowNetworkFS {
		d.NetworkFS = home.IsNetworkFS
	}
	return d, nil
}

// rules returns a reader of Hermes' configuration that keeps the last good one.
// A configuration that cannot be read at the start is an error: nobody should
// dispatch by rules that he did not mean.
func (a *app) rules() (func() dispatch.Rules, error) {
	kanban, notices, err := a.home.Config()
	if err != nil {
		return nil, err
	}
	timing, more := a.home.Timing()
	for _, notice := range append(notices, more...) {
		a.say(notice)
	}
	last := dispatch.Rules{Kanban: kanban, Timing: timing}
	return func() dispatch.Rules {
		if kanban, _, err := a.home.Config(); err == nil {
			last.Kanban = kanban
		}
		return last
	}, nil
}

// settings returns a reader of our own configuration that keeps the last good
// one. No good one means no lanes.
func (a *app) settings() func() home.Settings {
	last, err := a.home.Settings()
	if err != nil && err.Error() != a.faults {
		a.faults = err.Error()
		a.say(a.faults)
	}
	return func() home.Settings {
		if s, err := a.home.Settings(); err == nil {
			last = s
		}
		return last
	}
}

// sleep waits for the duration or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// steady is a clock that nobody sets and that stands still while the machine
// sleeps.
func steady() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
