package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

const (
	logTail    = 4000 // bytes at the end of a worker's log that are looked at
	outputTail = 400  // code points of last output that are worth a card
)

// RunMark is the line that a starter writes into a worker's log before the
// worker runs. The log goes on from run to run, and without the mark the exit
// of an earlier run would be taken for that of a worker which was killed.
func RunMark(task string, run int64) string {
	return fmt.Sprintf("=== HERMES_KANBAN_RUN task=%s run=%d ===", task, run)
}

var (
	runMark     = regexp.MustCompile(`(?m)^=== HERMES_KANBAN_RUN task=\S+ run=\d+ ===\r?$`)
	exitTrailer = regexp.MustCompile(`(?m)^\[kanban-worker-exit\] rc=(\d+)\s*$`)
	// What the agent's own program prints around the answer.
	chrome = regexp.MustCompile(`[\x{2500}-\x{257F}]+`)
	noise  = regexp.MustCompile(`^(session_id:|Query:|Initializing agent|\[kanban-worker-exit\] rc=|Resume this session with:|hermes (--resume|-c) |(Session|Title|Duration|Messages): {2,})`)
)

// ExitFromLog returns the exit code that a worker of Hermes left as the last
// thing in its own log, for deaths that nobody waited for. It is false when the
// newest run in the log left none.
func ExitFromLog(path string) (int, bool) {
	text, err := newestRun(path)
	if err != nil {
		return 0, false
	}
	all := exitTrailer.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, false
	}
	code, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		return 0, false
	}
	return code, true
}

// LastOutput returns the last words of the newest run in a worker's log, at
// most 400 code points, without the frame that the agent's program draws around
// them. They come from the worker and may hold anything.
func LastOutput(path string) string {
	text, err := newestRun(path)
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		line = strings.TrimSpace(chrome.ReplaceAllString(line, ""))
		if line != "" && !noise.MatchString(line) {
			lines = append(lines, line)
		}
	}
	out := strings.Join(lines, "\n")
	for over := utf8.RuneCountInString(out) - outputTail; over > 0; over-- {
		_, size := utf8.DecodeRuneInString(out)
		out = out[size:]
	}
	return strings.TrimSpace(out)
}

// newestRun returns the end of a log, from the last mark of a run on.
func newestRun(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("open the log of a worker: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at the log of a worker: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("the log %q is not a regular file", path)
	}
	// One byte more tells whether the first line is whole.
	from := max(0, info.Size()-logTail-1)
	data := make([]byte, info.Size()-from)
	n, err := f.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the log of a worker: %w", err)
	}
	text := string(data[:n])
	if from > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	if marks := runMark.FindAllStringIndex(text, -1); len(marks) > 0 {
		text = text[marks[len(marks)-1][1]:]
	}
	return text, nil
}
