package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/process"
)

// world is a machine with one card, which a runner works on.
type world struct {
	fs    *memFS
	board *modelBoard
	kind  worldKind
	// acked says that somebody was promised that the result is durable.
	acked bool
}

// worldKind says what a world begins with.
type worldKind struct {
	slot   bool // the runner reserved space
	full   bool // the record says when its run started
	newer  bool // the card was given to run 2 meanwhile
	broken bool // there is no runner, but a torn file
}

func (k worldKind) String() string {
	return fmt.Sprintf("slot=%t,full=%t,newer=%t,broken=%t", k.slot, k.full, k.newer, k.broken)
}

const broken = `{"board":"b","task_id":"t_1","expe`

func newWorld(k worldKind, m mutant) *world {
	fs := newMemFS()
	w := &world{fs: fs, board: newModelBoard(fs), kind: k}
	if k.newer {
		w.board.card.reclaim()
		w.board.card.runs[2] = modelRun{started: fs.now}
		w.board.card.status, w.board.card.current = core.Running, 2
		w.board.disk = w.board.card.copy()
	}
	if k.broken {
		dir, name := fs.node(directory), Name{Task: "t_1", Run: 1}.pending()
		torn := fs.node(regular)
		torn.data, torn.disk = []byte(broken), []byte(broken)
		dir.names[name], dir.durable[name] = torn, torn
		fs.root.names["b"], fs.root.durable["b"] = dir, dir
	}
	fs.mutant = m
	return w
}

func (w *world) journal() *Journal {
	open := func(open func(Dir, string, []uint32) (*Folder, error)) func() (*Folder, error) {
		return func() (*Folder, error) { return open(w.fs.open(), "b", []uint32{0}) }
	}
	return &Journal{
		Board: w.board, Held: func(string, int64) bool { return false },
		Sight:      func(process.Worker) core.Sighting { return core.Sighting{Verdict: core.Dead} },
		Now:        func() int64 { return w.fs.now },
		openFolder: open(openFolder), makeFolder: open(makeFolder),
	}
}

const content = "the work of an hour"

func (w *world) record() Record {
	r := Record{Board: "b", Task: "t_1", Run: 1, Result: new(`{"status":"completed"}`), Summary: new(content), WrittenAt: w.fs.now}
	if w.kind.full {
		started := w.fs.now - 60
		r.RunStarted = &started
	}
	return r
}

// runner is the process that ran the agent.
func (w *world) runner() {
	if w.kind.broken {
		return
	}
	j := w.journal()
	defer func() { w.acked = w.board.told }()
	var slot *Slot
	if w.kind.slot {
		if f, err := j.make(); err == nil {
			slot, _ = f.Reserve("t_1", 1)
		}
	}
	r, err := j.Submit(context.Background(), w.record(), slot)
	if err == nil && r.Outcome != Waiting {
		w.board.told = true
	}
}

// dispatcher starts, replays, and takes back what is left.
func (w *world) dispatcher() {
	j := w.journal()
	_, _ = j.Replay(context.Background(), ReplayOptions{Eager: true})
	waits := false
	f, err := j.open()
	if err == nil {
		waits, err = f.has(Name{Task: "t_1", Run: 1}.pending())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && !waits && w.board.card.status == core.Running && w.board.card.current == 1 {
		_ = w.board.commit(func(c *modelCard) { c.reclaim() })
	}
}

// play runs a program under a plan and reports whether it came to its end.
func (w *world) play(p plan, program func()) (ended bool) {
	w.fs.machine = machine{plan: p}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(crash); !ok {
				panic(r)
			}
			ended = false
		}
		w.fs.plan = peaceful
	}()
	program()
	return true
}

func (w *world) copy() *world {
	return w.on(w.fs.copy(), w.board.card)
}

func (w *world) on(fs *memFS, card modelCard) *world {
	b := &modelBoard{fs: fs, card: card.copy(), disk: w.board.disk.copy(), told: w.board.told}
	return &world{fs: fs, board: b, kind: w.kind, acked: w.acked}
}

// after returns what may be left when the program was killed, or the power cut.
func (w *world) after(power bool) []*world {
	if !power {
		return []*world{w.copy()}
	}
	var out []*world
	for _, fs := range w.fs.powerCuts() {
		out = append(out, w.on(fs, w.board.disk))
	}
	return out
}

// explorer plays schedules and stops at the first that breaks a promise.
type explorer struct {
	deep    bool // recovery is broken and crashed too, after an error as well
	limit   int  // of schedules; 0 for none
	count   int
	failure string
}

func (e *explorer) full() bool { return e.failure != "" || e.limit > 0 && e.count >= e.limit }

// explore plays every schedule of a world.
func (e *explorer) explore(k worldKind, m mutant) {
	e.crashes(k, m, plan{}, "")
	for at := 1; !e.full(); at++ {
		reached := false
		for f := range failures {
			p := plan{errorAt: at, failure: f, crashAt: -1}
			w := newWorld(k, m)
			w.play(p, w.runner)
			if w.fs.op < at {
				break
			}
			reached = true
			e.recover(w, fmt.Sprintf("%v/%v error %d at %d", k, m, f, at), e.deep)
			e.crashes(k, m, p, fmt.Sprintf("error %d at %d, ", f, at))
		}
		if !reached {
			return
		}
	}
}

// crashes stops the runner after each write, by kill and by power cut.
func (e *explorer) crashes(k worldKind, m mutant, p plan, what string) {
	for at := 0; !e.full(); at++ {
		w := newWorld(k, m)
		p.crashAt = at
		ended := true
		if at > 0 {
			ended = w.play(p, w.runner)
		}
		w.acked = w.board.told
		if at > 0 && ended && at > w.fs.writes {
			return
		}
		for _, power := range []bool{false, true} {
			for i, left := range w.after(power) {
				e.recover(left, fmt.Sprintf("%v/%v %scrash at %d power=%t image %d", k, m, what, at, power, i), e.deep || p.errorAt == 0)
			}
		}
	}
}

// recover lets a dispatcher start on what is left, undisturbed, and where it is
// worth it once more with each of its operations failing and after each crash.
func (e *explorer) recover(w *world, what string, disturb bool) {
	calm := w.copy()
	calm.play(peaceful, calm.dispatcher)
	e.judge(calm, what)
	if !disturb || e.full() {
		return
	}
	for at := 1; !e.full(); at++ {
		again := w.copy()
		ended := again.play(plan{crashAt: at}, again.dispatcher)
		if ended && at > again.fs.writes {
			break
		}
		for _, power := range []bool{false, true} {
			for i, left := range again.after(power) {
				left.play(peaceful, left.dispatcher)
				e.judge(left, fmt.Sprintf("%s, recovery crash at %d power=%t image %d", what, at, power, i))
			}
		}
	}
	for at := 1; !e.full(); at++ {
		for f := range failures {
			again := w.copy()
			again.play(plan{errorAt: at, failure: f, crashAt: -1}, again.dispatcher)
			if again.fs.op < at {
				return
			}
			again.play(peaceful, again.dispatcher)
			e.judge(again, fmt.Sprintf("%s, recovery error %d at %d", what, f, at))
		}
	}
}

// judge ends one schedule: a quiet dispatcher has been here.
func (e *explorer) judge(w *world, what string) {
	if e.full() {
		return
	}
	e.count++
	if err := w.promises(); err != nil {
		e.failure = what + ": " + err.Error()
	}
}

// promises are what must be true after any schedule.
func (w *world) promises() error {
	card := w.board.card
	run, pending := card.runs[1], Name{Task: "t_1", Run: 1}.pending()
	dir := w.fs.root.names["b"]
	in := func(name string) *node {
		if dir == nil {
			return nil
		}
		return dir.names[name]
	}
	if card.status == core.Blocked || card.failures != 0 {
		return errors.New("an error of the journal blocked the card or counted against it")
	}
	if other := card.runs[2]; other.applied != 0 {
		return errors.New("a result reached another run")
	}
	if w.kind.broken {
		return w.brokenPromises(card, in(quarantineFolder), in(pending))
	}
	if q := in(quarantineFolder); q != nil && len(q.names) > 0 {
		return errors.New("a good result went to quarantine")
	}
	switch {
	case run.applied > 1:
		return errors.New("a result was applied twice")
	case run.applied == 1 && run.summary != content:
		return errors.New("a torn result was applied")
	case w.kind.newer && run.applied != 0:
		return errors.New("a late result was applied although a newer run exists")
	case w.kind.newer && w.acked && in(pending) == nil:
		return errors.New("a late result was not kept")
	case !w.kind.newer && w.acked && run.applied != 1:
		return errors.New("a durable result was lost")
	case run.applied == 1 && in(pending) != nil:
		return errors.New("an applied result is still pending")
	case !w.kind.newer && card.current != 0:
		return errors.New("the run was neither completed nor taken back")
	}
	return w.quiet()
}

func (w *world) brokenPromises(card modelCard, q, pending *node) error {
	if pending != nil {
		return errors.New("a torn record is still pending")
	}
	if q == nil || len(q.names) != 1 {
		return errors.New("a torn record is not in quarantine once")
	}
	for name, n := range q.names {
		if string(n.data) != broken || n.mode != 0o600 {
			return errors.New("the bytes or the mode in quarantine changed")
		}
		if card.events[name] != 1 {
			return fmt.Errorf("the card was told %d times of its quarantined journal", card.events[name])
		}
	}
	if card.runs[1].outcome != core.Reclaimed {
		return errors.New("the run of a torn record was not taken back")
	}
	return w.quiet()
}

// quiet starts one more dispatcher, which must find nothing to do.
func (w *world) quiet() error {
	writes, names := w.board.card.writes, w.listing()
	w.play(peaceful, w.dispatcher)
	if w.board.card.writes != writes || w.listing() != names {
		return errors.New("a second replay changed something")
	}
	return nil
}

func (w *world) listing() string {
	var out string
	var walk func(string, *node)
	walk = func(path string, n *node) {
		if n.kind == directory {
			for _, name := range sortedNames(n) {
				walk(path+"/"+name, n.names[name])
			}
			return
		}
		out += fmt.Sprintf("%s %d %q\n", path, n.ino, n.data)
	}
	walk("", w.fs.root)
	return out
}

// kinds are the worlds that are explored.
var kinds = []worldKind{
	{}, {slot: true}, {full: true}, {full: true, slot: true}, {newer: true}, {newer: true, full: true}, {broken: true},
}

func TestNoScheduleOfErrorsAndCrashesLosesOrDoublesAResult(t *testing.T) {
	e := &explorer{}
	// All of them, millions, take minutes.
	e.deep = os.Getenv("HERMES_TUI_SCHEDULES") == "all"
	for _, k := range kinds {
		before := e.count
		if slower > 1 {
			e.limit = before + 20_000/slower/len(kinds)
		}
		e.explore(k, sound)
		t.Logf("%v: %d schedules", k, e.count-before)
	}
	t.Logf("%d schedules", e.count)
	if e.failure != "" {
		t.Error(e.failure)
	}
	if want := 10_000; slower == 1 && e.count < want {
		t.Errorf("only %d schedules were played, want %d", e.count, want)
	}
}

func TestTheSchedulesCatchEveryMutant(t *testing.T) {
	for m := sound + 1; m < mutants; m++ {
		t.Run(m.String(), func(t *testing.T) {
			e := &explorer{}
			for _, k := range kinds {
				// Without a newer run these two do nothing wrong.
				if k.newer || m != noRunGuard && m != lateToNewer {
					e.explore(k, m)
				}
			}
			if e.failure == "" {
				t.Errorf("not caught in %d schedules", e.count)
			}
			t.Logf("caught in schedule %d: %s", e.count, e.failure)
		})
	}
}

func TestVerificationFindsCommitsThatWereNotDurable(t *testing.T) {
	e := &explorer{}
	for _, k := range []worldKind{{full: true}, {full: true, slot: true}} {
		e.explore(k, normalUnverified)
	}
	if e.failure != "" {
		t.Error(e.failure)
	}
	t.Logf("%d schedules", e.count)
}
