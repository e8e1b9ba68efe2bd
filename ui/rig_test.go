package ui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/operator"
	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// fakeBoard is a board in memory.
type fakeBoard struct {
	mu      sync.Mutex
	cards   []core.Card
	events  []core.Event
	details map[string]*core.Detail
	moved   bool
	err     error
	polls   int
	reads   int
	now     func() time.Time

	generation int
}

func (b *fakeBoard) Poll(context.Context) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.polls++
	return b.moved, b.err
}

func (b *fakeBoard) Snapshot(context.Context) (*core.Snapshot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, b.err
	}
	b.moved = false
	b.reads++
	s := core.NewSnapshot(append([]core.Card(nil), b.cards...))
	s.Events = append([]core.Event(nil), b.events...)
	if n := len(s.Events); n > 0 {
		s.NewestEvent = s.Events[n-1].ID
	}
	s.TakenAt = b.now().Unix()
	return s, nil
}

func (b *fakeBoard) Detail(_ context.Context, id string) (*core.Detail, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.cards {
		if b.cards[i].ID != id {
			continue
		}
		if d := b.details[id]; d != nil {
			return d, nil
		}
		c := &b.cards[i]
		return &core.Detail{Task: core.Task{ID: c.ID, Title: c.Title, Status: c.Status, Assignee: c.Assignee, CreatedAt: c.CreatedAt}}, nil
	}
	return nil, fmt.Errorf("read card %q: %w", id, core.ErrNotFound)
}

func (b *fakeBoard) Generation() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.generation
}

// asked is how often the screen polled and read so far.
func (b *fakeBoard) asked() (polls, reads int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.polls, b.reads
}

// change edits the board as another program would.
func (b *fakeBoard) change(edit func(b *fakeBoard)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit(b)
	b.moved = true
}

func (b *fakeBoard) card(id string) *core.Card {
	for i := range b.cards {
		if b.cards[i].ID == id {
			return &b.cards[i]
		}
	}
	panic("no card " + id)
}

func (b *fakeBoard) drop(id string) {
	for i := range b.cards {
		if b.cards[i].ID == id {
			b.cards = append(b.cards[:i], b.cards[i+1:]...)
			return
		}
	}
}

// rig is the screen in a terminal that lives in this process, in a bubble of
// its own time.
type rig struct {
	t     *testing.T
	emu   *vt.SafeEmulator
	keys  *io.PipeWriter
	prog  *tea.Program
	m     *Model
	board *fakeBoard
	deps  Deps
	opts  Options
	bytes *countingWriter
	done  chan error
}

type countingWriter struct {
	mu  sync.Mutex
	out io.Writer
	n   int
	raw strings.Builder
}

func (c *countingWriter) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.n += len(p)
	c.raw.Write(p)
	c.mu.Unlock()
	return c.out.Write(p)
}

func (c *countingWriter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *countingWriter) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// play runs body against a screen of that size. Set may change what the screen
// depends on before it starts.
func play(t *testing.T, w, h int, set func(r *rig), body func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, w, h)
		if set != nil {
			set(r)
		}
		r.start(w, h)
		r.settle()
		body(r)
		r.stop()
	})
}

func newRig(t *testing.T, w, h int) *rig {
	board := &fakeBoard{now: time.Now, moved: true}
	board.cards, board.events = sampleCards(time.Now().Unix())
	r := &rig{t: t, board: board, emu: vt.NewSafeEmulator(w, h), done: make(chan error, 1)}
	r.deps = Deps{
		Board: board, BoardName: "default", BoardPath: "/home/you/.hermes/kanban.db", Now: time.Now,
		Tick: func(context.Context) (*dispatch.Report, error) { return dispatch.NewReport(), nil },
		Stand: func(_ context.Context, id string) (operator.Standing, error) {
			return operator.Standing{Task: core.Task{ID: id, Status: core.Running}, HeartbeatAge: -1, Sighting: core.Sighting{Verdict: core.Dead}}, nil
		},
		Requeue:   func(context.Context, operator.Standing, bool) error { return nil },
		Findings:  func(context.Context) ([]reconcile.Finding, error) { return nil, nil },
		Reconcile: func(_ context.Context, ids []string) ([]string, error) { return ids, nil },
		Replay:    func(context.Context, string) (string, error) { return "nothing to replay", nil },
		Known:     func(name string) bool { return name != "ghost" },
	}
	return r
}

func (r *rig) start(w, h int) {
	r.t.Helper()
	m, err := NewModel(r.t.Context(), r.deps, r.opts)
	if err != nil {
		r.t.Fatal(err)
	}
	r.m = m
	// The input is no terminal here, so line feeds come without the carriage
	// return that a terminal's driver would add.
	_, _ = r.emu.Write([]byte(ansi.SetModeLineFeedNewLine))
	keys, typed := io.Pipe()
	r.keys = typed
	go func() { _, _ = io.Copy(typed, r.emu) }() // the terminal's answers
	r.bytes = &countingWriter{out: r.emu}
	r.prog = tea.NewProgram(m, tea.WithInput(keys), tea.WithOutput(r.bytes), tea.WithWindowSize(w, h), tea.WithFPS(30), tea.WithFilter(peekFilter),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignalHandler(), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	go func() { _, err := r.prog.Run(); r.done <- err }()
}

func (r *rig) stop() {
	r.prog.Kill()
	<-r.done
	hangUp(r.emu)
	_ = r.keys.Close()
	// Timers that the program left behind end in the time of the bubble.
	time.Sleep(2 * time.Hour)
}

// hangUp ends the reading of the emulator's answers. Closing the emulator
// itself would race with that reader.
func hangUp(emu *vt.SafeEmulator) {
	if pipe, ok := emu.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
}

// settle lets everything that is under way come to rest and be drawn. Time is
// the bubble's: nothing waits for real.
func (r *rig) settle() {
	synctest.Wait()
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}

// peek is a message that runs a function between two updates.
type peek struct {
	look func()
	done chan struct{}
}

func peekFilter(_ tea.Model, msg tea.Msg) tea.Msg {
	if p, ok := msg.(peek); ok {
		p.look()
		close(p.done)
		return nil
	}
	return msg
}

// inside runs look where the model may be read.
func (r *rig) inside(look func(m *Model)) {
	p := peek{func() { look(r.m) }, make(chan struct{})}
	r.prog.Send(p)
	<-p.done
}

// selected is the id of the selected card.
func (r *rig) selected() (id string) {
	r.inside(func(m *Model) {
		if c := m.board.Selected(); c != nil {
			id = c.ID
		}
	})
	return id
}

// press sends keys by their names, one after the other.
func (r *rig) press(names ...string) {
	for _, name := range names {
		r.prog.Send(keyPress(name))
		r.settle()
	}
}

// poll waits until the screen has looked at the board again.
func (r *rig) poll() {
	time.Sleep(1100 * time.Millisecond)
	r.settle()
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	special["space"], special["pgdown"] = tea.KeySpace, tea.KeyPgDown
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if key, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(key)[0], Mod: tea.ModCtrl}
	}
	rs := []rune(name)
	if len(rs) != 1 {
		panic("no key " + name)
	}
	if low := strings.ToLower(name); low != name {
		return tea.KeyPressMsg{Code: []rune(low)[0], Text: name, Mod: tea.ModShift}
	}
	return tea.KeyPressMsg{Code: rs[0], Text: name}
}

// text is what stands on the screen.
func (r *rig) text() string { return screenText(r.emu) }

func screenText(emu *vt.SafeEmulator) string {
	var b strings.Builder
	for y := range emu.Height() {
		var line strings.Builder
		for x := 0; x < emu.Width(); {
			c := emu.CellAt(x, y)
			if c == nil || c.Width == 0 {
				line.WriteByte(' ')
				x++
				continue
			}
			line.WriteString(c.Content)
			x += c.Width
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func (r *rig) want(words ...string) {
	r.t.Helper()
	screen := r.text()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			r.t.Errorf("%q is not on the screen:\n%s", w, screen)
		}
	}
}

func (r *rig) wantNot(words ...string) {
	r.t.Helper()
	screen := r.text()
	for _, w := range words {
		if strings.Contains(screen, w) {
			r.t.Errorf("%q is on the screen:\n%s", w, screen)
		}
	}
}

var errGone = errors.New("disk I/O error: \x1b[31mcannot\x1b[m read")

var white = color.White

// sampleCards is a board with something in nearly every column.
func sampleCards(now int64) ([]core.Card, []core.Event) {
	ago := func(d time.Duration) int64 { return now - int64(d/time.Second) }
	cards := []core.Card{
		{ID: "t_0a11be55", Title: "Decide how long sessions live", Status: core.Triage, CreatedAt: ago(26 * time.Hour), Comments: 2},
		{ID: "t_10c4d2aa", Title: "Write the migration notes", Assignee: "docs", Status: core.Todo, CreatedAt: ago(3 * time.Hour), Parents: 2, OpenParents: 2, WaitsFor: "t_30ab41c9", Priority: 2},
		{ID: "t_11c4d2ab", Title: "Announce the release", Assignee: "docs", Status: core.Todo, CreatedAt: ago(5 * time.Hour), Parents: 1, OpenParents: 1, WaitsFor: "t_10c4d2aa"},
		{ID: "t_12c4d2ac", Title: "Measure cold start after the split", Assignee: "perf", Status: core.Todo, CreatedAt: ago(9 * time.Hour), Parents: 1, OpenParents: 1, WaitsFor: "t_31ab41ca"},
		{ID: "t_209f2c01", Title: "Fix the login flow after the session moved", Assignee: "dev", Status: core.Ready, CreatedAt: ago(3 * time.Hour), Priority: 5, Comments: 3},
		{ID: "t_219f2c02", Title: "日本語のタイトルを直す 🔐", Assignee: "dev", Status: core.Ready, CreatedAt: ago(49 * time.Hour), Priority: 1, Failures: 1, LastError: "pid 5 not alive"},
		{ID: "t_229f2c03", Title: "Remove the old flag", Status: core.Ready, CreatedAt: ago(52 * time.Hour)},
		{ID: "t_239f2c04", Title: "Tidy fixtures", Assignee: "ghost", Status: core.Ready, CreatedAt: ago(60 * time.Hour)},
		{ID: "t_30ab41c9", Title: "Port the parser to the new lexer", Assignee: "dev", Status: core.Running, CreatedAt: ago(4 * time.Hour), ClaimLock: "box:4100", WorkerPID: 4242, RunID: 12, RunStarted: ago(12 * time.Minute), Heartbeat: ago(8 * time.Second), Attempts: 2, Priority: 4, Children: 4, DoneChildren: 1},
		{ID: "t_31ab41ca", Title: "Split the cache into two stores", Assignee: "perf", Status: core.Running, CreatedAt: ago(5 * time.Hour), ClaimLock: "box:4100", WorkerPID: 4243, RunID: 13, RunStarted: ago(47 * time.Minute), Heartbeat: ago(25 * time.Second), Attempts: 1},
		{ID: "t_32ab41cb", Title: "Rebuild search index", Assignee: "ops", Status: core.Running, CreatedAt: ago(7 * time.Hour), ClaimLock: "box:4100", WorkerPID: 4244, RunID: 14, RunStarted: ago(2 * time.Hour), Heartbeat: ago(11 * time.Minute), Attempts: 3},
		{ID: "t_33ab41cc", Title: "Summarise the incident of Tuesday", Assignee: "docs", Status: core.Running, CreatedAt: ago(8 * time.Hour), RunID: 15, RunStarted: ago(3 * time.Hour), Attempts: 1},
		{ID: "t_40e0aa10", Title: "Rotate the signing keys", Assignee: "ops", Status: core.Blocked, CreatedAt: ago(30 * time.Hour), BlockKind: "needs_input", BlockReason: "which vault holds the old key?", Priority: 3, Comments: 1},
		{ID: "t_41e0aa11", Title: "Import invoices", Assignee: "dev", Status: core.Blocked, CreatedAt: ago(50 * time.Hour), BlockReason: "gave up after 2 crashes"},
		{ID: "t_50d1bb20", Title: "Refactor the scheduler", Assignee: "lead", Status: core.Review, CreatedAt: ago(20 * time.Hour)},
	}
	for i := range 28 {
		c := core.Card{ID: fmt.Sprintf("t_6%07x", i*7919), Title: []string{"Ship dark mode", "Fix flaky upload test", "Cache the avatars", "Write the runbook", "Trim the image"}[i%5],
			Assignee: []string{"dev", "ops", "docs"}[i%3], Status: core.Done, CreatedAt: ago(90 * time.Hour), CompletedAt: ago(time.Duration(i+1) * 47 * time.Minute),
			Summary: []string{"merged, all checks green", "retry with jitter", "", "reviewed by ops"}[i%4]}
		cards = append(cards, c)
	}
	cards[len(cards)-1].CompletedAt = 0
	events := []core.Event{{ID: 100, TaskID: "t_209f2c01", Kind: "created", CreatedAt: ago(3 * time.Hour)}}
	return cards, events
}
