package board_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// BenchmarkSnapshot reads boards of two sizes; ns/card tells whether reading
// grows with the board in step.
func BenchmarkSnapshot(b *testing.B) {
	for _, cards := range []int{10_000, 50_000} {
		b.Run(fmt.Sprintf("%d cards", cards), func(b *testing.B) {
			opened := openBench(b, cards)
			b.ReportAllocs()
			for b.Loop() {
				s, err := opened.Snapshot(context.Background())
				if err != nil || len(s.ByID) != cards {
					b.Fatal(len(s.ByID), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*cards), "ns/card")
		})
	}
}

// BenchmarkPoll asks whether anything moved on a board where nothing did.
func BenchmarkPoll(b *testing.B) {
	opened := openBench(b, 1000)
	for b.Loop() {
		if change, err := opened.Poll(context.Background()); err != nil || change != board.Same {
			b.Fatal(change, err)
		}
	}
}

func BenchmarkQuickCheck(b *testing.B) {
	opened := openBench(b, 10_000)
	for b.Loop() {
		if err := opened.QuickCheck(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func openBench(b *testing.B, cards int) *board.Board {
	b.Helper()
	opened, err := board.Open(context.Background(), boardOf(b, b.TempDir(), cards), options())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = opened.Close() })
	return opened
}
