package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Exit codes of Run beside 0.
const (
	exitFailed = 1
	exitPanic  = 2
	exitSignal = 128 // plus the number of the signal
)

// lastWork is how long Run waits at the end for commands that still work on
// the board; they were told to stop.
const lastWork = 5 * time.Second

// Run shows the board until the person leaves. It returns the exit code and,
// unless that is 0 or a signal's, an error to print: by then the terminal is as
// it was. Running workers are left alone in every case.
func Run(ctx context.Context, deps Deps, opts Options) (int, error) {
	return run(ctx, deps, opts)
}

func run(ctx context.Context, deps Deps, opts Options, extra ...tea.ProgramOption) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := NewModel(ctx, deps, opts)
	if err != nil {
		return exitFailed, err
	}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(30), tea.WithoutSignalHandler()}
	if opts.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	return m.end(ctx, cancel, tea.NewProgram(m, append(options, extra...)...))
}

// end runs the program that the model is in until the person leaves.
func (m *Model) end(ctx context.Context, cancel context.CancelFunc, p *tea.Program) (int, error) {
	opts := m.opts
	caught := catchSignals(ctx, p)
	_, err := p.Run()
	if opts.Terminal != nil {
		_, _ = io.WriteString(opts.Terminal, ansi.ResetModeLightDark) // the library does not know of it
	}
	cancel()
	m.waitForWork()
	m.saveNow()
	switch {
	case m.panic != nil:
		return exitPanic, m.panic
	case errors.Is(err, tea.ErrProgramPanic):
		return exitPanic, &PanicError{err, opts.LogPath}
	}
	select {
	case sig := <-caught:
		return exitSignal + int(sig), nil
	default:
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return exitFailed, fmt.Errorf("show the board: %w", err)
	}
	return 0, nil
}

// catchSignals ends the program in order on a signal that asks for it; the
// library alone would leave the terminal raw on a hangup. A second signal, or a
// program that cannot end because its terminal takes no more, is killed.
func catchSignals(ctx context.Context, p *tea.Program) <-chan syscall.Signal {
	raw := make(chan os.Signal, 2)
	caught := make(chan syscall.Signal, 1)
	signal.Notify(raw, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer signal.Stop(raw)
		select {
		case <-ctx.Done():
			return
		case s := <-raw:
			if sig, ok := s.(syscall.Signal); ok {
				caught <- sig
			}
		}
		go p.Quit() // it waits for the event loop
		select {
		case <-ctx.Done():
		case <-raw:
			p.Kill()
		case <-time.After(lastWork):
			p.Kill()
		}
	}()
	return caught
}

// waitForWork lets commands that were told to stop leave the board, for a
// bounded time.
func (m *Model) waitForWork() {
	idle := make(chan struct{})
	go func() {
		m.working.Lock()
		defer m.working.Unlock()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(lastWork):
		m.log.Warn("the screen closed while something still worked on the board")
	}
}
