package dispatch

import (
	"context"
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// leftovers stops workers that outlived a run which ended without their own
// report: the board has given them up, and nothing they do can count any more.
// They get some time to notice it themselves. After a clean end nothing is
// stopped; some people start servers on purpose.
func (p *pass) leftovers(ctx context.Context) error {
	past, err := p.Board.LeftWorkers(ctx, p.Now()-leftBehind)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	for _, w := range past {
		if p.leftToGateway(w.Run.Profile) {
			continue
		}
		who := process.Worker{
			TaskID: w.Run.TaskID, PID: w.Run.WorkerPID, Fingerprint: w.Run.WorkerStarted, Lock: w.Run.ClaimLock,
			RunStarted: w.Run.StartedAt, Now: p.Now(),
		}
		s := p.Prober.Sight(who)
		if s.Verdict != core.AliveOurs {
			continue
		}
		if p.DryRun {
			p.hold(w.Run.TaskID, fmt.Sprintf("the worker of run %d still lives and would be stopped", w.Run.ID))
			continue
		}
		report := p.Stopper.Stop(ctx, who)
		if !report.Terminated {
			p.hold(w.Run.TaskID, fmt.Sprintf("the worker of run %d cannot be stopped (pid %d)", w.Run.ID, *w.Run.WorkerPID))
			continue
		}
		if err := p.Board.RecordReaped(ctx, w.Run, report); err != nil {
			p.trouble(w.Run.TaskID, err)
		}
	}
	return nil
}
