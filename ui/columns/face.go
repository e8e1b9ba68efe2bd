package columns

import (
	"reflect"
	"strconv"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// face is a card made fit for the screen: the only form in which the text of a
// card reaches the drawing code.
type face struct {
	id, title, assignee string
	status              core.Status
	priority            string
	reason              string // why it is blocked, or its summary, or its last error
	waitsFor            string
	held                string
	comments, children  string
	odd                 string
}

func newFace(c *core.Card, held string) face {
	f := face{
		id: text.Clean(c.ID), title: text.Clean(c.Title), assignee: text.Clean(c.Assignee),
		status: c.Status, waitsFor: text.Clean(c.WaitsFor), held: text.Clean(held),
	}
	if f.title == "" {
		f.title = "(no title)"
	}
	if c.Priority != 0 {
		f.priority = "P" + strconv.FormatInt(c.Priority, 10)
	}
	if c.Comments > 0 {
		f.comments = strconv.Itoa(c.Comments)
	}
	if c.Children > 0 {
		f.children = strconv.Itoa(c.DoneChildren) + "/" + strconv.Itoa(c.Children)
	}
	switch {
	case c.Status == core.Blocked:
		f.reason = text.Clean(c.BlockReason)
		if kind := text.Clean(c.BlockKind); kind != "" && f.reason != "" {
			f.reason = kind + ": " + f.reason
		} else if f.reason == "" {
			f.reason = kind
		}
	case c.Status == core.Done:
		f.reason = text.Clean(c.Summary)
	}
	if f.reason == "" && c.Status != core.Done {
		f.reason = text.Clean(c.LastError)
	}
	if len(c.Odd) > 0 {
		f.odd = text.Clean(c.Odd[0])
	}
	return f
}

// sameCard reports whether two cards of different snapshots show the same.
func sameCard(a, b *core.Card) bool { return a == b || reflect.DeepEqual(a, b) }
