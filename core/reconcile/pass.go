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
}

// Plan is what a pass found and what it would write. Only names the cards to
// look at; nil means all.
func (p Pass) Plan(ctx context.Context, only []string) ([]Finding, []board.Release, error) {
	orphans, err := p.Board.Orphans(ctx)
	if err != nil {
		return nil, nil, err
	}
	findings, releases := []Finding{}, []board.Release(nil)
	now := p.Now()
	for _, o := range orphans {
		if only != nil && !slices.Contains(only, o.Task) {
			continue
		}
		f, r := JudgeOrphan(o, p.sight(o, now), now)
		findings = append(findings, f)
		if r != nil {
			releases = append(releases, *r)
		}
	}
	return findings, releases, nil
}

// Run plans and repairs. It returns the ids that were repaired beside the
// findings, held ones included. A card that changed between the two is in the
// findings, but not among the ids.
func (p Pass) Run(ctx context.Context, only []string) (ids []string, findings []Finding, err error) {
	findings, releases, err := p.Plan(ctx, only)
	if err != nil {
		return nil, nil, err
	}
	ids, err = p.Board.ReleaseOrphans(ctx, releases)
	return ids, findings, err
}

// sight looks at the recorded worker. A card without one is not looked at.
func (p Pass) sight(o board.Orphan, now int64) core.Sighting {
	if o.WorkerPID == nil {
		return core.Sighting{Verdict: core.Dead, Evidence: "no worker recorded"}
	}
	return p.Prober.Sight(process.Worker{
		TaskID: o.Task, PID: o.WorkerPID, Fingerprint: o.WorkerStarted, Lock: o.ClaimLock,
		RunStarted: o.RunStarted, Heartbeat: o.LastHeartbeat, Now: now,
	})
}
