package lane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// Times of a runner.
const (
	beatEvery  = 30 * time.Second
	applyWait  = 60 * time.Second // how long a finished result waits for a busy board
	quotaPause = 300              // seconds for which a route is passed over after a quota
)

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
	Log       io.Writer
	// Kill ends every process that this one has started and that is left.
	Kill  func()
	Now   func() int64 // epoch seconds
	After func(time.Duration) <-chan time.Time
	// FindProgram says where the program of a route is, with an error if nowhere.
	FindProgram func(name string, env []string) (string, error)
}

// Work runs the agent, brings its result to the board and returns the exit code
// of the runner.
func (r *Runner) Work(ctx context.Context) int {
	card, err := r.Board.Detail(ctx, r.Task)
	if err != nil {
		r.say("cannot read the card: %v", err)
		return exitFailed
	}
	if card.Task.CurrentRun == nil || *card.Task.CurrentRun != r.Run || card.Task.Status != core.Running {
		r.say("run %d does not hold the card any more; nothing was started", r.Run)
		return exitOK
	}
	slot := r.reserve()
	working, lost := context.WithCancel(ctx)
	defer lost()
	stopBeating := r.beat(working, lost)
	result, code := r.tryRoutes(working, card)
	stopBeating()
	if result == nil {
		return code
	}
	return r.deliver(ctx, card, *result, slot)
}

// reserve makes room for the result before the agent starts, so that a disk that
// fills up meanwhile does not take the result away. Without room the work goes
// on: the result may still fit when it is there.
func (r *Runner) reserve() *journal.Slot {
	folder, err := r.Journal.Place.Make()
	if err != nil {
		r.say("no room could be reserved for the result: %v", err)
		return nil
	}
	defer folder.Close()
	slot, err := folder.Reserve(r.Task, r.Run)
	if err != nil {
		r.say("no room could be reserved for the result: %v", err)
		return nil
	}
	return slot
}

// beat gives heartbeats and renews the claim until it is stopped. A run that was
// lost ends the work: its result could reach nobody by itself any more.
func (r *Runner) beat(ctx context.Context, lost func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.say("the heartbeat failed: %v", p)
			}
		}()
		for {
			if err := r.beatOnce(ctx); errors.Is(err, core.ErrChanged) || errors.Is(err, core.ErrRefused) || errors.Is(err, core.ErrNotFound) {
				r.say("the run was taken from this worker: %v", err)
				lost()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-r.After(beatEvery):
			}
		}
	}()
	return func() { cancel(); <-done }
}

// beatOnce reports what stands against it; a board that is busy does not.
func (r *Runner) beatOnce(ctx context.Context) error {
	target := board.Target{ID: r.Task, Run: &r.Run}
	if err := r.Board.Heartbeat(ctx, target, ""); err != nil {
		return err
	}
	_, err := r.Board.ExtendClaim(ctx, target, r.Lock, r.TTL)
	return err
}

// tryRoutes runs the agent by one route after the other until one gives a
// result. Without a result it returns the exit code that says why.
func (r *Runner) tryRoutes(ctx context.Context, card *core.Detail) (*Result, int) {
	prompt, files, err := r.brief(ctx, card)
	if err != nil {
		r.say("cannot prepare the prompt: %v", err)
		return nil, exitFailed
	}
	defer files.remove()
	cooling, missing := 0, 0
	for _, route := range r.Lane.Routes {
		key := routeKey(route)
		if until := r.cooldowns().Until(key); until > r.Now() {
			r.say("route %s is passed over for another %d s: it met a quota", route.Name, until-r.Now())
			cooling++
			continue
		}
		program, err := r.FindProgram(route.Command[0], r.Env)
		if err != nil {
			r.say("route %s is passed over: %v", route.Name, err)
			missing++
			continue
		}
		route.Command = slices.Concat([]string{program}, route.Command[1:])
		e, err := r.attempt(ctx, route, prompt, files)
		if err != nil {
			r.say("%v", err)
			missing++
			continue
		}
		switch {
		case e.stopped:
			return nil, exitFailed
		case e.quota(route):
			r.say("route %s met a quota or rate limit", route.Name)
			if err := r.cooldowns().Set(key, r.Now()+quotaPause, r.Now()); err != nil {
				r.say("%v", err)
			}
			cooling++
			continue
		}
		return r.judge(e, route, files)
	}
	return nil, r.noRoute(cooling, missing)
}

// noRoute says why nothing was run: a quota ends by itself, a missing program
// does not.
func (r *Runner) noRoute(cooling, missing int) int {
	if cooling > 0 {
		return exitLater
	}
	r.say("none of the %d routes can be run", missing)
	return exitConfig
}

// judge reads the result of an attempt.
func (r *Runner) judge(e ended, route home.Route, files files) (*Result, int) {
	result, err := e.readResult(files.result, route.Output)
	switch {
	case err == nil && result.Status != Failed:
		return &result, exitOK
	case e.timedOut:
		r.say("the agent was stopped at its time limit and had reported nothing")
		return nil, exitFailed
	case e.code == exitConfig:
		r.say("the agent cannot work with its credentials or model")
		return nil, exitConfig
	case err != nil:
		r.say("the agent ended with %d: %v", e.code, err)
	default:
		r.say("the agent reports that it failed: %s", result.Reason)
	}
	return nil, exitFailed
}

func (r *Runner) attempt(ctx context.Context, route home.Route, prompt string, files files) (ended, error) {
	env := slices.Clone(r.Env)
	for name, value := range route.Env {
		env = append(env, name+"="+value)
	}
	env = append(env, "HERMES_TUI_RESULT_FILE="+files.result)
	r.say("route %s: %s", route.Name, filepath.Base(route.Command[0]))
	return attempt{
		route: route, prompt: prompt, promptFile: files.prompt, dir: r.Workspace, env: env, log: r.Log,
		limit: r.limit(), kill: r.Kill, after: r.After,
	}.run(ctx)
}

// limit is the shorter of the lane's and the card's time limits; 0 means none.
func (r *Runner) limit() time.Duration {
	return time.Duration(r.Lane.MaxRuntime) * time.Second
}

// deliver makes the result durable and brings it to the board. A board that is
// busy is asked again for a while; after that the result waits in the journal
// and cannot be lost.
func (r *Runner) deliver(ctx context.Context, card *core.Detail, result Result, slot *journal.Slot) int {
	record := journal.Record{
		Board: r.Place.Slug, Task: r.Task, Run: r.Run, ClaimLock: &r.Lock, Result: &result.Text,
		Metadata: result.Metadata, WrittenAt: r.Now(),
	}
	if run := currentRun(card); run != nil {
		record.RunStarted = &run.StartedAt
	}
	if result.Summary != "" {
		record.Summary = &result.Summary
	} else if result.Status == Blocked {
		record.Summary = &result.Reason
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyWait)
	defer cancel()
	answer, err := r.Journal.Submit(ctx, record, slot)
	if err != nil {
		r.say("the result could not be kept: %v", err)
		return exitFailed
	}
	r.say("the result is durable: %s %s", answer.Outcome, answer.Reason)
	return answer.ExitCode()
}

func currentRun(card *core.Detail) *core.Run {
	for i := range card.Runs {
		if card.Task.CurrentRun != nil && card.Runs[i].ID == *card.Task.CurrentRun {
			return &card.Runs[i]
		}
	}
	return nil
}

// files are what the runner leaves in the workspace while the agent works.
type files struct{ prompt, result string }

func (f files) remove() {
	_ = os.Remove(f.prompt)
	_ = os.Remove(f.result)
}

// brief writes the prompt and its file. The result file must not be there yet:
// what an earlier attempt left is not this one's result.
func (r *Runner) brief(ctx context.Context, card *core.Detail) (string, files, error) {
	name := ".hermes-tui-" + strconv.FormatInt(r.Run, 10)
	f := files{prompt: filepath.Join(r.Workspace, name+".prompt"), result: filepath.Join(r.Workspace, name+".result.json")}
	f.remove()
	b := Brief{Card: card, Workspace: r.Workspace, Branch: r.Branch, ResultFile: f.result, Limit: r.limit()}
	for _, link := range card.Parents {
		parent, err := r.Board.Task(ctx, link.ID)
		if err != nil {
			return "", f, err
		}
		b.Parents = append(b.Parents, parent)
	}
	b.Attachments = r.attachments()
	prompt := b.Prompt()
	out, err := os.OpenFile(f.prompt, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", f, err
	}
	_, err = out.WriteString(prompt)
	return prompt, f, errors.Join(err, out.Close())
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
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") && len(out) < 50 {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func (r *Runner) cooldowns() Cooldowns {
	return Cooldowns{File: filepath.Join(r.Place.StateRoot, r.Place.Slug, "run", "cooldowns.json")}
}

// routeKey tells routes of the same name in different lanes apart.
func routeKey(route home.Route) string {
	return route.Name + "\x00" + strings.Join(route.Command, "\x00")
}

// say writes a line of the runner's own into the card's log.
func (r *Runner) say(format string, args ...any) {
	fmt.Fprintf(r.Log, "[hermes-tui] "+format+"\n", args...)
}
