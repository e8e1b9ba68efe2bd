package lane

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Beginnings of lines that tell a reader of a log where a run begins and how it
// ended. They belong to whoever started the run and to its runner.
const (
	runMark    = "=== HERMES_KANBAN_RUN "
	exitMark   = "[kanban-worker-exit] rc="
	maxOwnLine = 1000 // bytes of a line of the runner's own
)

// An agent that prints without end must not fill the disk: of one run the log
// takes this much, and after that only what was printed last before each line of
// the runner's own, where the reason of a failure stands.
const (
	maxLog  = 64 << 20
	keptLog = 16 << 10
)

// cardLog is the log of a card while its agent works. What the agent prints goes
// in as it is, except that a line of its own that looks like one of the marks, of
// a log that it shows perhaps, is indented. A log that cannot be written, on a
// full disk, ends nobody's work. It may be used by several goroutines.
type cardLog struct {
	mu     sync.Mutex
	w      io.Writer
	within bool   // the last line is not ended
	held   []byte // the beginning of a line that may become a mark
	taken  int64  // bytes of the agent's that were written
	tail   []byte // the end of what was not
	left   int64  // bytes that were not written since the last line of our own
}

// Write takes output of the agent and never fails.
func (l *cardLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(p) {
		l.part(line)
	}
	return len(p), nil
}

// part takes a line, or a part of one.
func (l *cardLog) part(p []byte) {
	if !l.within {
		p = append(l.held, p...)
		l.held = nil
		if mayBecome(p, runMark) || mayBecome(p, exitMark) {
			l.held = p
			return
		}
		if bytes.HasPrefix(p, []byte(runMark)) || bytes.HasPrefix(p, []byte(exitMark)) {
			p = append([]byte("  "), p...)
		}
	}
	l.put(p)
	l.within = !bytes.HasSuffix(p, []byte("\n"))
}

// put writes what the agent printed while there is room for it.
func (l *cardLog) put(p []byte) {
	if l.taken+int64(len(p)) <= maxLog {
		l.taken += int64(len(p))
		_, _ = l.w.Write(p)
		return
	}
	if l.taken <= maxLog {
		l.taken = maxLog + 1
		fmt.Fprintf(l.w, "\n[hermes-tui] the log of this run is full (%d bytes); of the rest only the end is kept\n", maxLog)
	}
	l.left += int64(len(p))
	l.tail = append(l.tail, p...)
	if len(l.tail) > 2*keptLog {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-keptLog:]...)
	}
}

// catchUp writes the end of what there was no room for, indented, because a cut
// can make a mark out of the middle of a line.
func (l *cardLog) catchUp() {
	if l.left == 0 {
		return
	}
	end := l.tail[max(0, len(l.tail)-keptLog):]
	fmt.Fprintf(l.w, "[hermes-tui] %d bytes were left out here\n  %s", l.left-int64(len(end)), end)
	l.left, l.tail = 0, nil
}

// mayBecome reports whether p is a beginning of mark that is not whole yet.
func mayBecome(p []byte, mark string) bool {
	return len(p) < len(mark) && strings.HasPrefix(mark, string(p))
}

// say writes a line of the runner's own. What an agent said in it stays in one
// line and is cut.
func (l *cardLog) say(format string, args ...any) {
	l.line("[hermes-tui] " + cutEnd(oneLine(fmt.Sprintf(format, args...)), maxOwnLine))
}

// exit leaves the last line of a run.
func (l *cardLog) exit(code int) { l.line(fmt.Sprint(exitMark, code)) }

func (l *cardLog) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(l.held)
	l.catchUp()
	if l.within || len(l.held) > 0 {
		text = "\n" + text
	}
	l.within, l.held = false, nil
	_, _ = io.WriteString(l.w, text+"\n")
}
