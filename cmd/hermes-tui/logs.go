package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// maxLogLine bounds one line of a log; the rest of a longer one is a line of its
// own.
const maxLogLine = 64 << 10

func (a *app) logsCommand() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "Print the log of a card's workers",
		Long:  "Prints what the workers of a card wrote, without colours and control sequences. With --follow it goes on until\nit is ended; --json prints one object per line.",
		Args:  exactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.logs(cmd.Context(), args[0], follow) },
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "go on and print what is written")
	return cmd
}

func (a *app) logs(ctx context.Context, id string, follow bool) error {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, "/\x00") {
		return usage(fmt.Errorf("%q is no id of a card; see: hermes-tui task list", id))
	}
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	path := filepath.Join(a.place.Logs, id+".log")
	log, err := openLog(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := b.Task(ctx, id); gone != nil {
			return a.elsewhere(ctx, id, gone)
		}
		if !follow {
			return fmt.Errorf("task %q: %w: no worker has written a log yet (%q)", id, core.ErrRefused, path)
		}
	} else if err != nil {
		return fmt.Errorf("read the log of task %q: %w", id, err)
	}
	t := &tail{path: path, file: log}
	defer t.close()
	for {
		if err := t.copy(a.logLine); err != nil {
			return fmt.Errorf("read the log of task %q: %w", id, err)
		}
		if !follow {
			t.flush(a.logLine)
			return nil
		}
		if sleep(ctx, followEvery) != nil || a.unsaid != nil {
			return nil
		}
	}
}

// logLine prints one line of a log, harmless and without colours.
func (a *app) logLine(line string) {
	line = ansi.Strip(text.LogLine(line))
	if a.flags.json {
		a.printJSON(map[string]string{"line": line})
		return
	}
	a.print("%s", line)
}

// openLog opens a log that is a regular file. What else may lie there could make
// the reader wait for ever.
func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%q is no regular file", path), err, f.Close())
	}
	return f, nil
}

// tail reads the lines of a log that grows, and goes on with the new file when
// the log is rotated.
type tail struct {
	path string
	file *os.File // nil while there is none
	rest []byte   // an unfinished line
}

// copy hands over every finished line that is there by now.
func (t *tail) copy(line func(string)) error {
	for {
		if err := t.drain(line); err != nil {
			return err
		}
		if !t.rotated() {
			return nil
		}
		t.flush(line)
		t.close()
		f, err := openLog(t.path)
		if err != nil {
			return err
		}
		t.file = f
	}
}

func (t *tail) drain(line func(string)) error {
	if t.file == nil {
		return nil
	}
	in := bufio.NewReaderSize(t.file, maxLogLine)
	for {
		chunk, err := in.ReadSlice('\n')
		t.rest = append(t.rest, chunk...)
		if bytes.HasSuffix(t.rest, []byte("\n")) || len(t.rest) >= maxLogLine {
			t.flush(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// rotated reports whether the path leads to another file by now, or to one that
// was cut.
func (t *tail) rotated() bool {
	there, err := os.Stat(t.path)
	if err != nil {
		return false // between two files, or none yet
	}
	if t.file == nil {
		return true
	}
	open, err := t.file.Stat()
	if err != nil || !os.SameFile(there, open) {
		return true
	}
	at, err := t.file.Seek(0, io.SeekCurrent)
	return err == nil && there.Size() < at
}

// flush hands over a line that nobody has finished.
func (t *tail) flush(line func(string)) {
	if len(t.rest) > 0 {
		line(string(t.rest))
		t.rest = t.rest[:0]
	}
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // it was only read
		t.file = nil
	}
}
