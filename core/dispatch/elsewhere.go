package dispatch

import (
	"context"
	"os"
	"time"

	"github.com/hermes-tui/hermes-tui/core/board"
)

// countRunning looks how many cards run on another board of this home.
func countRunning(ctx context.Context, path string) (int64, error) {
	b, err := board.Open(ctx, path, board.Options{Busy: time.Second})
	if err != nil {
		return 0, err
	}
	defer func() { _ = b.Close() }() // opened for looking: nothing can be lost
	return b.CountRunning(ctx)
}

// exists reports whether a board has a database yet.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
