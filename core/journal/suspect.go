package journal

import (
	"context"
	"errors"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// aside puts a pending file that cannot be trusted into the quarantine and tells
// its card. A file that cannot be moved stays where it is and is listed.
func (p *pass) aside(ctx context.Context, file string, name Name, bad *fault) (Result, error) {
	r := Result{File: file, Task: name.Task, Run: name.Run, Outcome: Quarantined, Reason: bad.reason, detail: bad.detail}
	there, err := p.folder.putAside(p.folder.dir, file, file)
	if err != nil {
		return waiting(file, name, bad.reason+": "+err.Error()), nil
	}
	r.Aside = there
	delete(p.judged, file)
	effect, err := p.tell(ctx, board.QuarantineNote{Task: name.Task, Run: name.Run, File: there, Reason: bad.reason}, true)
	if err != nil {
		// The file is moved. The card is told by a later pass, see unfinished.
		return r, err
	}
	p.know(there)
	r.Reclaimed, r.Blocked = effect.Reclaimed, effect.Blocked
	return r, nil
}

// tell notes a quarantine on its card; retry says that the run may be taken back
// if nobody is behind it. What was seen of a worker is compared by the board, so
// a card that changed meanwhile is looked at again.
func (p *pass) tell(ctx context.Context, n board.QuarantineNote, retry bool) (board.QuarantineEffect, error) {
	if n.Task == "" {
		return board.QuarantineEffect{}, nil
	}
	for range 3 {
		n.Saw = nil
		if retry {
			saw, err := p.nobodyBehind(ctx, n.Task, n.Run)
			if err != nil {
				return board.QuarantineEffect{}, err
			}
			n.Saw = saw
		}
		effect, err := p.Board.NoteQuarantine(ctx, n)
		if !errors.Is(err, core.ErrChanged) {
			return effect, err
		}
	}
	n.Saw = nil
	return p.Board.NoteQuarantine(ctx, n)
}

// nobodyBehind returns what was seen of the worker of a card's current run where
// none can be alive, else nil. A journal is the last thing that a runner writes,
// so a claim without a recorded process holds nothing back.
func (p *pass) nobodyBehind(ctx context.Context, id string, run int64) (*core.Sighting, error) {
	if p.Held(id, run) {
		return nil, nil
	}
	task, err := p.Board.Task(ctx, id)
	if errors.Is(err, core.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if task.CurrentRun == nil || *task.CurrentRun != run || task.IsOdd("worker_pid") {
		return nil, nil
	}
	if task.WorkerPID == nil {
		return &core.Sighting{Fingerprint: task.WorkerStarted, Verdict: core.Unknown}, nil
	}
	attempt, err := p.Board.Run(ctx, run)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return nil, err
	}
	saw := p.Sight(process.Worker{
		TaskID: id, PID: task.WorkerPID, Fingerprint: task.WorkerStarted, Lock: task.ClaimLock,
		RunStarted: attempt.StartedAt, Heartbeat: task.LastHeartbeat, Now: p.Now(),
	})
	if !saw.Verdict.Gone() {
		return nil, nil
	}
	return &saw, nil
}

func (j *Journal) know(aside string) {
	if j.known == nil {
		j.known = map[string]bool{}
	}
	j.known[aside] = true
}

// unfinishedFor is for how many seconds a card may learn late of a journal that
// was put aside. Older files are history, and may be another program's.
const unfinishedFor = 24 * 3600

// unfinished completes quarantines that were cut off between moving the file and
// telling the card. Each file is looked at once in a session.
func (p *pass) unfinished(ctx context.Context) error {
	q, err := p.folder.dir.Enter(quarantineFolder)
	if err != nil {
		return nil // there is none, or nobody could have put a file there
	}
	defer q.Close()
	names, err := q.Names()
	if err != nil {
		return nil
	}
	for _, file := range names {
		name, ok := parseQuarantined(file)
		if p.known[file] || !ok || p.only != "" && name.Task != p.only {
			continue
		}
		info, err := q.Lstat(file)
		if err != nil || p.Now()-info.Changed/1e9 > unfinishedFor {
			continue
		}
		if reason := p.folder.suspicion(q, file, name); reason != "" {
			effect, err := p.tell(ctx, board.QuarantineNote{Task: name.Task, Run: name.Run, File: file, Reason: reason, Unfinished: true}, true)
			if err != nil {
				return err
			}
			if effect.Told {
				p.report.add(Result{File: file, Task: name.Task, Run: name.Run, Outcome: Quarantined, Reason: reason, Aside: file,
					Reclaimed: effect.Reclaimed, Blocked: effect.Blocked})
			}
		}
		p.know(file)
	}
	return nil
}

// suspicion says what is wrong with a file in the quarantine, by its content.
// It is empty for one in which nothing is wrong: the board, or a person, did not
// want it.
func (f *Folder) suspicion(q Dir, file string, name Name) string {
	_, data, err := readFile(q, file, f.trusts)
	var bad *fault
	if err == nil {
		var r Record
		if r, err = decode(data); err == nil {
			if err = r.agree(f.slug, name); err == nil {
				_, err = r.result()
			}
		}
	}
	if errors.As(err, &bad) {
		return bad.reason
	}
	return ""
}
