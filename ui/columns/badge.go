package columns

import (
	"time"

	"github.com/hermes-tui/hermes-tui/themes"
)

// Badge is a sign on a card that stays until a person has seen it.
type Badge uint8

// The badges, the stronger one last.
const (
	NoBadge     Badge = iota
	Reconciled        // a tick repaired what the board said about this card
	Quarantined       // a journal of this card could not be trusted
)

func (b Badge) word() string {
	if b == Quarantined {
		return "quarantined"
	}
	return "reconciled"
}

// BadgeNamed is the badge of that word, none for any other.
func BadgeNamed(word string) Badge {
	for _, b := range []Badge{Reconciled, Quarantined} {
		if b.word() == word {
			return b
		}
	}
	return NoBadge
}

// A flash is a pulse of this length, in steps.
const (
	flashLength = 3 * time.Second
	FlashStep   = 250 * time.Millisecond
)

type mark struct {
	badge Badge
	since time.Time
}

// bright reports whether the pulse is in its bright half.
func (m mark) bright(now time.Time) bool {
	age := now.Sub(m.since)
	return age >= 0 && age < flashLength && (age/FlashStep)%2 == 0
}

// Flash puts a badge on a card and lets it pulse. A card that pulses already
// with this badge goes on as it was; the stronger badge stays.
func (b *Board) Flash(id string, badge Badge, now time.Time) {
	old, marked := b.marks[id]
	if marked && (old.badge > badge || old.badge == badge && now.Sub(old.since) < flashLength) {
		return
	}
	b.marks[id] = mark{badge: badge, since: now}
}

// Mark puts a badge on a card that does not pulse: it happened before.
func (b *Board) Mark(id string, badge Badge) {
	if badge > b.marks[id].badge {
		b.marks[id] = mark{badge: badge}
	}
}

// Marks are the badges by card, in words.
func (b *Board) Marks() map[string]string {
	marks := make(map[string]string, len(b.marks))
	for id, m := range b.marks {
		marks[id] = m.badge.word()
	}
	return marks
}

// Pulsing reports whether any flash is still moving.
func (b *Board) Pulsing(now time.Time) bool {
	if b.still {
		return false
	}
	for _, m := range b.marks {
		if now.Sub(m.since) < flashLength {
			return true
		}
	}
	return false
}

// Badge returns the badge of a card.
func (b *Board) Badge(id string) Badge { return b.marks[id].badge }

// Badges counts the cards that wait to be seen.
func (b *Board) Badges() int { return len(b.marks) }

// Seen takes the badge off a card.
func (b *Board) Seen(id string) { delete(b.marks, id) }

func (p *painter) badgeSign(b Badge) string {
	if b == Quarantined {
		return p.signs.Quarantined
	}
	return p.signs.Reconciled
}

func (p *painter) badgeStyle(b Badge) themes.Style {
	if b == Quarantined {
		return p.ink.Quarantined
	}
	return p.ink.Reconciled
}

func (p *painter) flashStyle(b Badge) themes.Style {
	if b == Quarantined {
		return p.styles.FlashQuarantined
	}
	return p.styles.FlashReconciled
}
