package ui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
)

// RunPlain is Run line by line: commands are read from in and everything is
// answered by lines on out, without colours and without moving a cursor. The
// actions, their questions and their refusals are those of the screen.
func RunPlain(ctx context.Context, deps Deps, opts Options, in io.Reader, out io.Writer) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	deps.Editor = nil // it would want the terminal
	opts.NoColor, opts.Still, opts.Notify, opts.Mouse, opts.Terminal = true, true, false, false, nil
	m, err := NewModel(ctx, deps, opts)
	if err != nil {
		return exitFailed, err
	}
	m.setSigns(themes.Words)
	program := tea.NewProgram(&teller{m: m, out: out, epoch: -1}, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutRenderer(), tea.WithoutSignalHandler())
	go listen(in, program.Send)
	return m.end(ctx, cancel, program)
}

func (m *Model) setSigns(signs themes.Signs) {
	m.signs = signs
	m.newBoard()
}

// heard is a line that was read, or the end of them.
type heard struct {
	line string
	end  bool
	err  error // why there are no more
}

// longestLine bounds a command.
const longestLine = 64 << 10

// listen reads commands until there are no more. A line that is too long is the
// end: what comes after it could be anything.
func listen(in io.Reader, send func(tea.Msg)) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		send(heard{line: lines.Text()})
	}
	send(heard{end: true, err: lines.Err()})
}

// teller puts the root model into words. It runs the model's actions and answers
// its dialogs; what the model then shows is told once it has come to rest.
type teller struct {
	m     *Model
	out   io.Writer
	heard []heard // not carried out yet
	over  bool
	args  string // what was given to the last command beside its cards

	epoch    int // of the board that was told of, -1 for none
	snap     *core.Snapshot
	said     string // the message
	state    string // of the dispatcher
	standing map[string]bool
	asked    dialog // the dialog that was told of
	waiting  bool   // for an answer to its question
	read     page   // the page that was read out
}

// aimed stands for the card that a command names, "" for none. It shows nothing.
type aimed struct {
	pane
	id string
}

func (p *aimed) card() string          { return p.id }
func (*aimed) title(*Model) row        { return nil }
func (*aimed) rows(*Model, int) []row  { return nil }
func (t *teller) Init() tea.Cmd        { return t.m.Init() }
func (t *teller) View() tea.View       { return tea.NewView("") }
func (t *teller) line(words ...string) { _, _ = fmt.Fprintln(t.out, strings.Join(words, " ")) }

// Update gives a message to the model, tells what came of it, and carries out
// what was heard as far as nothing is under way.
func (t *teller) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer t.m.recoverInto(&cmd)
	if h, ok := msg.(heard); ok {
		t.heard = append(t.heard, h)
	} else {
		_, cmd = t.m.Update(msg)
	}
	t.tell()
	for len(t.heard) > 0 && t.quiet() && t.m.panic == nil && !t.over {
		next := t.heard[0]
		t.heard = t.heard[1:]
		cmd = tea.Batch(cmd, t.do(next))
		t.tell()
	}
	return t, cmd
}

// quiet reports whether everything that was asked of the board is answered. A
// tick, which may take long, holds nothing up.
func (t *teller) quiet() bool {
	ticks := 0
	if t.m.disp.busy {
		ticks = 1
	}
	return t.m.inFlight <= ticks && (t.m.snap != nil || t.m.stale != nil)
}

// do carries out a line: an answer where something was asked, else a command.
func (t *teller) do(h heard) tea.Cmd {
	words := strings.TrimSpace(h.line)
	switch {
	case t.m.dialog != nil && h.end:
		t.line("No answer: nothing was done.")
		t.heard = append(t.heard, h)
		return t.m.cancelDialog()
	case t.m.dialog != nil:
		return t.answer(words)
	case h.end:
		if h.err != nil {
			t.line("Error: the next command cannot be read: " + clean(h.err.Error()))
		}
		t.over = true
		return tea.Quit
	case words == "":
		return nil
	}
	return t.command(words)
}

// command does an action by its name, about the cards that are named.
func (t *teller) command(words string) tea.Cmd {
	name, rest, _ := strings.Cut(words, " ")
	if own := t.own(strings.ToLower(name)); own != nil {
		own(strings.TrimSpace(rest))
		return nil
	}
	a := t.m.named(name)
	if a == nil || !spoken(a) {
		t.line("Not a command here: " + clean(name) + ". Write help for all of them.")
		return nil
	}
	ids, rest := t.cards(a, rest)
	t.args, t.said = strings.TrimSpace(rest), ""
	if a.scope == onPage {
		t.chooseLine()
	} else if !t.aim(a, ids) {
		return nil
	}
	if a.id == "quit" {
		t.over = true
	}
	return t.m.run(a)
}

// named is the action of that name, or on that key, of which texts for the
// screen speak; nil for none.
func (m *Model) named(name string) *action {
	id := strings.ToLower(name)
	if other := aliases[id]; other != "" {
		id = other
	}
	for i := range m.actions {
		if a := &m.actions[i]; a.id == id {
			return a
		}
	}
	for i := range m.actions {
		if a := &m.actions[i]; spoken(a) && slices.Contains(a.keys, name) {
			return a
		}
	}
	return nil
}

// cards are the cards named at the beginning of what follows a command: several
// where each can be done on its own, else one.
func (t *teller) cards(a *action, rest string) (ids []string, more string) {
	for {
		rest = strings.TrimSpace(rest)
		id, after, _ := strings.Cut(rest, " ")
		known := t.m.snap != nil && t.m.snap.ByID[id] != nil
		if !known && !strings.HasPrefix(id, "t_") || len(ids) == 1 && !a.many {
			return ids, rest
		}
		ids, rest = append(ids, id), after
	}
}

// aim points the model at cards.
func (t *teller) aim(a *action, ids []string) bool {
	for _, id := range ids {
		if t.m.snap == nil || t.m.snap.ByID[id] == nil {
			t.line("No card " + clean(id) + " is on this board.")
			return false
		}
	}
	t.m.board.Unpick()
	switch {
	case len(ids) == 0:
		t.m.page = &aimed{}
	case len(ids) == 1 && a.id != "reconcile":
		t.m.page = &aimed{id: ids[0]}
	default:
		t.m.page = nil
		for _, id := range ids {
			t.m.board.PickCard(id)
		}
	}
	return true
}
