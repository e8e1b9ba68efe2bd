package ui

import (
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
)

// BenchmarkFrame compares whole frames of a board of 10,000 cards at 200x50:
// nothing changed, drawn from kept lines, everything drawn anew.
func BenchmarkFrame(b *testing.B) {
	cards := make([]core.Card, 10000)
	for i := range cards {
		cards[i] = core.Card{ID: fmt.Sprintf("t_%08x", i), Title: fmt.Sprintf("Make the thing number %d work as it should", i), Assignee: "dev",
			Status: core.Statuses[i%8], Priority: int64(i % 4), CreatedAt: noon.Unix() - int64(i), ClaimLock: "b:1", WorkerPID: 1, RunStarted: noon.Unix() - 99, Heartbeat: noon.Unix() - 9}
	}
	m := still(b, 200, 50, Options{})
	m.Update(result{msg: polled{snap: core.NewSnapshot(cards)}})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			m.Update(pollDue{})
		}
	})
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			m.draw()
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			m.board.Forget()
			m.draw()
		}
	})
}
