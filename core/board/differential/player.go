package differential

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// Player plays one scenario.
type Player struct {
	Home  string
	Board *board.Board
	Procs *Processes
	// More holds operations that are not transitions of a card, by name: a
	// dispatcher's tick, say.
	More map[string]func(*Player, Op) (any, error)

	now   int64
	ids   int
	names map[string]string // "as" -> id
	plain *sql.DB           // the test's own connection, for what is set up by hand
	host  string
}

// Answer is what an operation gave: a value, or the error that refused it.
type Answer struct {
	Value any
	Err   error
}

// Start makes the empty board of a scenario in the folder home.
func Start(ctx context.Context, s Scenario, home string) (*Player, error) {
	host, _, _ := strings.Cut(s.Claimer, ":")
	p := &Player{
		Home: home, Procs: NewProcesses(host), More: map[string]func(*Player, Op) (any, error){},
		now: s.Now, names: map[string]string{}, host: host,
	}
	path := filepath.Join(home, "kanban.db")
	if err := board.Create(ctx, path, time.Second); err != nil {
		return nil, err
	}
	var err error
	p.Board, err = board.Open(ctx, path, board.Options{
		Now: p.Now, NewID: p.newID, Busy: 5 * time.Second, PromoteAll: true,
	})
	if err != nil {
		return nil, err
	}
	p.plain, err = sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_busy_timeout=5000")
	return p, err
}

// Close lets go of both connections.
func (p *Player) Close() error { return errors.Join(p.plain.Close(), p.Board.Close()) }

// Now is the clock of the scenario.
func (p *Player) Now() int64 { return p.now }

func (p *Player) newID() string {
	p.ids++
	return fmt.Sprintf("t_%08x", p.ids)
}

// Play carries out one operation. The error is of the player, not of the
// board: an operation that nobody knows, a field that cannot be read.
func (p *Player) Play(ctx context.Context, op Op) (Answer, error) {
	name := text(op, "op")
	play := ops[name]
	if more := p.More[name]; more != nil {
		value, err := more(p, op)
		return Answer{value, err}, nil
	}
	if play == nil {
		return Answer{}, fmt.Errorf("nobody plays the operation %q", name)
	}
	value, err := play(ctx, p, op)
	return Answer{value, err}, nil
}

// ID is the id that a field of an operation names.
func (p *Player) ID(op Op, field string) string { return p.resolve(text(op, field)) }

// resolve turns "$name" into the id of the card that was created as name.
func (p *Player) resolve(name string) string {
	if as, ok := strings.CutPrefix(name, "$"); ok {
		return p.names[as]
	}
	return name
}

// ids resolves a list of names.
func (p *Player) list(op Op, field string) []string {
	var names []string
	get(op, field, &names)
	for i := range names {
		names[i] = p.resolve(names[i])
	}
	return names
}

// target is the card of an operation, with the run that a worker speaks for.
func (p *Player) target(ctx context.Context, op Op) board.Target {
	target := board.Target{ID: p.ID(op, "id")}
	var current string
	if get(op, "expected_run_id", &current); current == "current" {
		if task, err := p.Board.Task(ctx, target.ID); err == nil {
			target.Run = task.CurrentRun
		}
		return target
	}
	var run int64
	if get(op, "expected_run_id", &run) {
		target.Run = &run
	}
	return target
}

// stop does what is done to a worker before or after a card is taken from it.
func (p *Player) stop(task core.Task) core.Termination {
	return p.Procs.Stop(task.ClaimLock, task.WorkerPID, task.WorkerStarted)
}

// get decodes a field and reports whether it was there and of that type.
func get(op Op, field string, into any) bool {
	raw, there := op[field]
	return there && string(raw) != "null" && json.Unmarshal(raw, into) == nil
}

func text(op Op, field string) string {
	var s string
	get(op, field, &s)
	return s
}

// maybe is a text that may be absent or null.
func maybe(op Op, field string) *string {
	var s string
	if !get(op, field, &s) {
		return nil
	}
	return &s
}

func number(op Op, field string) *int64 {
	var n int64
	if !get(op, field, &n) {
		return nil
	}
	return &n
}

func yes(op Op, field string) bool {
	var b bool
	get(op, field, &b)
	return b
}
