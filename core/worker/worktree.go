package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
)

// gitLimit bounds everything that git does for one workspace.
const gitLimit = 60 * time.Second

// errNoRepository: there is no git repository where the card wants a worktree.
var errNoRepository = errors.New("not inside a git repository")

// worktree finds or makes the git worktree of a card.
func worktree(ctx context.Context, s Spec, env []string) (Workspace, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	program, err := FindProgram("git", env)
	if err != nil {
		return Workspace{}, err
	}
	g := git{ctx: ctx, program: program, env: gitEnvironment(env)}
	at, err := g.worktree(s, env)
	if ctx.Err() != nil {
		return Workspace{}, fmt.Errorf("git did not end with the worktree of card %q: %w; look whether its repository can be reached", s.Task.ID, ctx.Err())
	}
	return at, err
}

func (g git) worktree(s Spec, env []string) (Workspace, error) {
	branch := strings.TrimSpace(s.Task.BranchName)
	if branch == "" {
		branch = "wt/" + s.Task.ID
	}
	// git reads a name that begins with a dash as an option.
	if _, err := g.run("/", "check-ref-format", "refs/heads/"+branch); err != nil || strings.HasPrefix(branch, "-") {
		return Workspace{}, fmt.Errorf("%q is no branch name: %w", branch, core.ErrInvalid)
	}
	target, root, err := g.place(s, env, branch)
	if err != nil {
		return Workspace{}, err
	}
	if root == "" {
		return Workspace{Path: target, Branch: branch}, nil
	}
	return g.ensure(root, target, branch)
}

// place decides where the worktree of the card stands and from which repository
// it is made. Without a repository it is there already.
func (g git) place(s Spec, env []string, branch string) (target, root string, err error) {
	anchor := s.Board.DefaultWorkdir
	if anchor != "" {
		if anchor, err = absolute(anchor, env); err != nil {
			return "", "", fmt.Errorf("default folder of board %q: %w", s.Board.Slug, err)
		}
	}
	if s.Task.WorkspacePath == "" {
		if anchor == "" {
			return "", "", fmt.Errorf("card %q wants a worktree but names no path, and board %q has no default folder; set one of them", s.Task.ID, s.Board.Slug)
		}
		return g.anchored(anchor, s.Task.ID)
	}
	wanted, err := absolute(s.Task.WorkspacePath, env)
	if err != nil {
		return "", "", err
	}
	top := g.top(wanted)
	switch {
	case top != "" && same(top, wanted) && g.linked(wanted):
		return g.checkout(wanted, s.Task.ID, branch)
	case top != "" && same(top, wanted), anchor != "" && same(anchor, wanted):
		return g.anchored(wanted, s.Task.ID)
	}
	if root = g.above(wanted); root == "" {
		return "", "", fmt.Errorf("the path %q is %w", wanted, errNoRepository)
	}
	return wanted, root, nil
}

// checkout is for a path that is a worktree already. One of another branch is
// the workspace of another card (children inherit the path of the card they were
// cut from), and two workers in one checkout destroy each other's work.
func (g git) checkout(wanted, task, branch string) (target, root string, err error) {
	if have, err := g.run(wanted, "branch", "--show-current"); err == nil && have == branch {
		return wanted, "", nil
	}
	if root = g.above(wanted); root == "" {
		common, err := g.run(wanted, "rev-parse", "--path-format=absolute", "--git-common-dir")
		if err != nil || filepath.Base(common) != ".git" {
			return "", "", fmt.Errorf("the path %q holds another branch than %q, and its repository cannot be found", wanted, branch)
		}
		root = filepath.Dir(common)
	}
	return filepath.Join(root, ".worktrees", task), root, nil
}

// anchored is the usual place, inside the repository that holds dir.
func (g git) anchored(dir, task string) (target, root string, err error) {
	if root = g.top(dir); root == "" {
		return "", "", fmt.Errorf("the folder %q is %w", dir, errNoRepository)
	}
	return filepath.Join(root, ".worktrees", task), root, nil
}

// ensure makes the worktree, or takes the one that is there from an earlier run
// of the card, whatever branch the worker left in it.
func (g git) ensure(root, target, branch string) (Workspace, error) {
	at := Workspace{Path: target, Branch: branch}
	if top := g.top(target); top != "" && same(top, target) {
		if g.common(top) != g.common(root) {
			return Workspace{}, fmt.Errorf("the folder %q belongs to another repository than %q", target, root)
		}
		return at, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return Workspace{}, fmt.Errorf("make the folder: %w", err)
	}
	args := []string{"worktree", "add", "-b", branch, "--", target, "HEAD"}
	if _, err := g.run(root, "show-ref", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
		args = []string{"worktree", "add", "--", target, branch}
	}
	if _, err := g.run(root, args...); err != nil {
		return Workspace{}, err
	}
	return at, nil
}

// git runs git without a terminal and without the settings of a git that may
// have started us.
type git struct {
	ctx     context.Context
	program string
	env     []string
}

func gitEnvironment(env []string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, "GIT_") {
			out = append(out, e)
		}
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// run returns the trimmed output of git in dir. git starts hooks and filters of
// the repository, so the whole group is ended when the time is up.
func (g git) run(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, g.program, append([]string{"-C", dir}, args...)...)
	cmd.Env = g.env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // a child of ours, not reaped yet
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if g.ctx.Err() != nil {
			err = g.ctx.Err()
		}
		said := errOut.Bytes()
		return "", fmt.Errorf("git %s in %q: %w: %.500q", args[0], dir, err, bytes.TrimSpace(said[max(0, len(said)-500):]))
	}
	return strings.TrimSpace(out.String()), nil
}

// top is the top folder of the checkout that holds dir, or empty.
func (g git) top(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	top, err := g.run(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return top
}

// above is the top folder of the checkout around dir, itself left out.
func (g git) above(dir string) string {
	for dir = filepath.Dir(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return g.top(dir)
		}
	}
}

func (g git) common(dir string) string {
	path, err := g.run(dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return ""
	}
	return path
}

// linked reports whether dir is a worktree beside the main checkout.
func (g git) linked(dir string) bool {
	own, err := g.run(dir, "rev-parse", "--path-format=absolute", "--git-dir")
	return err == nil && own != g.common(dir)
}

// same compares folders, not spellings: links and, on macOS, forms of letters.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
