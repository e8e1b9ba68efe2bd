package reconcile

import (
	"context"
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// Board is what a pass reads and repairs.
type Board interface {
	Orphans(ctx context.Context) ([]board.Orphan, error)
	ReleaseOrphans(ctx context.Context, releases []board.Release) ([]string, error)
	Strays(ctx context.Context) ([]board.Stray, error)
	Mend(ctx context.Context, mendings []board.Mending) ([]string, error)
	Curiosities(ctx context.Context) ([]board.Curious, error)
}

// Prober says whether a recorded worker lives.
type Prober interface {
	Sight(w process.Worker) core.Sighting
}

// Pass is one comparison of a board with reality.
type Pass struct {
	Board  Board
	Prober Prober
	Now    func() int64 // epoch seconds
	// OrphansOnly leaves stray bookkeeping out. It can only be there if the board
	// has moved since a pass found none.
	OrphansOnly bool
	// Files, where given, asks for what is only shown to a person too.
	Files Files
}

// Plan is what a pass found and what it would write.
type Plan struct {
	Findings []Finding
	Releases []board.Release
	Mendings []board.Mending
	Strays   int // stray bookkeeping that was seen, held or not
}

// Plan looks and decides. Only names the cards to look at; nil means all.
func (p Pass) Plan(ctx context.Context, only []string) (Plan, error) {
	plan := Plan{Findings: []Finding{}}
	orphans, err := p.Board.Orphans(ctx)
	if err != nil {
		return plan, err
	}
	var strays []board.Stray
	if !p.OrphansOnly {
		if strays, err = p.Board.Strays(ctx); err != nil {
			return plan, err
		}
	}
	plan.Strays = len(strays)
	now := p.Now()
	wanted := func(id string) bool { return only == nil || slices.Contains(only, id) }
	for _, o := range orphans {
		if !wanted(o.Task) {
			continue
		}
		f, r := JudgeOrphan(o, p.sight(o, now), now)
		plan.Findings = append(plan.Findings, f)
		if r != nil {
			plan.Releases = append(plan.Releases, *r)
		}
	}
	for _, s := range strays {
		if !wanted(s.Task) || ofOrphan(s, plan.Releases) {
			continue
		}
		f, m := JudgeStray(s, p.behind(s, now), now)
		plan.Findings = append(plan.Findings, f)
		if m != nil {
			plan.Mendings = append(plan.Mendings, *m)
		}
	}
	if p.Files == nil {
		return plan, nil
	}
	curious, err := p.Board.Curiosities(ctx)
	if err != nil {
		return plan, err
	}
	for _, c := range curious {
		if wanted(c.Task) {
			plan.Findings = append(plan.Findings, Shown(c, p.Files, now)...)
		}
	}
	return plan, nil
}

// ofOrphan reports whether the stray is the open run of a card that is to be
// released, which ends with it.
func ofOrphan(s board.Stray, releases []board.Release) bool {
	return s.Run != nil && slices.ContainsFunc(releases, func(r board.Release) bool {
		return r.Orphan.OpenRun != nil && *r.Orphan.OpenRun == s.Run.ID
	})
}

// Done is what a pass has written.
type Done struct {
	Released []string // cards that left running
	Mended   []string // cards whose bookkeeping was put right where they stand
}

// Carry writes what a plan says. A card that changed since is left alone and is
// in neither list.
func (p Pass) Carry(ctx context.Context, plan Plan) (Done, error) {
	released, err := p.Board.ReleaseOrphans(ctx, plan.Releases)
	if err != nil {
		return Done{}, err
	}
	mended, err := p.Board.Mend(ctx, plan.Mendings)
	return Done{Released: released, Mended: mended}, err
}

// Run plans and repairs. It returns the ids of all cards that were repaired,
// beside the findings, held ones included.
func (p Pass) Run(ctx context.Context, only []string) (ids []string, findings []Finding, err error) {
	plan, err := p.Plan(ctx, only)
	if err != nil {
		return nil, nil, err
	}
	done, err := p.Carry(ctx, plan)
	ids = append(done.Released, done.Mended...)
	slices.Sort(ids[len(done.Released):])
	return slices.Compact(ids), plan.Findings, err
}

// behind looks at the worker that may be behind a stray.
func (p Pass) behind(s board.Stray, now int64) core.Sighting {
	pid, fingerprint, lock, started := theWorker(s)
	if pid == nil {
		return core.Sighting{Verdict: core.Dead, Evidence: "no worker recorded"}
	}
	return p.Prober.Sight(process.Worker{
		TaskID: s.Task, PID: pid, Fingerprint: fingerprint, Lock: lock, RunStarted: started, Now: now,
	})
}

// sight looks at the recorded worker. A card without one is not looked at.
func (p Pass) sight(o board.Orphan, now int64) core.Sighting {
	w := orphanWorker(o, now)
	if w.PID == nil {
		return core.Sighting{Verdict: core.Dead, Evidence: "no worker recorded"}
	}
	return p.Prober.Sight(w)
}
