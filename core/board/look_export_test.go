package board

import "context"

// Exec is a write of one statement through the board's own door.
func (b *Board) Exec(ctx context.Context, query string, args ...any) error {
	return b.write(ctx, "test write", func(t *tx) error {
		_, err := t.exec(query, args...)
		return err
	})
}
