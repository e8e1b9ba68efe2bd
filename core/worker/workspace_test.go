package worker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
)

func workspaceIn(t *testing.T, dir string, task core.Task, anchor string) (Workspace, error) {
	t.Helper()
	task.ID = "t_1"
	s := starterIn(dir)
	return resolveWorkspace(t.Context(), Spec{Task: task, Board: Board{Slug: "default", Workspaces: filepath.Join(dir, "ws"), DefaultWorkdir: anchor}}, s.Env)
}

func TestFoldersToWorkIn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind, path string
		want       string // relative to dir; empty for an error
	}{
		"scratch":           {"scratch", "", "ws/t_1"},
		"old row":           {"", "", "ws/t_1"},
		"scratch elsewhere": {"scratch", filepath.Join(dir, "else/where"), "else/where"},
		"scratch relative":  {"scratch", "else", ""},
		"dir":               {"dir", filepath.Join(dir, "d/e"), "d/e"},
		"dir at home":       {"dir", "~/mine", "mine"},
		"dir untidy":        {"dir", dir + "/x/../y", "y"},
		"dir relative":      {"dir", "d", ""},
		"dir of nobody":     {"dir", "~other/d", ""},
		"dir without path":  {"dir", "", ""},
		"a file":            {"dir", filepath.Join(dir, "file"), ""},
		"below a file":      {"dir", filepath.Join(dir, "file", "x"), ""},
		"unknown kind":      {"cloud", "", ""},
	} {
		got, err := workspaceIn(t, dir, core.Task{WorkspaceKind: c.kind, WorkspacePath: c.path}, "")
		if c.want == "" {
			if err == nil || !strings.HasPrefix(err.Error(), "workspace: ") {
				t.Errorf("%s: %+v %v", name, got, err)
			}
			continue
		}
		info, statErr := os.Stat(filepath.Join(dir, c.want))
		if err != nil || got != (Workspace{Path: filepath.Join(dir, c.want)}) || statErr != nil || !info.IsDir() {
			t.Errorf("%s: %+v %v %v", name, got, err, statErr)
		}
	}
}

// repository makes a repository with one commit and the branch "there".
func repository(t *testing.T, path string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	gitIn(t, "/", "init", "-q", "-b", "main", path)
	gitIn(t, path, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "--allow-empty", "-m", "first")
	gitIn(t, path, "branch", "there")
	return path
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestWorktreesOfACard(t *testing.T) {
	for name, c := range map[string]struct {
		path, anchor, branch string // paths relative to the temporary folder
		wantPath, wantBranch string
	}{
		"anchor":                   {"", "repo", "", "repo/.worktrees/t_1", "wt/t_1"},
		"anchor inside":            {"", "repo/sub", "", "repo/.worktrees/t_1", "wt/t_1"},
		"named branch":             {"", "repo", "feature/x", "repo/.worktrees/t_1", "feature/x"},
		"branch that is there":     {"", "repo", "there", "repo/.worktrees/t_1", "there"},
		"root of a repository":     {"repo", "", "", "repo/.worktrees/t_1", "wt/t_1"},
		"path is the anchor":       {"repo/sub", "repo/sub", "", "repo/.worktrees/t_1", "wt/t_1"},
		"path in the repository":   {"repo/trees/mine", "", "", "repo/trees/mine", "wt/t_1"},
		"occupied by another":      {"repo/.worktrees/t_0", "", "", "repo/.worktrees/t_1", "wt/t_1"},
		"occupied, ours":           {"repo/.worktrees/t_0", "", "wt/t_0", "repo/.worktrees/t_0", "wt/t_0"},
		"occupied far away":        {"far", "", "", "repo/.worktrees/t_1", "wt/t_1"},
		"own, from an earlier run": {"repo/.worktrees/t_0", "", "wt/t_0", "repo/.worktrees/t_0", "wt/t_0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			repo := repository(t, filepath.Join(dir, "repo"))
			if err := os.Mkdir(filepath.Join(repo, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			gitIn(t, repo, "worktree", "add", "-q", "-b", "wt/t_0", filepath.Join(repo, ".worktrees", "t_0"))
			gitIn(t, repo, "worktree", "add", "-q", "-b", "far", filepath.Join(dir, "far"))
			under := func(p string) string {
				if p == "" {
					return ""
				}
				return filepath.Join(dir, p)
			}
			task := core.Task{WorkspaceKind: "worktree", WorkspacePath: under(c.path), BranchName: c.branch}
			for range 2 { // the second time it is there already
				got, err := workspaceIn(t, dir, task, under(c.anchor))
				if err != nil || got.Path != under(c.wantPath) || got.Branch != c.wantBranch {
					t.Fatalf("got %+v %v", got, err)
				}
				if have := gitIn(t, got.Path, "branch", "--show-current"); have != c.wantBranch {
					t.Errorf("the branch there is %q", have)
				}
			}
		})
	}
}

func TestWorktreesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	repo := repository(t, filepath.Join(dir, "repo"))
	other := repository(t, filepath.Join(repo, "trees", "other"))
	foreign := repository(t, filepath.Join(dir, "foreign"))
	repository(t, filepath.Join(foreign, ".worktrees", "t_1"))
	full := filepath.Join(repo, "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, anchor, branch string }{
		"no anchor":             {"", "", ""},
		"relative anchor":       {"", "repo", ""},
		"relative path":         {"repo", "", ""},
		"no repository":         {filepath.Join(dir, "plain"), "", ""},
		"anchor without":        {"", dir, ""},
		"branch is a switch":    {repo, "", "--force"},
		"branch with a space":   {repo, "", "a b"},
		"branch walks":          {repo, "", "a..b"},
		"full folder":           {full, "", ""},
		"of another repository": {"", foreign, ""},
		"branch by position":    {repo, "", "@{-1}"},
		"checked out already":   {repo, "", "main"},
	} {
		task := core.Task{WorkspaceKind: "worktree", WorkspacePath: c.path, BranchName: c.branch}
		if got, err := workspaceIn(t, dir, task, c.anchor); err == nil || !strings.HasPrefix(err.Error(), "workspace: ") {
			t.Errorf("%s: %+v %v", name, got, err)
		} else if strings.HasPrefix(name, "branch ") && !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%s: git was asked: %v", name, err)
		}
	}
	if !exists(other) || !exists(filepath.Join(full, "x")) {
		t.Error("something was deleted")
	}
}

func TestGitThatHangsIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	gate := fifo(t, dir)
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(dir, "begun")
	script := "#!/bin/sh\n: > " + begun + "\nread x < " + gate + "\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := resolveWorkspace(ctx, Spec{Task: core.Task{ID: "t_1", WorkspaceKind: "worktree", WorkspacePath: dir}}, []string{"PATH=" + bin})
		done <- err
	}()
	until(t, "git begins", func() bool { return exists(begun) })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
