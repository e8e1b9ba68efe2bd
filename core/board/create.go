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
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("create board %q: %w", path, errors.Join(ErrExists, err))
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".hermes-tui-init-")
	if err != nil {
		return fmt.Errorf("create board %q: %w", path, err)
	}
	defer os.RemoveAll(dir)
	fresh := filepath.Join(dir, "kanban.db")
	if err := fill(ctx, fresh, busy); err != nil {
		return fmt.Errorf("create board %q: %w", path, explain(path, err))
	}
	return place(fresh, path)
}

// place gives the finished file its name, unless something got that name
// meanwhile. A hard link is exclusive everywhere it exists; a file system
// without them is looked at once more before the rename.
func place(fresh, path string) error {
	err := os.Link(fresh, path)
	if err == nil {
		return nil
	}
	if _, serr := os.Lstat(path); !errors.Is(serr, os.ErrNotExist) {
		return fmt.Errorf("create board %q: %w", path, ErrExists)
	}
	if rerr := os.Rename(fresh, path); rerr != nil {
		return fmt.Errorf("create board %q: %w", path, errors.Join(err, rerr))
	}
	return nil
}

// fill writes the whole schema in one transaction.
func fill(ctx context.Context, path string, busy time.Duration) error {
	w, err := openToWrite(ctx, path, "rwc", busy)
	if err != nil {
		return err
	}
	defer w.close()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, t := range layout {
		if _, err := w.conn.ExecContext(ctx, t.create()); err != nil {
			w.rollback()
			return err
		}
	}
	for _, i := range indexes {
		if _, err := w.conn.ExecContext(ctx, "CREATE INDEX "+i[0]+" ON "+i[1]+"("+i[2]+")"); err != nil {
			w.rollback()
			return err
		}
	}
	return w.commit(ctx)
}
