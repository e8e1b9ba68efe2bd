package columns

import (
	"strconv"

	"github.com/hermes-tui/hermes-tui/core"
)

// look is everything beside the card itself that changes how it is drawn. The
// lines of a card are kept under its look.
type look struct {
	width    int
	density  Density
	selected bool
	badge    Badge
	bright   bool // the bright half of a flash
	next     bool // the card that starts next
	picked   bool // chosen together with others
	unknown  bool // nobody is known by the assignee's name
	held     string
	age      int64 // bucket of the time that matters in this column
	beat     int64 // bucket of the last heartbeat
}

// state says in a sign and words what stands between this card and its end.
// The most urgent thing comes first; what does not fit is cut.
func (p *painter) state(c *core.Card, f *face, l *look) []Piece {
	var out []Piece
	if l.badge != NoBadge {
		out = append(out, Piece{p.badgeSign(l.badge) + " " + l.badge.word(), p.badgeStyle(l.badge)})
	}
	for _, more := range [][]Piece{p.trouble(c, f), p.progress(c, f, l)} {
		if len(more) == 0 {
			continue
		}
		if len(out) > 0 {
			more[0].Text = "  " + more[0].Text
		}
		out = append(out, more...)
	}
	return out
}

// trouble is what a person should look at.
func (p *painter) trouble(c *core.Card, f *face) []Piece {
	words := ""
	switch {
	case f.odd != "":
		words = "odd value in " + f.odd
	case c.Status == core.Running && c.ClaimLock == "":
		words = "running, unclaimed"
	case c.Status == core.Running && c.WorkerPID == 0:
		words = "claimed, no worker"
	case c.Status == core.Done && c.CompletedAt == 0:
		words = "no completion record"
	}
	if words != "" {
		return []Piece{{p.signs.Attention + " " + words, p.ink.Attention}}
	}
	if f.held != "" {
		return []Piece{{p.signs.Held + " held: " + f.held, p.ink.Attention}}
	}
	return nil
}

func (p *painter) progress(c *core.Card, f *face, l *look) []Piece {
	switch c.Status {
	case core.Running:
		return p.running(c, l)
	case core.Todo:
		return p.waiting(c, f)
	case core.Scheduled:
		return []Piece{{p.signs.Waits + " parked", p.ink.Waiting}}
	case core.Ready, core.Review:
		return p.queued(c, f, l)
	case core.Blocked:
		reason := f.reason
		if reason == "" {
			reason = "no reason given"
		}
		return []Piece{{p.signs.Blocked + " " + reason, p.ink.Blocked}}
	case core.Done:
		if f.reason == "" {
			return []Piece{{p.signs.Done + " done", p.ink.Done}}
		}
		return []Piece{{p.signs.Done + " " + f.reason, p.ink.Done}}
	case core.Triage, core.Archived:
		return nil
	}
	return []Piece{{p.signs.Attention + " status " + strconv.Quote(string(f.status)), p.ink.Attention}}
}

// running: how long, the age of the heartbeat, which attempt.
func (p *painter) running(c *core.Card, l *look) []Piece {
	since := ageText(l.age)
	if since == "" {
		since = "start unknown"
	}
	out := []Piece{{p.signs.Run + " " + since, p.ink.Running}}
	switch beat := ageText(l.beat); {
	case beat == "":
		out = append(out, Piece{"  no " + p.signs.Heart, p.ink.Muted})
	case l.beat >= silence:
		out = append(out, Piece{"  " + p.signs.Heart + " " + beat, p.ink.Attention})
	default:
		out = append(out, Piece{"  " + p.signs.Heart + " " + beat, p.ink.Running})
	}
	if c.Attempts > 1 {
		out = append(out, Piece{"  try " + strconv.Itoa(c.Attempts), p.ink.Muted})
	}
	return out
}

// silence is the age in seconds from which a heartbeat is no longer taken for
// a sign of life.
const silence = 120

func (p *painter) waiting(c *core.Card, f *face) []Piece {
	if c.OpenParents == 0 {
		return p.failures(c, f)
	}
	words := " waits for " + f.waitsFor
	if f.waitsFor == "" {
		words = " waits for a card"
	}
	if c.OpenParents > 1 {
		words += " +" + strconv.Itoa(c.OpenParents-1)
	}
	return []Piece{{p.signs.Waits + words, p.ink.Waiting}}
}

// queued is a card that a dispatcher may start.
func (p *painter) queued(c *core.Card, f *face, l *look) []Piece {
	switch {
	case f.assignee == "":
		return []Piece{{p.signs.Attention + " no owner", p.ink.Attention}}
	case l.unknown:
		return []Piece{{p.signs.Attention + " unknown profile", p.ink.Waiting}}
	case l.next:
		return []Piece{{p.signs.Next + " starts next", p.ink.Ready}}
	case c.Failures > 0:
		return p.failures(c, f)
	case c.Status == core.Review:
		return []Piece{{p.signs.Review + " waits for review", p.ink.Review}}
	}
	return nil
}

func (p *painter) failures(c *core.Card, f *face) []Piece {
	if c.Failures <= 0 {
		return nil
	}
	words := strconv.FormatInt(c.Failures, 10) + " failed"
	if f.reason != "" {
		words += ": " + f.reason
	}
	return []Piece{{p.signs.Attention + " " + words, p.ink.Attention}}
}
