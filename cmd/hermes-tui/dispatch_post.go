package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/attention"
	"github.com/hermes-tui/hermes-tui/core/dispatch"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// post is a board that this command dispatches.
type post struct {
	*app
	label      string // its slug where there are several, else empty
	dispatcher *dispatch.Dispatcher
	options    dispatch.Options
	lock       *home.Lock
	attention  *attention.Watch
	said       string // the last complaint; the same one is not said again
}

// takePost opens the board for dispatching. A loop holds the board's loop lock
// for as long as it lives.
func (a *app) takePost(ctx context.Context, o dispatching) (*post, error) {
	d, err := a.openDispatcher(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	if o.allowNetworkFS {
		d.NetworkFS = nil
	}
	d.Once = o.once
	p := &post{app: a, dispatcher: d, options: o.Options}
	if !o.lanesSaid {
		p.options.LanesOnly = a.settings()().Dispatch == home.DispatchLanes
	}
	if o.once {
		return p, nil
	}
	if p.lock, err = a.loopLock(); err != nil {
		return nil, err
	}
	p.attention = a.attention(d)
	if err := p.attention.Look(ctx, nil); err != nil {
		p.complain(err)
	}
	return p, nil
}

// leave gives the board back.
func (p *post) leave() {
	if p.lock != nil {
		_ = p.lock.Release() // the kernel frees it with the process in any case
	}
}

// pause is the time between two ticks.
func (p *post) pause(o dispatching) time.Duration {
	if o.interval > 0 {
		return o.interval
	}
	return time.Duration(p.dispatcher.Rules().DispatchInterval) * time.Second
}

func (p *post) tick(ctx context.Context) (*dispatch.Report, error) {
	return p.dispatcher.Tick(ctx, p.options)
}

// round is one tick of a loop with all that is said about it. The error has been
// told: what stands against one tick may be gone at the next, such as a lock, a
// full disk, or a board that is being restored.
func (p *post) round(ctx context.Context) error {
	if _, err := p.dispatcher.Board.Poll(ctx); err != nil {
		return p.failed(ctx, err) // the file was taken away, or another one cannot be opened
	}
	report, err := p.tick(ctx)
	switch {
	case errors.Is(err, dispatch.ErrNetworkFS):
		return err
	case errors.Is(err, dispatch.ErrWatching):
		p.watching(report, err)
	case err != nil:
		return p.failed(ctx, err)
	default:
		p.said = ""
		p.report(report)
	}
	p.callForHelp(ctx, report)
	return err
}

// failed tells that a tick could not go on, unless that is because the program
// ends.
func (p *post) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if p.flags.json {
		p.printJSON(boardFailure{p.label, failureOf(err)})
	}
	p.complain(err)
	return err
}

// boardFailure is what scripts get for a board that could not be dispatched.
type boardFailure struct {
	Board string   `json:"board,omitempty"`
	Error *failure `json:"error"`
}

// watching tells why nothing is dispatched.
func (p *post) watching(report *dispatch.Report, err error) {
	if p.flags.json {
		p.report(report)
	}
	p.complain(err)
}

// complain says for a person what is wrong, once while it stays the same.
func (p *post) complain(err error) {
	if line := p.prefix() + err.Error(); line != p.said {
		p.said = line
		p.say(line)
	}
}

func (p *post) prefix() string {
	if p.label == "" {
		return ""
	}
	return fmt.Sprintf("board %s: ", p.label)
}

// boardReport is the report of one of several boards.
type boardReport struct {
	Board string `json:"board"`
	*dispatch.Report
}

// report prints what a tick did: one JSON object, or the lines that say
// something.
func (p *post) report(r *dispatch.Report) {
	switch {
	case p.flags.json && p.label != "":
		p.printJSON(boardReport{p.label, r})
		return
	case p.flags.json:
		p.printJSON(r)
		return
	case r.SkippedLocked:
		p.line("skipped: another dispatcher is in its tick")
		return
	}
	for _, l := range r.Lines() {
		p.line(l)
	}
	if waiting := dispatch.Waiting(r); waiting != "" {
		p.line(waiting)
	}
	p.line(fmt.Sprintf("tick: %s started, %d reconciled, %d held, %d skipped",
		core.Count(len(r.Spawned), "worker"), len(r.Reconciled), len(r.Held), len(r.Skipped)))
}

func (p *post) line(l string) { p.print("%s%s", p.prefix(), text.Clean(l)) }
