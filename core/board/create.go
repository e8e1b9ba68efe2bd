package board

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrExists: a board is to be created where a file already is.
var ErrExists = errors.New("a file is already there")

// Create makes a new board at path with every table, column and index of a
// Hermes of today, in DELETE journal mode: the Hermes beside us may carry an
// SQLite that is not safe with WAL, and a newer one turns WAL on by itself. The
// directory must exist. A file that is already there is never touched; a crash
// halfway leaves no half board, only a temporary file beside the name.
func Create(ctx context.Context, path string, busy time.Duration) error {
	err := build(path, func(fresh string) error { return fill(ctx, fresh, busy) })
	if err != nil {
		return fmt.Errorf("create board %q: %w", path, explain(path, err))
	}
	return nil
}

// build lets make write a new file under a temporary name and gives it the name
// path when it is finished, unless something has that name.
func build(path string, make func(fresh string) error) error {
	if err := vacant(path); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".hermes-tui-new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fresh := filepath.Join(dir, "kanban.db")
	if err := make(fresh); err != nil {
		return err
	}
	return place(fresh, path)
}

// vacant fails when path names something already, or when a -wal or -journal of
// a file that is gone stands beside it: SQLite would apply that to the new one.
func vacant(path string) error {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		_, err := os.Lstat(path + suffix)
		switch {
		case err == nil:
			return fmt.Errorf("%w: %q", ErrExists, path+suffix)
		case !errors.Is(err, os.ErrNotExist):
			return err
		}
	}
	return nil
}

// place gives the finished file its name, unless something got that name
// meanwhile. A hard link is exclusive everywhere it exists; a file system
// without them is looked at once more before the rename.
func place(fresh, path string) error {
	linked := os.Link(fresh, path)
	if linked == nil {
		return nil
	}
	if err := vacant(path); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return errors.Join(linked, err)
	}
	return nil
}

// fill writes the whole schema in one transaction.
func fill(ctx context.Context, path string, busy time.Duration) error {
	w, err := openToWrite(ctx, path, "rwc", busy)
	if err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return errors.Join(err, w.close())
	}
	if _, err := w.addMissing(ctx, schema{}); err != nil {
		w.rollback()
		return errors.Join(err, w.close())
	}
	return errors.Join(w.commit(ctx), w.close())
}
