package lane

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/journal"
)

// files are what a runner and its agent exchange in the workspace. Their names
// say card and run: a folder may be shared by cards of several boards. Whoever
// wrote the card may have put anything there, so no link is followed.
type files struct{ prompt, result string }

func filesOf(workspace, task string, run int64) files {
	base := filepath.Join(workspace, ".hermes-tui-"+task+"."+strconv.FormatInt(run, 10))
	return files{prompt: base + ".prompt", result: base + ".result.json"}
}

// remove takes both away. What is missing, or a folder that is not empty, stays
// as it is.
func (f files) remove() {
	_ = os.Remove(f.prompt)
	_ = os.Remove(f.result)
}

// clear removes what stands in the way of this run, and what its earlier runs
// have left: a result from before is not the result of this run.
func (r *Runner) clear(card *core.Detail) files {
	for _, run := range card.Runs {
		if run.EndedAt != nil {
			filesOf(r.Workspace, r.Task, run.ID).remove()
		}
	}
	f := filesOf(r.Workspace, r.Task, r.Run)
	f.remove()
	return f
}

// writePrompt makes the file anew for the agent. One that an earlier route of
// this run was given is replaced.
func (f files) writePrompt(prompt string) error {
	if err := ignoreMissing(os.Remove(f.prompt)); err != nil {
		return fmt.Errorf("make room for the prompt: %w", err)
	}
	out, err := os.OpenFile(f.prompt, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("write the prompt: %w", err)
	}
	_, err = out.WriteString(prompt)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write the prompt: %w", err)
	}
	return nil
}

// readResult reads what the agent wrote into its result file. Nothing, or blanks
// only, is no file; then found is false.
func (f files) readResult() (result Result, found bool, err error) {
	file, err := os.OpenFile(f.result, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Result{}, false, nil
	case err != nil:
		return Result{}, true, noResult("its result file cannot be read: %v", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return Result{}, true, noResult("its result file is no regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, searched+1))
	if err != nil {
		return Result{}, true, noResult("its result file cannot be read: %v", err)
	}
	if len(data) > searched {
		return Result{}, true, noResult("its result file has more than %d bytes, the limit of a result is %d", searched, journal.MaxResult)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return Result{}, false, nil
	}
	result, err = lastObject(string(data))
	return result, true, err
}
