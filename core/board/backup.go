package board

import (
	"context"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// backupStep is how many pages are copied between two looks at the context.
const backupStep = 1024

// Backup copies the board as it is at one moment to a new file dest, through
// SQLite, so that what still stands in a -wal is in the copy. dest gets its name
// when the copy is complete and has the permissions of the board. The error
// wraps ErrExists when something is there already.
func (b *Board) Backup(ctx context.Context, dest string) error {
	err := build(dest, func(fresh string) error { return b.copyTo(ctx, fresh) })
	if err != nil {
		return fmt.Errorf("back up board %q to %q: %w", b.path, dest, b.explain(err))
	}
	return nil
}

// copyTo copies the board to the new file on a connection of its own, so that
// the board stays usable meanwhile.
func (b *Board) copyTo(ctx context.Context, fresh string) error {
	r, err := openToLook(ctx, b.path, b.opt.Busy)
	if err != nil {
		return err
	}
	defer r.letGo(false)
	// One read transaction around the copy: nobody's commit makes it start over.
	if _, err := r.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	defer func() { _, _ = r.conn.ExecContext(context.Background(), "ROLLBACK") }()
	err = r.conn.Raw(func(conn any) error {
		source := conn.(interface {
			NewBackup(to string) (*sqlite.Backup, error)
		})
		backup, err := source.NewBackup(dsn(fresh, "rwc", b.opt.Busy))
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if err = ctx.Err(); err == nil {
				more, err = backup.Step(backupStep)
			}
		}
		if ferr := backup.Finish(); err == nil {
			err = ferr
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.Chmod(fresh, r.info.Mode().Perm())
}
