package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// plainWidth is how wide pages and dialogs are that are told and not drawn: so
// wide that nothing is broken that the reader would not break.
const plainWidth = 400

// maxTold bounds how many changes of the board are told at once, and how many
// lines of a log or a feed.
const (
	maxTold = 20
	maxRead = 200
)

var clean = text.Clean

// squeeze makes one line of words that were set in columns.
func squeeze(s string) string {
	indent := ""
	if strings.HasPrefix(s, "  ") {
		indent = "  "
	}
	return indent + strings.ReplaceAll(strings.Join(strings.Fields(s), " "), " , ", ", ")
}

func rowWords(r row) string {
	var b strings.Builder
	for _, p := range r {
		b.WriteString(ansi.Strip(p.Text))
	}
	return squeeze(b.String())
}

func (t *teller) tellRows(rows []row) {
	for _, r := range rows {
		t.lineOf(rowWords(r), "")
	}
}

// lineOf is a line, with something before it, unless it says nothing.
func (t *teller) lineOf(words, before string) {
	if strings.TrimSpace(words) != "" {
		t.line(before + words)
	}
}

// tell says what has changed since it was last told. Questions and pages are
// told when nothing is under way that could still change them.
func (t *teller) tell() {
	m := t.m
	if m.message != t.said && m.message != "" {
		prefix := ""
		if m.alarming {
			prefix = "Error: "
		}
		t.line(prefix + squeeze(m.message))
	}
	t.said = m.message
	if !t.quiet() {
		return
	}
	if m.dialog != nil {
		f, isForm := m.dialog.(*form)
		if isForm && f.complain != "" {
			t.refused(f)
		} else {
			t.ask()
		}
	}
	if m.dialog != nil {
		return
	}
	t.asked = nil
	t.tellBoard()
	t.tellPage()
}

// tellBoard greets a new board, and says what changed on a known one.
func (t *teller) tellBoard() {
	m := t.m
	t.tellStanding()
	if m.snap == nil {
		return
	}
	if t.epoch != m.epoch || t.snap == nil {
		t.epoch = m.epoch
		t.status()
		t.line("Write help for the commands, one a line.")
	} else if t.snap != m.snap {
		t.tellChanges(t.snap, m.snap)
	}
	t.snap = m.snap
	if state, _ := m.dispatcherState(); state != t.state {
		t.state = state
		t.line("Dispatcher: " + state + ".")
	}
}

// tellStanding says what is wrong with the board, once for as long as it is.
func (t *teller) tellStanding() {
	now := map[string]bool{}
	all := t.m.banners()
	if t.m.stale != nil && t.m.snap == nil {
		all = append(all, "The board "+t.m.deps.BoardPath+" cannot be used: "+clean(t.m.stale.cause))
	}
	for _, words := range all {
		if now[words] = true; !t.standing[words] {
			t.line("Attention: " + words)
		}
	}
	t.standing = now
}

// status is what the screen's header says.
func (t *teller) status() {
	m := t.m
	t.line(fmt.Sprintf("Board %s, %s: %d running, %d ready, %d waiting for you.", m.deps.BoardName, m.deps.BoardPath, m.counts.running, m.counts.ready, m.counts.need))
}

// change is something that happened to a card, the most urgent first.
type change struct {
	rank  int
	words string
}

// tellChanges compares two snapshots: what a tick repaired or put aside and what
// needs a person comes first.
func (t *teller) tellChanges(old, now *core.Snapshot) {
	marked := map[string]columns.Badge{}
	for i := range now.Events {
		if e := &now.Events[i]; e.ID > old.NewestEvent {
			marked[e.TaskID] = max(marked[e.TaskID], badgeOf(e.Kind))
		}
	}
	var changes []change
	for id, c := range now.ByID {
		if words, rank := moved(old.ByID[id], c, marked[id]); words != "" {
			changes = append(changes, change{rank, words + ": " + squeeze(t.m.board.Describe(c, t.m.now()))})
		}
	}
	for id := range old.ByID {
		if now.ByID[id] == nil {
			changes = append(changes, change{3, "Gone from the board: " + clean(id)})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return strings.Compare(a.words, b.words)
	})
	for i, c := range changes {
		if i == maxTold {
			t.line(fmt.Sprintf("And %d more changes; write list.", len(changes)-i))
			return
		}
		t.line(c.words)
	}
}

// moved says what became of a card, and how urgent that is.
func moved(old, now *core.Card, badge columns.Badge) (words string, rank int) {
	switch {
	case badge == columns.Quarantined:
		return "Result put aside", 0
	case badge == columns.Reconciled:
		return "Repaired, now " + printable(now.Status), 0
	case old != nil && old.Status == now.Status:
		return "", 0
	case now.Status == core.Blocked || now.Status == core.Review:
		return "Needs you, " + string(now.Status), 1
	case old == nil:
		return "New in " + printable(now.Status), 2
	}
	return "Now " + printable(now.Status), 2
}

// tellPage reads a page out that was opened. One that is only for the eye is
// left again; one whose lines can be chosen stays until the next command.
func (t *teller) tellPage() {
	m := t.m
	switch p := m.page.(type) {
	case nil:
		return
	case *aimed:
		m.page = nil
		return
	case searched:
		if t.args != "" {
			p.search().set(t.args)
			t.args = ""
		}
	}
	if m.page == t.read {
		return
	}
	t.read = m.page
	rows := m.page.rows(m, plainWidth)
	t.line(rowWords(m.page.title(m)))
	if over := len(rows) - maxRead; over > 0 {
		_, newest := m.page.(*logPage)
		t.line(fmt.Sprintf("Only %d of %d lines are told.", maxRead, len(rows)))
		if newest {
			rows = rows[over:]
		} else {
			rows = rows[:maxRead]
		}
	}
	choices := 0
	if p, ok := m.page.(cursored); ok {
		_, choices = p.cursor()
	}
	for i, r := range rows {
		number := ""
		if i < choices {
			number = fmt.Sprintf("%d. ", i+1)
		}
		t.lineOf(rowWords(r), number)
	}
	if choices == 0 {
		m.page = nil
	}
}
