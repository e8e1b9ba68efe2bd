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
	var still []*leftover
	for _, w := range past {
		if p.leftToGateway(w.Run.Profile) {
			continue
		}
		who := process.Worker{
			TaskID: w.Run.TaskID, PID: w.Run.WorkerPID, Fingerprint: w.Run.WorkerStarted, Lock: w.Run.ClaimLock,
			RunStarted: w.Run.StartedAt, Now: p.Now(),
		}
		if p.Prober.Sight(who).Verdict != core.AliveOurs {
			continue
		}
		if p.DryRun {
			p.hold(w.Run.TaskID, fmt.Sprintf("the worker of run %d still lives and would be stopped", w.Run.ID))
			continue
		}
		still = append(still, &leftover{run: w.Run, who: who})
	}
	sideBySide(ctx, still, func(ctx context.Context, l *leftover) { l.stopped = p.Stopper.Stop(ctx, l.who) }, func(*leftover, any) {})
	for _, l := range still {
		if !l.stopped.Terminated {
			p.hold(l.run.TaskID, fmt.Sprintf("the worker of run %d cannot be stopped (pid %d)", l.run.ID, *l.run.WorkerPID))
			continue
		}
		if err := p.Board.RecordReaped(ctx, l.run, l.stopped); err != nil {
			p.trouble(l.run.TaskID, err)
		}
	}
	return nil
}

// leftover is a worker that outlived its run, and what came of stopping it.
type leftover struct {
	run     core.Run
	who     process.Worker
	stopped core.Termination
}
