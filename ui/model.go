package ui

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// Model is the root: the only Bubble Tea model. Its parts are plain structs
// that draw themselves.
type Model struct {
	ctx     context.Context
	deps    Deps
	opts    Options
	log     *slog.Logger
	actions []action
	working sync.RWMutex // read-locked by every command that runs

	width, height int
	styles        *themes.Styles
	signs         themes.Signs
	dark          bool
	colourless    bool
	focused       bool
	lastKey       time.Time

	snap       *core.Snapshot
	generation int // of the file that the snapshot is from
	board      *columns.Board
	counts     counts
	stale      *stale
	notices    []string
	first      int // first column shown, kept so that the window moves little
	shown      Layout

	pathShown bool // there was room for the board's path in the header

	disp   dispatcher
	page   page   // what stands over or beside the board, nil for nothing
	dialog dialog // what must be answered first, nil for nothing
	filter filter

	message  string
	alarming bool // the message is about something that went wrong

	drafts  map[string][]string // what was typed into forms that were given up
	undos   undos
	touched bool            // something to remember has changed
	theme   string          // chosen on this screen, empty for none
	always  bool            // the person said to dispatch this board whenever it is open
	newest  int64           // the newest event that was on the screen
	mouse   bool            // clicks are taken
	told    map[string]bool // the cards that needed a person when that was looked at last

	inFlight int
	epoch    int // counts the boards shown; answers of an older one are void
	beatAt   time.Time
	beatTurn int

	dirty bool
	frame string
	panic *PanicError
}

type counts struct{ running, ready, need int }

// NewModel returns the model of a screen over deps. It asks nothing before
// Init.
func NewModel(ctx context.Context, deps Deps, opts Options) (*Model, error) {
	if _, err := opts.Themes.Pick(opts.Theme, true); err != nil {
		return nil, fmt.Errorf("open the screen: %w", err)
	}
	if opts.Interval <= 0 {
		opts.Interval = time.Minute
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	m := &Model{
		ctx: ctx, deps: deps, opts: opts, log: log, actions: actionTable(),
		dark: true, colourless: opts.NoColor, focused: true, signs: themes.Unicode, dirty: true,
	}
	if opts.ASCII {
		m.signs = themes.ASCII
	}
	m.deps.BoardName, m.deps.BoardPath = text.Clean(deps.BoardName), text.Clean(deps.BoardPath)
	m.lastKey = m.now()
	m.drafts, m.mouse = map[string][]string{}, opts.Mouse
	if err := m.rebind(opts.Keys); err != nil {
		return nil, fmt.Errorf("open the screen: %w", err)
	}
	m.restyle()
	m.filter = newFilter()
	m.newBoard()
	return m, nil
}

// newBoard begins with an empty board and what was remembered of it.
func (m *Model) newBoard() {
	m.board = columns.New(m.styles, m.signs, m.opts.Still)
	m.board.SetDensity(columns.DensityNamed(m.opts.Density))
	m.board.SetColumns(m.opts.Columns)
	m.board.SetFacts(columns.Facts{Known: m.deps.Known})
	m.restore(m.deps.Kept)
}

func (m *Model) now() time.Time { return m.deps.Now() }

// restyle picks the theme anew: after the terminal told its background or how
// many colours it has.
func (m *Model) restyle() {
	name := m.opts.Theme
	if m.colourless {
		name = "monochrome"
	}
	theme, err := m.opts.Themes.Pick(name, m.dark)
	if err != nil {
		return // the name was checked when the model was made
	}
	m.styles = themes.Build(theme)
	if m.board != nil {
		m.board.SetStyles(m.styles)
	}
	m.dirty = true
}

// Init asks for the board and for the terminal's background. The screen does
// not wait for either.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.poll(), tea.RequestBackgroundColor, m.watchBackground(), m.beat())
}

// Update takes one message. The frame is drawn here, and only if something
// that it shows has changed, so that View costs nothing. A panic ends the
// program in order, with the terminal restored.
func (m *Model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer m.recoverInto(&cmd)
	if m.panic != nil {
		return m, tea.Quit
	}
	cmd = m.handle(msg)
	cmd = tea.Batch(cmd, m.beat())
	if m.dirty {
		m.frame, m.dirty = m.draw(), false
	}
	return m, cmd
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case result:
		m.inFlight--
		if msg.epoch == m.epoch {
			return m.handleResult(msg.msg)
		}
	case tea.KeyPressMsg:
		m.lastKey = m.now()
		return m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.WindowSizeMsg:
		m.width, m.height, m.dirty = msg.Width, msg.Height, true
	case tea.FocusMsg:
		m.focused, m.dirty = true, true
	case tea.BlurMsg:
		m.focused, m.dirty = false, true
	case tea.BackgroundColorMsg:
		m.background(msg.IsDark())
	case tea.ColorProfileMsg:
		if poor := m.opts.NoColor || msg.Profile <= colorprofile.ASCII; poor != m.colourless {
			m.colourless = poor
			m.restyle()
		}
	case uv.DarkColorSchemeEvent:
		m.background(true)
	case uv.LightColorSchemeEvent:
		m.background(false)
	case tea.MouseClickMsg:
		return m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return m.wheel(msg.Mouse())
	case wrote:
		m.onWrote(msg)
		return m.watchBackground()
	case logDue:
		return m.onLogDue(msg)
	case pollDue:
		if msg.epoch != m.epoch {
			return nil
		}
		return tea.Batch(m.poll(), m.save())
	case tickDue:
		if msg.turn == m.disp.turn {
			m.dirty = true
			return m.tick()
		}
	case beatDue:
		if msg.turn == m.beatTurn {
			m.beatAt, m.dirty = time.Time{}, true
		}
	}
	return nil
}

// handleResult takes the answer to something that was asked.
func (m *Model) handleResult(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case polled:
		return m.onPolled(msg)
	case ticked:
		return m.onTicked(msg)
	case detailed:
		m.onDetailed(msg)
	case stood:
		m.onStood(msg)
	case looked:
		m.onLooked(msg)
	case toEdit:
		return m.onToEdit(msg)
	case neighboured:
		m.onNeighboured(msg)
	case found:
		m.onFound(msg)
	case explained:
		m.onExplained(msg)
	case graphed:
		m.onGraphed(msg)
	case logOpened:
		return m.onLogOpened(msg)
	case logRead:
		return m.onLogRead(msg)
	case boardsListed:
		return m.onBoardsListed(msg)
	case boardOpened:
		return m.onBoardOpened(msg)
	case journalsListed:
		m.onJournalsListed(msg)
	case journalShown:
		m.onJournalShown(msg)
	case bulkDone:
		m.onBulkDone(msg)
	case glimpsed:
		return m.onGlimpsed(msg)
	case answered:
		return m.onAnswered(msg)
	case crashed:
		return m.crash(msg.value, msg.stack)
	}
	return nil
}

// onAnswered says what became of a request and looks at the board at once: the
// screen follows the board, not the answer.
func (m *Model) onAnswered(a answered) tea.Cmd {
	for _, id := range a.reconciled {
		m.board.Flash(id, columns.Reconciled, m.now())
	}
	m.dirty = true
	if a.form != nil {
		m.onSent(a.form, a.err)
		if a.err != nil {
			return m.lookNow()
		}
	}
	if a.err != nil {
		m.complain(text.Clean(a.err.Error()))
		return m.lookNow()
	}
	m.undos.took(a.step)
	m.say(text.Clean(a.text))
	return m.lookNow()
}

func (m *Model) say(words string)      { m.message, m.alarming, m.dirty = words, false, true }
func (m *Model) complain(words string) { m.message, m.alarming, m.dirty = words, true, true }

// PanicError is a panic of the screen, found after the terminal was restored.
type PanicError struct {
	Value   any
	LogPath string
}

func (e *PanicError) Error() string {
	if e.LogPath == "" {
		return fmt.Sprintf("the screen broke: %q", fmt.Sprint(e.Value))
	}
	return fmt.Sprintf("the screen broke: %q; running workers were left alone; details are in %q", fmt.Sprint(e.Value), e.LogPath)
}

// recoverInto makes a panic end the program in order. It is deferred.
func (m *Model) recoverInto(cmd *tea.Cmd) {
	if r := recover(); r != nil {
		*cmd = m.crash(r, debug.Stack())
	}
}

// crash logs a panic and leaves.
func (m *Model) crash(value any, stack []byte) tea.Cmd {
	m.log.Error("panic in the screen", "value", fmt.Sprint(value), "stack", string(stack))
	m.panic = &PanicError{value, m.opts.LogPath}
	m.dirty = false
	return tea.Quit
}

// View returns the frame that Update drew.
func (m *Model) View() tea.View {
	v := tea.NewView(m.frame)
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = m.windowTitle()
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	// Repeats are reported so that a key held down cannot act on a second
	// card; the base key, so that letters work on any keyboard layout.
	v.KeyboardEnhancements.ReportEventTypes = true
	v.KeyboardEnhancements.ReportAlternateKeys = true
	return v
}

// gone reports whether an error says that the card is no longer there.
func gone(err error) bool { return errors.Is(err, core.ErrNotFound) }
