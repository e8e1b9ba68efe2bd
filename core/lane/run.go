package lane

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// exitLost is no exit code: the run is another worker's by now, or nobody's, and
// so may be the log.
const exitLost = -2

// Runner works on one run of one card.
type Runner struct {
	Board   *board.Board
	Journal *journal.Journal
	Place   home.Board
	Lane    home.Lane
	Task    string
	Run     int64
	Lock    string // the claim lock of the run
	TTL     int64  // seconds that a renewed claim lasts

	Workspace string // absolute path
	Branch    string
	Env       []string // of this process; the agent gets it with a few more
	// Kill ends every process that this one has started and that is left.
	Kill  func()
	Now   func() int64 // epoch seconds
	After func(time.Duration) <-chan time.Time
	// FindProgram says where the program of a route is, with an error if nowhere.
	FindProgram func(name string, env []string) (string, error)

	log  *cardLog
	lost atomic.Bool // the card does not work on this run any more
}

// Work runs the agent, brings its result to the board and returns the exit code
// of the runner, or exitLost.
func (r *Runner) Work(ctx context.Context) int {
	card, code := r.card(ctx)
	if card == nil {
		return code
	}
	keep := r.prepareSafe()
	defer keep.close()
	exchange := r.clear(card)
	working, end := context.WithCancel(ctx)
	defer end()
	stopBeating := r.beat(working, end)
	result, code := r.tryRoutes(working, card, exchange)
	stopBeating()
	if result != nil {
		code = r.deliver(ctx, card, *result, keep, exchange)
	} else {
		exchange.remove()
	}
	if r.lost.Load() {
		return exitLost
	}
	return code
}

// card reads the card that this run works on. Without one it returns the exit
// code.
func (r *Runner) card(ctx context.Context) (*core.Detail, int) {
	card, err := r.Board.Detail(ctx, r.Task)
	if errors.Is(err, board.ErrInterrupted) {
		if err = r.Board.Recover(ctx); err == nil {
			card, err = r.Board.Detail(ctx, r.Task)
		}
	}
	switch {
	case errors.Is(err, core.ErrNotFound) || err == nil && !r.holds(card):
		r.log.say("run %d does not hold the card any more; nothing was started", r.Run)
		return nil, exitLost
	case err != nil:
		r.log.say("cannot read the card: %v", err)
		return nil, exitLater
	}
	return card, exitOK
}

func (r *Runner) holds(card *core.Detail) bool {
	return card.Task.Status == core.Running && card.Task.CurrentRun != nil && *card.Task.CurrentRun == r.Run
}

// tryRoutes runs the agent by one route after the other until one gives a
// result, fails or cannot work. Without a result it returns the exit code that
// says why.
func (r *Runner) tryRoutes(ctx context.Context, card *core.Detail, exchange files) (*Result, int) {
	prompt, err := r.prompt(ctx, card, exchange)
	if err != nil {
		r.log.say("cannot read what the card waited for: %v", err)
		return nil, exitLater
	}
	var limit <-chan time.Time
	if r.Lane.MaxRuntime > 0 {
		limit = r.After(time.Duration(r.Lane.MaxRuntime) * time.Second)
	}
	code := exitConfig // no program is there
	for _, route := range r.Lane.Routes {
		if left := r.cooldowns().Left(route, r.Now()); left > 0 {
			r.log.say("route %s is passed over for another %d s: it met a quota", route.Name, left)
			code = exitLater
			continue
		}
		env := r.environment(route, exchange)
		program, err := r.FindProgram(route.Command[0], env)
		if err != nil {
			r.log.say("route %s is passed over: %v", route.Name, err)
			continue
		}
		a := attempt{
			argv: argv(route, program, prompt, exchange.prompt), dir: r.Workspace, env: env, log: r.log,
			limit: limit, kill: r.Kill, after: r.After,
		}
		result, answer, next := r.attempt(ctx, route, a, prompt, exchange)
		if !next {
			return result, answer
		}
		code = exitLater
	}
	if code == exitConfig {
		r.log.say("none of the %s can be run", core.Count(len(r.Lane.Routes), "route"))
	}
	return nil, code
}

// attempt runs the agent by one route. It says that the next route is to be
// tried, or gives a result, or an exit code. A result counts however the agent
// ended and whatever else it printed: the work is done.
func (r *Runner) attempt(ctx context.Context, route home.Route, a attempt, prompt string, exchange files) (result *Result, code int, next bool) {
	switch route.Prompt {
	case home.PromptStdin:
		a.stdin = prompt
	case home.PromptFile:
		if err := exchange.writePrompt(prompt); err != nil {
			r.log.say("%v", err)
			return nil, codeOf(err), false
		}
	}
	r.log.say("route %s: %s", route.Name, filepath.Base(a.argv[0]))
	e, err := a.run(ctx)
	if err != nil {
		r.log.say("route %s: %v", route.Name, err)
		return nil, codeOf(err), false
	}
	found, err := r.result(e, route, exchange)
	if err == nil && found.Status != Failed {
		return &found, exitOK, false
	}
	r.Kill() // nothing of this attempt may disturb what comes next
	if reported, code := r.reported(ctx); reported {
		return nil, code, false
	}
	switch {
	case e.stopped:
		return nil, exitFailed, false
	case e.timedOut:
		r.log.say("the agent was stopped at its time limit of %d s and had reported nothing", r.Lane.MaxRuntime)
	case e.quota(route):
		r.log.say("route %s met a quota or rate limit", route.Name)
		if err := r.cooldowns().Start(route, r.Now()); err != nil {
			r.log.say("%v", err)
		}
		return nil, exitLater, true
	case e.code == exitConfig:
		r.log.say("the agent cannot work with its credentials or model")
		return nil, exitConfig, false
	case err != nil:
		r.log.say("the agent ended with %d: %v", e.code, err)
	default:
		r.log.say("the agent reports that it failed: %s", found.Reason)
	}
	return nil, exitFailed, false
}

// result takes the result from the file, which wins, or from the output.
func (r *Runner) result(e ended, route home.Route, exchange files) (Result, error) {
	if result, found, err := exchange.readResult(); found {
		return result, err
	}
	return FindResult(e.stdout, route.Output)
}

// reported reports whether the run has its result already, by a journal that the
// agent wrote itself or by what it did to the card. Then nobody else is started.
func (r *Runner) reported(ctx context.Context) (bool, int) {
	if waits, err := r.Journal.Place.HasPending(r.Task, r.Run); err == nil && waits {
		r.log.say("the agent has made its result durable by itself; the next tick applies it")
		return true, exitLater
	}
	if card, err := r.Board.Detail(ctx, r.Task); err == nil && !r.holds(card) {
		r.log.say("the card does not work on run %d any more; it is %s", r.Run, card.Task.Status)
		return true, exitLost
	}
	return false, 0
}

// environment is what the agent gets: all that this process has, what the route
// adds, and where the result may be put. A later one of two names counts.
func (r *Runner) environment(route home.Route, exchange files) []string {
	env := slices.Clone(r.Env)
	for name, value := range route.Env {
		env = append(env, name+"="+value)
	}
	return append(env, "HERMES_TUI_RESULT_FILE="+exchange.result)
}

func (r *Runner) prompt(ctx context.Context, card *core.Detail, exchange files) (string, error) {
	b := Brief{
		Card: card, Workspace: r.Workspace, Branch: r.Branch, ResultFile: exchange.result,
		Attachments: r.attachments(), Limit: r.limit(card),
	}
	for _, link := range card.Parents {
		parent, err := r.Board.Task(ctx, link.ID)
		if errors.Is(err, core.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		b.Parents = append(b.Parents, parent)
	}
	return b.Prompt(), nil
}

// limit is the time that the agent is told to have: the shorter of the lane's
// limit, which is kept here, and the card's, which the dispatcher keeps so that
// it ends every worker alike.
func (r *Runner) limit(card *core.Detail) time.Duration {
	seconds := r.Lane.MaxRuntime
	if of := card.Task.MaxRuntime; of != nil && *of > 0 && (seconds == 0 || *of < seconds) {
		seconds = *of
	}
	return time.Duration(seconds) * time.Second
}

// attachments lists the files that belong to the card.
func (r *Runner) attachments() []string {
	dir := filepath.Join(r.Place.Attachments, r.Task)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func (r *Runner) cooldowns() Cooldowns {
	return Cooldowns{File: filepath.Join(r.Place.StateRoot, r.Place.Slug, "run", "cooldowns.json")}
}
