package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// mode is what the screen does about dispatching.
type mode uint8

const (
	watching    mode = iota // nobody said yet that this screen should dispatch
	dispatching             // a tick runs every interval
	paused                  // dispatching, held by a person for a while
)

// dispatcher runs the ticks of this screen, never two at once.
type dispatcher struct {
	mode      mode
	busy      bool      // a tick is under way
	due       time.Time // of the next one
	lanesOnly bool      // only lanes are served, beside a gateway
	turn      int       // a timer of an older turn is void
	hindrance string    // why the last tick did nothing
	failure   string    // the last tick's error
	last      *dispatch.Report
}

// dispatch starts dispatching: the first tick comes at once.
func (m *Model) dispatch() tea.Cmd {
	m.disp.mode = dispatching
	return m.tick()
}

// pauseOrResume is the p key. A tick under way is not cut short by a pause.
func (m *Model) pauseOrResume() tea.Cmd {
	if m.disp.mode == paused {
		m.say("dispatching again")
		return m.dispatch()
	}
	m.disp.mode = paused
	m.disp.turn++
	m.say("paused: running workers go on, nothing new starts from here")
	return nil
}

// tick asks for one pass, unless one is under way.
func (m *Model) tick() tea.Cmd {
	if m.disp.busy || m.disp.mode != dispatching {
		return nil
	}
	m.disp.busy = true
	m.disp.turn++
	tick, hindrance := m.deps.Tick, m.deps.Hindrance
	return m.ask(func(ctx context.Context) tea.Msg {
		report, err := tick(ctx)
		out := ticked{report: report, err: err}
		if hindrance != nil && (err != nil || report != nil && report.SkippedLocked) {
			out.hindrance = hindrance(ctx)
		}
		return out
	})
}

// onTicked shows what the pass did and plans the next one.
func (m *Model) onTicked(t ticked) tea.Cmd {
	d := &m.disp
	d.busy, d.last, d.hindrance, d.failure = false, t.report, text.Clean(t.hindrance), ""
	m.dirty = true
	switch {
	case errors.Is(t.err, dispatch.ErrWatching):
		if d.hindrance == "" {
			d.hindrance = text.Clean(strings.TrimSuffix(t.err.Error(), ": "+dispatch.ErrWatching.Error()))
		}
	case t.err != nil:
		d.failure = text.Clean(t.err.Error())
		m.complain("tick failed: " + d.failure)
	case t.report != nil:
		if t.report.SkippedLocked && d.hindrance == "" {
			d.hindrance = "held by another dispatcher"
		}
		m.showReport(t.report)
	}
	if d.mode != dispatching {
		return nil
	}
	d.due = m.now().Add(m.opts.Interval)
	d.turn++
	turn := d.turn
	return tea.Tick(m.opts.Interval, func(time.Time) tea.Msg { return tickDue{turn} })
}

// showReport flashes what the tick touched and keeps why it held back.
func (m *Model) showReport(r *dispatch.Report) {
	for _, id := range r.Reconciled {
		m.board.Flash(id, columns.Reconciled, m.now())
	}
	for _, q := range r.Quarantined {
		m.board.Flash(q.Task, columns.Quarantined, m.now())
	}
	if !r.SkippedLocked {
		held := make(map[string]string, len(r.Held))
		for _, note := range r.Held {
			held[note.Task] = note.Reason
		}
		passed := make(map[string]bool, len(r.Skipped))
		for _, note := range r.Skipped {
			passed[note.Task] = true
		}
		m.board.SetFacts(columns.Facts{Known: m.deps.Known, Held: held, Passed: passed})
	}
	if len(r.Errors) > 0 {
		m.complain("tick: " + text.Clean(r.Errors[0]))
	}
}

// dispatcherState is the header's word for it, and whether it needs an eye.
func (m *Model) dispatcherState() (words string, alarming bool) {
	d := &m.disp
	switch {
	case d.mode == paused:
		return "paused", true
	case d.mode == watching && m.deps.Tick == nil && m.deps.NoTick != "":
		return "watching: " + text.Clean(m.deps.NoTick), false
	case d.mode == watching:
		return "watching", false
	case d.hindrance != "":
		return d.hindrance, true
	case d.failure != "":
		return "tick failed", true
	}
	if d.lanesOnly {
		return "dispatching lanes", false
	}
	return "dispatching", false
}

// countdown is when the next tick comes; empty while there is none or nobody
// looks. It steps by ten seconds and only at the end by single ones, because
// each step writes to a terminal that may be far away.
func (m *Model) countdown() string {
	if m.disp.mode != dispatching || !m.focused {
		return ""
	}
	if m.disp.busy {
		return "ticking"
	}
	left, _ := m.countdownStep(m.now())
	if left < 0 {
		return ""
	}
	return fmt.Sprintf("tick in %ds", int(left/time.Second))
}

// countdownStep is the time left as it is shown, and when it shows the next.
func (m *Model) countdownStep(now time.Time) (left time.Duration, next time.Time) {
	left = m.disp.due.Sub(now)
	step := time.Second
	if left > 10*time.Second {
		step = 10 * time.Second
	}
	left = (left + step - 1).Truncate(step)
	return left, m.disp.due.Add(step - left)
}

// nextChange is when the screen changes by itself.
func (m *Model) nextChange(now time.Time) time.Time {
	due := now.Truncate(time.Minute).Add(time.Minute)
	if m.focused || m.counts.running > 0 {
		due = now.Truncate(10 * time.Second).Add(10 * time.Second)
	}
	if m.countdown() != "" && !m.disp.busy {
		if _, next := m.countdownStep(now); next.After(now) {
			due = earlier(due, next)
		}
	}
	if m.board.Pulsing(now) {
		due = earlier(due, now.Add(columns.FlashStep))
	}
	return due
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
