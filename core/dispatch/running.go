package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// stopWait is how long a tick waits for all its stops together; what has not
// ended by then is held and looked at again.
const stopWait = 15 * time.Second

// restartsFree is how often in a row a card may go down with its dispatcher
// before that counts as its own failure.
const restartsFree = 2

// verdict is a running card, its fate and, where its worker was stopped, what
// came of it.
type verdict struct {
	look
	fate
	stopped core.Termination
}

// observe looks at every running card, decides its fate and stops the workers
// that have to end, side by side. Nothing is written yet.
func (p *pass) observe(ctx context.Context) error {
	cards, err := p.Board.RunningCards(ctx)
	if err != nil {
		return err
	}
	now, leftovers := p.Now(), p.Prober.Leftovers()
	for _, c := range p.watched(cards) {
		l := p.look(c, now, leftovers)
		p.verdicts = append(p.verdicts, &verdict{look: l, fate: judge(l, p.rules, now)})
	}
	if !p.DryRun {
		p.stopAll(ctx)
	}
	for _, v := range p.verdicts {
		if v.deed == hold {
			p.hold(v.card.Task.ID, v.why)
		}
	}
	return nil
}

// look observes one running card.
func (p *pass) look(c board.RunningCard, now int64, leftovers func(process.Worker) ([]process.Member, error)) look {
	l := look{card: c, jumped: p.jumped, who: process.Worker{
		TaskID: c.Task.ID, PID: c.Task.WorkerPID, Fingerprint: c.Task.WorkerStarted, Lock: c.Task.ClaimLock,
		Heartbeat: c.Heartbeat(), Now: now,
	}}
	if c.Run != nil {
		l.who.RunStarted = c.Run.StartedAt
		l.lease = p.runs().Lease(c.Task.ID, c.Run.ID)
		l.launch = p.launch(c)
	} else if c.Task.StartedAt != nil {
		l.who.RunStarted = *c.Task.StartedAt
	}
	if c.Task.WorkerPID == nil {
		return l
	}
	l.sighting = p.Prober.Sight(l.who)
	if !l.sighting.Verdict.Gone() {
		return l
	}
	left, err := leftovers(l.who)
	if err != nil {
		l.unseen = err.Error()
	}
	l.left = len(left)
	l.ending = l.sighting.Verdict == core.Dead && p.Exits.Open(*c.Task.WorkerPID)
	l.exit = p.exit(c)
	l.claimer = p.claimer(c, l.who)
	return l
}

// runs is where the leases and launch records of this board are.
func (d *Dispatcher) runs() worker.RunDir {
	return worker.RunDir{StateRoot: d.Place.StateRoot, Board: d.Place.Slug}
}

// launch reads our own record of the start of a run. One that this very process
// left is of a start that failed halfway: when a tick looks, none is under way.
func (p *pass) launch(c board.RunningCard) Launch {
	task, run := c.Task.ID, c.Run.ID
	record, err := p.runs().ReadLaunch(task, run)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, core.ErrInvalid):
		return NoLaunch
	case err != nil:
		return Unlegible
	case record.Once && c.Task.WorkerPID != nil:
		return RanOnce
	case p.unstarted[run]:
		return Unstarted
	case record.ClaimerPID == p.PID && record.Fingerprint == p.Fingerprint:
		return CutOff
	}
	s := p.Prober.Sight(process.Worker{TaskID: task, PID: &record.ClaimerPID, Fingerprint: &record.Fingerprint, Now: p.Now()})
	if s.Verdict.Gone() {
		return CutOff
	}
	return UnderWay
}

// exit says how a worker ended: a child of ours told us, a worker of Hermes may
// have left it at the end of its log. Who noticed makes no difference.
func (p *pass) exit(c board.RunningCard) *board.Exit {
	if e, known := p.Exits.Exit(*c.Task.WorkerPID); known {
		if e.Signal != 0 {
			return &board.Exit{Signaled: true, Code: int64(e.Signal)}
		}
		return &board.Exit{Code: int64(e.Code)}
	}
	if code, known := process.ExitFromLog(p.logFile(c.Task.ID)); known {
		return &board.Exit{Code: int64(code)}
	}
	return nil
}

// logFile is the log of a card's worker. An id that could lead out of the folder
// has none.
func (p *pass) logFile(task string) string {
	if task == "" || strings.ContainsAny(task, "/\\\x00") || strings.HasPrefix(task, ".") {
		return ""
	}
	return filepath.Join(p.Place.Logs, task+".log")
}

// claimer looks at the process that made the claim, by the pid in its lock.
func (p *pass) claimer(c board.RunningCard, w process.Worker) core.Sighting {
	_, number, found := strings.Cut(*c.Task.ClaimLock, ":")
	pid, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil {
		return core.Sighting{Verdict: core.Unknown, Evidence: "the lock names no process"}
	}
	return p.Prober.Sight(process.Worker{PID: &pid, Lock: c.Task.ClaimLock, RunStarted: w.RunStarted, Now: w.Now})
}

// stopAll ends the workers that must end, side by side. A worker that survives
// keeps its card: nobody is started beside it.
func (p *pass) stopAll(ctx context.Context) {
	var ending []*verdict
	for _, v := range p.verdicts {
		if v.deed == stop {
			ending = append(ending, v)
		}
	}
	sideBySide(ctx, ending, func(ctx context.Context, v *verdict) {
		if v.sighting.Verdict.Gone() {
			v.stopped = p.Stopper.StopLeft(ctx, v.who)
		} else {
			v.stopped = p.Stopper.Stop(ctx, v.who)
		}
	}, func(v *verdict, r any) {
		v.stopped, v.why = core.Termination{}, fmt.Sprintf("stopping its worker failed: %v", r)
	})
	for _, v := range ending {
		if !v.stopped.Terminated {
			v.survives()
		}
	}
}

// sideBySide does all stops of a step at once and waits for them no longer than
// a tick may. broken is told what a stop panicked with.
func sideBySide[T any](ctx context.Context, all []T, stop func(context.Context, T), broken func(T, any)) {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	var group sync.WaitGroup
	for _, one := range all {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() {
				if r := recover(); r != nil {
					broken(one, r)
				}
			}()
			stop(ctx, one)
		}()
	}
	group.Wait()
}

// survives turns the fate of a worker that did not end.
func (v *verdict) survives() {
	v.deed = hold
	if v.why == "" {
		v.why = fmt.Sprintf("cannot be stopped (pid %d)", *v.card.Task.WorkerPID)
	}
	if v.stale {
		v.deed = deferred
	}
}
