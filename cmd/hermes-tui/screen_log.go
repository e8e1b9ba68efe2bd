package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/ui"
)

// The screen begins this far before the end of a log, and takes at most so many
// lines at a time; the oldest of more are left out.
const (
	screenLogTail  = 256 << 10
	screenLogLines = 2000
)

// screenLog opens the log of a card for the screen. A log that is not there yet
// is waited for.
func (a *app) screenLog(id string) (ui.Log, error) {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, "/\x00") {
		return nil, fmt.Errorf("a card called %q has no log", id)
	}
	l := &screenLog{tail{path: filepath.Join(a.place.Logs, id+".log")}}
	file, err := openLog(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.file = file
	return l, l.skip()
}

// screenLog reads a log from near its end.
type screenLog struct{ tail }

// skip goes to the first line that begins in the last part of the file.
func (l *screenLog) skip() error {
	end, err := l.file.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	from := max(0, end-screenLogTail)
	if _, err = l.file.Seek(from, io.SeekStart); err == nil && from > 0 {
		part := make([]byte, maxLogLine)
		n, rerr := io.ReadFull(l.file, part)
		if rerr != nil && !errors.Is(rerr, io.ErrUnexpectedEOF) {
			err = rerr
		}
		_, serr := l.file.Seek(from+int64(bytes.IndexByte(part[:n], '\n')+1), io.SeekStart)
		err = errors.Join(err, serr)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return nil
}

// Read returns the lines that were finished since the last call.
func (l *screenLog) Read(context.Context) ([]string, error) {
	var lines []string
	err := l.copy(func(line string) {
		if len(lines) == 2*screenLogLines {
			lines = slices.Delete(lines, 0, screenLogLines)
		}
		lines = append(lines, line)
	})
	return lines[max(0, len(lines)-screenLogLines):], err
}

func (l *screenLog) Close() error {
	l.close()
	return nil
}

// editor starts the person's editor on a file, nil where none can be found.
func (a *app) editor() func(string) *exec.Cmd {
	words := strings.Fields(a.env.Get("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(a.env.Get("EDITOR"))
	}
	if len(words) == 0 {
		words = []string{"vi"}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	return func(path string) *exec.Cmd {
		cmd := exec.Command(words[0], append(slices.Clone(words[1:]), path)...)
		cmd.Env = a.env.Vars
		return cmd
	}
}

// names lists those for whom a worker can be started.
func (a *app) names() func() []string {
	settings := a.settings()
	return func() []string {
		names := a.home.Profiles()
		for lane := range settings().Lanes {
			names = append(names, lane)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
}
