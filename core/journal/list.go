package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// Entry is one journal in a list.
type Entry struct {
	File  string `json:"file"`
	Board string `json:"board"`
	Task  string `json:"task"`
	Run   int64  `json:"run"`
	Size  int64  `json:"size"`
	// Reason says why it waits, why it lost, or why it is in quarantine. Empty
	// means that the next replay applies it, or that all is well.
	Reason string `json:"reason"`
	// Outcome is what a replay would answer now, of a pending one.
	Outcome string `json:"outcome,omitempty"`
	// Late says that a person may accept it: it is a valid result that its run
	// does not have.
	Late     bool  `json:"late,omitempty"`
	Modified int64 `json:"modified"` // epoch seconds
}

// Listing is all that lies in the folder of a board, each by name.
type Listing struct {
	Pending     []Entry `json:"pending"`
	Committed   []Entry `json:"committed"`
	Quarantined []Entry `json:"quarantined"`
}

// List says what lies there, of one card or, with an empty task, of all. It
// moves no file and writes no row.
func (j *Journal) List(ctx context.Context, task string) (Listing, error) {
	l := Listing{Pending: []Entry{}, Committed: []Entry{}, Quarantined: []Entry{}}
	folder, err := j.open()
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	defer folder.Close()
	names, err := folder.dir.Names()
	if err != nil {
		return l, err
	}
	v := viewer{j, folder, task, map[string]map[string]string{}}
	l.Pending, l.Committed = v.folderEntries(ctx, names)
	l.Quarantined = v.quarantined(ctx)
	return l, nil
}

// Plan says what a replay would do now with each pending result, and does
// nothing of it. A folder that is not there has nothing to replay.
func (j *Journal) Plan(ctx context.Context) (Report, error) {
	report := Report{Results: []Result{}}
	l, err := j.List(ctx, "")
	for _, e := range l.Pending {
		report.add(Result{File: e.File, Task: e.Task, Run: e.Run, Outcome: e.Outcome, Reason: e.Reason})
	}
	return report, err
}

// Late lists the results that their runs do not have and that a person may
// accept, of one card or of all.
func (j *Journal) Late(ctx context.Context, task string) ([]Entry, error) {
	l, err := j.List(ctx, task)
	late := slices.DeleteFunc(append(l.Pending, l.Committed...), func(e Entry) bool { return !e.Late })
	return late, err
}

// viewer looks and touches nothing.
type viewer struct {
	*Journal
	folder  *Folder
	task    string
	reasons map[string]map[string]string // by card, by file
}

func (v viewer) entry(dir Dir, file string, name Name) (Entry, bool) {
	info, err := dir.Lstat(file)
	if err != nil || v.task != "" && name.Task != v.task {
		return Entry{}, false
	}
	return Entry{File: file, Board: v.folder.slug, Task: name.Task, Run: name.Run, Size: info.Size, Modified: info.Modified / 1e9}, true
}

func (v viewer) folderEntries(ctx context.Context, names []string) (pending, committed []Entry) {
	pending, committed = []Entry{}, []Entry{}
	var refs []board.RunRef
	for _, file := range names {
		if strings.HasSuffix(file, pendingSuffix) {
			name, ok := parseName(file, pendingSuffix)
			if e, there := v.entry(v.folder.dir, file, name); there {
				v.explain(ctx, &e, ok)
				pending = append(pending, e)
			}
			continue
		}
		if name, ok := parseName(file, committedSuffix); ok {
			if e, there := v.entry(v.folder.dir, file, name); there {
				committed = append(committed, e)
				refs = append(refs, board.RunRef{Task: name.Task, Run: name.Run})
			}
		}
	}
	lost, err := v.Board.NotCompleted(ctx, refs)
	for i := range committed {
		e := &committed[i]
		switch {
		case err != nil:
			e.Reason = err.Error()
		case slices.Contains(lost, board.RunRef{Task: e.Task, Run: e.Run}):
			v.explain(ctx, e, true)
		case v.task != "": // a few files: look whether it is the result that the run has
			v.explain(ctx, e, true)
		}
	}
	byName(pending)
	byName(committed)
	return pending, committed
}

// explain says what a replay would do with an entry and why.
func (v viewer) explain(ctx context.Context, e *Entry, named bool) {
	if !named {
		e.Outcome, e.Reason = Quarantined, reasonName
		return
	}
	name := Name{Task: e.Task, Run: e.Run}
	p := &pass{Journal: v.Journal, folder: v.folder}
	_, result, err := p.load(e.File, name)
	var bad *fault
	if errors.As(err, &bad) {
		e.Outcome, e.Reason = Quarantined, bad.Error()
		return
	}
	var d board.Decision
	if err == nil {
		d, err = v.Board.DecideResult(ctx, result)
	}
	if err != nil {
		e.Outcome, e.Reason = Waiting, err.Error()
		return
	}
	e.Outcome, e.Reason = string(d.Judgement), d.Reason
	e.Late = d.Judgement == board.ResultSuperseded || d.Another
	switch d.Judgement {
	case board.ResultForeign, board.ResultEmpty:
		e.Outcome = Quarantined
	case board.ResultApplied:
		if strings.HasSuffix(e.File, committedSuffix) {
			e.Outcome, e.Reason, e.Late = Waiting, "the board does not have this result any more", true
		}
	}
}

func (v viewer) quarantined(ctx context.Context) []Entry {
	out := []Entry{}
	q, err := v.folder.dir.Enter(quarantineFolder)
	if err != nil {
		return out
	}
	defer q.Close()
	names, err := q.Names()
	if err != nil {
		return out
	}
	for _, file := range names {
		name, ok := parseQuarantined(file)
		if e, there := v.entry(q, file, name); there {
			e.Reason = v.whyAside(ctx, q, file, name, ok)
			out = append(out, e)
		}
	}
	byName(out)
	return out
}

// whyAside takes the reason from the card, which was told of it, else from the
// file itself.
func (v viewer) whyAside(ctx context.Context, q Dir, file string, name Name, named bool) string {
	if !named {
		return reasonName
	}
	if v.reasons[name.Task] == nil {
		reasons, err := v.Board.QuarantineReasons(ctx, name.Task)
		if err != nil {
			reasons = map[string]string{}
		}
		v.reasons[name.Task] = reasons
	}
	return cmp.Or(v.reasons[name.Task][file], v.folder.suspicion(q, file, name), "nothing is wrong with its form")
}

func byName(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.File, b.File) })
}

// Content is what a person sees of one journal.
type Content struct {
	Entry
	// Text is the file as it is; it comes from outside and may be anything. It is
	// cut at MaxRecord bytes and empty for what cannot be read.
	Text string `json:"text"`
}

// Show looks into one journal: of the folder, or of the quarantine.
func (j *Journal) Show(ctx context.Context, file string) (Content, error) {
	folder, err := j.open()
	if err != nil {
		return Content{}, fmt.Errorf("show the journal %q: %w", file, err)
	}
	defer folder.Close()
	v := viewer{j, folder, "", map[string]map[string]string{}}
	dir, name, named, err := folder.locate(file)
	if err != nil {
		return Content{}, fmt.Errorf("show the journal %q: %w", file, err)
	}
	defer dir.Close()
	e, there := v.entry(dir, file, name)
	if !there {
		return Content{}, fmt.Errorf("show the journal %q: %w", file, fs.ErrNotExist)
	}
	if strings.HasSuffix(file, quarantineSuffix) {
		e.Reason = v.whyAside(ctx, dir, file, name, named)
	} else {
		v.explain(ctx, &e, named)
	}
	c := Content{Entry: e}
	if info, err := dir.Lstat(file); err == nil && info.Kind == regular {
		if h, err := dir.Open(file); err == nil {
			defer h.Close()
			data := make([]byte, min(info.Size, MaxRecord))
			n, _ := readInto(h, data)
			c.Text = string(data[:n])
		}
	}
	return c, nil
}
