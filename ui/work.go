package ui

import (
	"context"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
)

// The messages that commands bring back.
type (
	// result wraps every message of a command that asked something of the
	// board, so that the model knows how many are still under way.
	result struct {
		msg   tea.Msg
		epoch int
	}

	// crashed is a panic in such a command.
	crashed struct {
		value any
		stack []byte
	}

	polled struct {
		snap       *core.Snapshot // nil when nothing moved
		generation int            // of the file that it is from
		err        error
	}

	ticked struct {
		report    *dispatch.Report
		err       error
		hindrance string
	}

	detailed struct {
		id     string
		detail *core.Detail
		err    error
	}

	// answered is what became of something a person asked for.
	answered struct {
		form       *form // that asked for it, nil for none
		step       *step // how it is undone, nil where it cannot be
		text       string
		err        error
		reconciled []string
	}

	pollDue struct{ epoch int }
	tickDue struct{ turn int }
	beatDue struct{ turn int }
)

// ask runs f off the screen's goroutine. A panic in it comes back as a message
// and ends the program in order.
func (m *Model) ask(f func(ctx context.Context) tea.Msg) tea.Cmd {
	m.inFlight++
	epoch := m.epoch
	return func() (msg tea.Msg) {
		m.working.RLock()
		defer m.working.RUnlock()
		defer func() {
			if r := recover(); r != nil {
				msg = result{crashed{r, debug.Stack()}, epoch}
			}
		}()
		return result{f(m.ctx), epoch}
	}
}

// InFlight is how many questions to the board have not been answered yet.
func (m *Model) InFlight() int { return m.inFlight }

// poll looks whether the board moved and reads it if so.
func (m *Model) poll() tea.Cmd {
	board, must := m.deps.Board, m.snap == nil || m.stale != nil
	return m.ask(func(ctx context.Context) tea.Msg {
		changed, err := board.Poll(ctx)
		if err != nil || !changed && !must {
			return polled{err: err}
		}
		// Asked before the snapshot: a file that takes the board's place in
		// between makes a decision void, not wrong.
		generation := board.Generation()
		snap, err := board.Snapshot(ctx)
		return polled{snap, generation, err}
	})
}

// lookNow looks at the board at once, without changing the pace of polling.
func (m *Model) lookNow() tea.Cmd {
	board := m.deps.Board
	if board == nil {
		return nil
	}
	return m.ask(func(ctx context.Context) tea.Msg {
		generation := board.Generation()
		if snap, err := board.Snapshot(ctx); err == nil {
			return glimpsed{snap, generation}
		}
		return nil // the next poll tells what is wrong
	})
}

// glimpsed is a snapshot beside the ordinary polls.
type glimpsed struct {
	snap       *core.Snapshot
	generation int
}

// The pace of polling: quick while somebody looks, slow otherwise.
const (
	pollQuick    = 250 * time.Millisecond
	pollSlow     = time.Second
	usedRecently = time.Minute
)

func (m *Model) pollLater() tea.Cmd {
	pace := pollSlow
	if m.focused || m.now().Sub(m.lastKey) < usedRecently {
		pace = pollQuick
	}
	epoch := m.epoch
	return tea.Tick(pace, func(time.Time) tea.Msg { return pollDue{epoch} })
}

// onPolled swaps the snapshot in. A failure keeps the last known board.
func (m *Model) onPolled(p polled) tea.Cmd {
	next := m.pollLater()
	if p.err != nil {
		if m.stale == nil || m.stale.cause != p.err.Error() {
			since := m.now()
			if m.stale != nil {
				since = m.stale.since
			}
			m.stale = &stale{since: since, err: p.err, cause: p.err.Error()}
			m.dirty = true
		}
		return next
	}
	if m.stale != nil {
		m.stale, m.dirty = nil, true
	}
	if p.snap == nil {
		return next
	}
	first := m.snap == nil
	m.take(p.snap, p.generation)
	if first && (m.opts.Dispatch && m.epoch == 0 || m.always) && m.deps.Tick != nil {
		// Not before: a board that cannot be read is not dispatched.
		next = tea.Batch(next, m.dispatch())
	}
	return tea.Batch(next, m.refreshPage(), m.notify())
}

// onGlimpsed takes a snapshot unless a newer one is on the screen already.
func (m *Model) onGlimpsed(g glimpsed) tea.Cmd {
	if m.snap == nil || m.stale != nil || g.snap.NewestEvent < m.snap.NewestEvent || g.snap.TakenAt < m.snap.TakenAt {
		return nil
	}
	m.take(g.snap, g.generation)
	return m.refreshPage()
}

// take swaps a snapshot in.
func (m *Model) take(snap *core.Snapshot, generation int) {
	m.dirty = true
	if m.snap != nil && generation != m.generation {
		m.forgetFile()
	}
	m.news(snap)
	m.snap, m.generation = snap, generation
	m.board.SetSnapshot(snap)
	if m.deps.Notices != nil {
		m.notices = m.deps.Notices()
	}
}

// forgetFile lets go of what was remembered of a file that another one has taken
// the place of: its events have numbers of their own, and a card of the same id
// need not be the same card.
func (m *Model) forgetFile() {
	for id := range m.board.Marks() {
		m.board.Seen(id)
	}
	m.snap, m.newest, m.touched = nil, 0, true
	m.say("the board file was replaced by another one; this is what is in it")
}

// stale says that the board on screen is not the board of now.
type stale struct {
	since time.Time
	err   error
	cause string
}

// beat wakes the screen when something it shows is due to change by itself:
// a flash, the countdown, an age, the clock. One timer serves all.
func (m *Model) beat() tea.Cmd {
	now := m.now()
	due := m.nextChange(now)
	switch {
	case m.beatAt.IsZero():
	case !m.beatAt.After(now):
		m.dirty = true // its timer is about to fire, or comes too late now
	case !due.Before(m.beatAt):
		return nil
	}
	m.beatAt = due
	m.beatTurn++
	turn := m.beatTurn
	return tea.Tick(due.Sub(now), func(time.Time) tea.Msg { return beatDue{turn} })
}
