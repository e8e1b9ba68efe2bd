package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/worker"
)

// Starter starts the worker of a claimed card. Knows says whether it can start
// anybody for an assignee, and as whom in words of the log.
type Starter interface {
	// Knows returns an empty text if a worker can be started for the assignee,
	// else the reason why not.
	Knows(assignee string) (why string)
	// Prepare makes the folder that the worker is to work in.
	Prepare(ctx context.Context, claim board.Claimed) (board.Workspace, error)
	// Start brings a worker up to its barrier: the process exists, its program
	// has not begun. An error says that nothing was started.
	Start(ctx context.Context, claim board.Claimed, at board.Workspace) (Started, error)
}

// Started is a worker at its barrier.
type Started struct {
	PID         int64
	Fingerprint string
	// Release lets the program begin, Abort makes the process end without having
	// begun anything. Exactly one of them is called.
	Release func(context.Context) error
	Abort   func(context.Context) error
}

// start claims what may start, in the order of the queue, and starts a worker
// for each, until the caps are reached.
func (p *pass) start(ctx context.Context) error {
	lock, err := p.lockMachine(ctx)
	if err != nil {
		return err
	}
	if lock != nil {
		defer func() { _ = lock.Release() }() // the kernel frees it in any case when the handle goes
	}
	caps, err := p.caps(ctx)
	if err != nil {
		return err
	}
	queues, err := p.queues(ctx)
	if err != nil {
		return err
	}
	room := p.heldBack(ctx, queues, caps)
	for _, q := range queues {
		if q.lane == core.Review {
			room = caps
		}
		for i, task := range q.cards {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			skipped := len(p.Skipped)
			full, err := p.consider(ctx, candidate{task, q.lane}, room)
			if err != nil {
				p.trouble(task.ID, err)
			}
			if full {
				p.Queued += len(q.cards) - i - (len(p.Skipped) - skipped) // none is counted twice
				break
			}
		}
	}
	return nil
}

// lockMachine makes the count of running cards on all boards and the claims that
// rest on it one step among the dispatchers of this program on this home.
func (p *pass) lockMachine(ctx context.Context) (*home.Lock, error) {
	if p.rules.MaxInProgress == 0 || !p.writes() {
		return nil, nil
	}
	lock, err := home.WaitLock(ctx, p.Home.MachineLock(), machineWait, p.Sleep)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // there is no home, so there are no other boards to count
	}
	if err != nil {
		return nil, fmt.Errorf("count the running cards of this machine: %w", err)
	}
	return lock, nil
}

// machineWait is how long a tick waits for another one that claims on another
// board of this home.
const machineWait = 5 * time.Second

func (p *pass) lanes() []core.Status {
	if p.rules.ReviewDispatch {
		return []core.Status{core.Ready, core.Review}
	}
	return []core.Status{core.Ready}
}

// caps are the limits of this moment: cards running on other boards of this
// home count against the machine's limit.
func (p *pass) caps(ctx context.Context) (board.Caps, error) {
	caps := board.Caps{Board: p.rules.MaxSpawn, Profile: p.rules.MaxInProgressPerProfile}
	if p.memoryShort() != "" {
		caps.Full, p.unsettled = true, true
		return caps, nil
	}
	if p.rules.MaxInProgress > 0 {
		elsewhere, err := p.runningElsewhere(ctx)
		if err != nil {
			return caps, err
		}
		left := max(p.rules.MaxInProgress-elsewhere, 0)
		p.unsettled = p.unsettled || elsewhere > 0
		if caps.Board == 0 || left < caps.Board {
			caps.Board, caps.Full = left, left == 0
		}
	}
	return caps, nil
}

// Shares of the machine's memory below which nothing, or one worker a tick, is
// started.
const (
	memoryCritical = 0.05
	memoryElevated = 0.10
)

// memoryShort says that nothing may start for want of memory, or nothing.
func (p *pass) memoryShort() string {
	if left, told := p.memoryLeft(); told && left < memoryCritical {
		return fmt.Sprintf("less than %.0f %% of the machine's memory is available", 100*memoryCritical)
	}
	return ""
}

func (p *pass) memoryLeft() (float64, bool) {
	if p.MemoryLeft == nil {
		return 0, false
	}
	return p.MemoryLeft()
}

// runningElsewhere counts the running cards of the other boards of this home. A
// board that cannot be read counts nothing, and the report says so.
func (p *pass) runningElsewhere(ctx context.Context) (int64, error) {
	boards, err := p.Home.Boards()
	if err != nil {
		return 0, fmt.Errorf("count running cards of this machine: %w", err)
	}
	var sum int64
	for _, other := range boards {
		if other.DB == p.Place.DB || !exists(other.DB) {
			continue
		}
		n, err := countRunning(ctx, other.DB)
		if err != nil {
			p.unsettled = true
			p.Errors = append(p.Errors, fmt.Sprintf("board %s is not counted against the machine's limit: %v", other.Slug, err))
		}
		sum += n
	}
	return sum, nil
}

// consider starts a worker for one card of the queue where every gate is open.
// full says that a cap of the board is reached, so that nothing further can
// start in this tick.
func (p *pass) consider(ctx context.Context, c candidate, caps board.Caps) (full bool, err error) {
	why, err := firstClosed(p, ctx, c, cardGates)
	if err != nil {
		return false, err
	}
	if why != "" {
		p.skip(c.task.ID, why)
		return false, nil
	}
	if left, told := p.memoryLeft(); told && left < memoryElevated && len(p.Spawned) > 0 {
		p.unsettled = true
		p.skip(c.task.ID, "the machine is short of memory; one worker a tick")
		return true, nil
	}
	assignee := p.assignee(c)
	if !p.writes() {
		if full, why, err := p.wouldExceed(ctx, assignee, caps); full || err != nil {
			return full, err
		} else if why != "" {
			p.skip(c.task.ID, why)
			return false, nil
		}
		p.WouldSpawn = append(p.WouldSpawn, Spawned{Task: c.task.ID, Assignee: assignee})
		return false, nil
	}
	if c.task.Assignee == "" {
		if err := p.Board.AssignDefault(ctx, c.task, assignee); err != nil {
			return false, err
		}
		c.task.Assignee = assignee
	}
	return p.claimAndStart(ctx, c, caps)
}

// wouldExceed says for a plan what the claim would be refused for: the limit of
// the board or, in words, that of the assignee. What a plan releases or starts
// is not on the board.
func (p *pass) wouldExceed(ctx context.Context, assignee string, caps board.Caps) (full bool, why string, err error) {
	if caps.Full {
		return true, "", nil
	}
	owned := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), assignee) }
	if caps.Board > 0 {
		running, err := p.Board.CountRunning(ctx)
		if err != nil || running+p.planned(func(string) bool { return true }) >= caps.Board {
			return err == nil, "", err
		}
	}
	if caps.Profile > 0 {
		running, err := p.Board.CountRunningOf(ctx, assignee)
		if err != nil || running+p.planned(owned) < caps.Profile {
			return false, "", err
		}
		return false, profileFull(assignee), nil
	}
	return false, "", nil
}

// planned is by how many the running cards of some assignees would grow.
func (p *pass) planned(of func(assignee string) bool) (n int64) {
	for _, s := range p.WouldSpawn {
		if of(s.Assignee) {
			n++
		}
	}
	for _, v := range p.verdicts {
		if p.DryRun && p.released[v.card.Task.ID] && of(v.card.Task.Assignee) {
			n--
		}
	}
	return n
}

func profileFull(assignee string) string {
	return fmt.Sprintf("as many cards of its assignee run as may run: %q", assignee)
}

// claimAndStart makes the card ours and starts its worker: the identity is
// committed before the worker's program begins.
func (p *pass) claimAndStart(ctx context.Context, c candidate, caps board.Caps) (full bool, err error) {
	task, seen := c.task, c.task.See()
	request := board.ClaimRequest{
		Target: board.Target{ID: task.ID, Seen: &seen}, Lock: p.Claimer, TTL: p.rules.ClaimTTL, Fresh: true, Caps: caps,
		Before: func(run int64) error { return p.announce(task.ID, run) },
	}
	claim := p.Board.Claim
	if c.lane == core.Review {
		claim = p.Board.ClaimReview
	}
	claimed, err := claim(ctx, request)
	switch {
	case errors.Is(err, board.ErrBoardFull):
		return true, nil
	case errors.Is(err, board.ErrProfileFull):
		p.skip(task.ID, profileFull(task.Assignee))
		return false, nil
	case errors.Is(err, board.ErrOpenParents):
		p.skip(task.ID, "a parent is unfinished again")
		return false, nil
	case err != nil:
		return false, err
	}
	at, err := p.Starter.Prepare(ctx, claimed)
	if err != nil {
		return false, p.failed(ctx, claimed, err)
	}
	if err := p.Board.SetWorkspace(ctx, claimed, at); err != nil {
		return false, p.prevented(ctx, claimed, err)
	}
	started, err := p.Starter.Start(ctx, claimed, at)
	if err != nil {
		return false, p.failed(ctx, claimed, err)
	}
	if err := p.record(ctx, claimed, started); err != nil {
		return false, p.prevented(ctx, claimed, errors.Join(err, abort(ctx, started)))
	}
	if err := started.Release(ctx); errors.Is(err, worker.ErrNotStarted) {
		return false, p.failed(ctx, claimed, err)
	} else if err != nil {
		p.trouble(task.ID, err) // it may run, so it counts as started
	}
	p.Spawned = append(p.Spawned, Spawned{Task: task.ID, Assignee: task.Assignee, PID: started.PID, Workspace: at.Path})
	return false, nil
}

// abort lets a worker end at its barrier, also when this program is asked to end.
// It never begins anything, even where its end is not seen in time.
func abort(ctx context.Context, s Started) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	return s.Abort(ctx)
}

// announce leaves word that we are about to start a worker, before the claim
// commits: a launch that is cut off is then proven and counted at once.
func (p *pass) announce(task string, run int64) error {
	return p.runs().WriteLaunch(worker.Launch{
		Task: task, Run: run, ClaimerPID: p.PID, Fingerprint: p.Fingerprint, Time: p.Now(), Once: p.Once,
	})
}

// record writes who the worker is. From then on the board itself says what the
// announcement said, except that a single tick made the claim.
func (p *pass) record(ctx context.Context, claim board.Claimed, s Started) error {
	if err := p.Board.RecordSpawn(ctx, claim, s.PID, s.Fingerprint); err != nil {
		return err
	}
	if p.Once {
		return nil
	}
	return p.runs().RemoveLaunch(claim.Task.ID, claim.Run)
}

// failed releases a card whose worker could not be started, and counts that
// against it, unless the card cannot be to blame.
func (p *pass) failed(ctx context.Context, claim board.Claimed, cause error) error {
	if ctx.Err() != nil || machineFault(cause) {
		return p.prevented(ctx, claim, cause)
	}
	blocked, err := p.Board.SpawnFailed(ctx, claim, cause.Error(), p.rules.FailureLimit)
	if err != nil {
		return errors.Join(cause, err)
	}
	if blocked {
		p.AutoBlocked = append(p.AutoBlocked, claim.Task.ID)
	}
	return errors.Join(cause, p.runs().RemoveLaunch(claim.Task.ID, claim.Run))
}

// prevented releases a card whose worker was not started because of ourselves or
// of the machine. It is done although this program is asked to end.
func (p *pass) prevented(ctx context.Context, claim board.Claimed, cause error) error {
	if errors.Is(cause, core.ErrChanged) {
		return cause // somebody else took the card, so there is nothing to release
	}
	err := p.Board.SpawnPrevented(context.WithoutCancel(ctx), claim, cause.Error())
	if err != nil {
		if p.unstarted == nil {
			p.unstarted = map[int64]bool{}
		}
		p.unstarted[claim.Run] = true
		return errors.Join(cause, err)
	}
	return errors.Join(cause, p.runs().RemoveLaunch(claim.Task.ID, claim.Run))
}

// machineFault reports whether an error tells of a machine that is short of
// something or broken.
func machineFault(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN,
		board.ErrBusy, board.ErrFull,
	}, func(fault error) bool { return errors.Is(err, fault) })
}
