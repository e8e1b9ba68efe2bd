package core

import (
	"cmp"
	"slices"
)

// Card is what the board shows of a task without opening it. Zero means
// unknown in every number that is a time, a process or a run id.
type Card struct {
	ID, Title   string
	Assignee    string
	Tenant      string
	Status      Status
	Priority    int64
	CreatedAt   int64
	StartedAt   int64
	CompletedAt int64

	// The claim and the worker behind a running card.
	ClaimLock    string
	ClaimExpires int64
	WorkerPID    int64
	Heartbeat    int64
	RunID        int64
	RunStarted   int64
	Attempts     int // runs so far, the open one included

	Failures    int64
	LastError   string
	BlockKind   string
	BlockReason string // only for blocked cards
	Summary     string // first line of the result, only for finished cards

	Comments     int
	Parents      int
	OpenParents  int
	WaitsFor     string // id of one unfinished parent
	Children     int
	DoneChildren int

	Odd []string // columns whose stored value cannot be used
}

// Column is one column of the board.
type Column struct {
	Status Status
	Cards  []*Card
}

// Snapshot is the board at one moment, read in one transaction.
type Snapshot struct {
	Columns []Column         // one for every known status in Hermes' order, then Other
	ByID    map[string]*Card // every card, archived ones too
	Events  []Event          // the newest events, oldest first
	// NewestEvent is the highest event id, 0 on a board without events.
	NewestEvent int64
	TakenAt     int64
}

// Count returns how many cards stand in the column of status s.
func (s *Snapshot) Count(status Status) int {
	for i := range s.Columns {
		if s.Columns[i].Status == status {
			return len(s.Columns[i].Cards)
		}
	}
	return 0
}

// NewSnapshot groups cards into columns and orders each column.
func NewSnapshot(cards []Card) *Snapshot {
	s := &Snapshot{ByID: make(map[string]*Card, len(cards))}
	order := append(slices.Clone(Statuses), Other)
	at := make(map[Status]int, len(order))
	for i, status := range order {
		s.Columns = append(s.Columns, Column{Status: status})
		at[status] = i
	}
	for i := range cards {
		c := &cards[i]
		col := &s.Columns[at[c.Status.Column()]]
		col.Cards = append(col.Cards, c)
		s.ByID[c.ID] = c
	}
	for i := range s.Columns {
		compare := byPriority
		if s.Columns[i].Status == Done {
			compare = byCompletion
		}
		slices.SortFunc(s.Columns[i].Cards, compare)
	}
	return s
}

// byPriority puts the highest priority first, then the newest card.
func byPriority(a, b *Card) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// byCompletion puts the newest completion first; cards that nobody recorded as
// completed come last.
func byCompletion(a, b *Card) int {
	return cmp.Or(cmp.Compare(b.CompletedAt, a.CompletedAt), cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(a.ID, b.ID))
}
