package board

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// What can be wrong with a board file. Errors of this package wrap one of these
// with the path and, where there is one, SQLite's own words.
var (
	ErrMissing     = errors.New("no board there")
	ErrEmpty       = errors.New("the file is empty")
	ErrNotDatabase = errors.New("the file is not an SQLite database")
	ErrNoTables    = errors.New("the database has no tasks table")
	ErrDamaged     = errors.New("the database is damaged")
	ErrInterrupted = errors.New("another program died while writing; the next command that writes repairs it")
	ErrReplaced    = errors.New("the board file was replaced by another one")
	ErrReadOnly    = errors.New("the board cannot be written")
	ErrTooOld      = errors.New("the board is too old for dispatching; open it once with Hermes, or run init --upgrade")
	ErrBusy        = errors.New("another program holds the board; try again")
	ErrFull        = errors.New("the disk is full")
)

var errClosed = errors.New("it is closed")

// Unusable reports whether err says that the board as a whole cannot be used,
// in contrast to a request that was refused or a lock that will go away.
func Unusable(err error) bool {
	for _, e := range []error{ErrMissing, ErrEmpty, ErrNotDatabase, ErrNoTables, ErrDamaged, ErrInterrupted, ErrReplaced, ErrReadOnly, ErrTooOld} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// explain puts the meaning of an SQLite error in front of SQLite's words. An
// error of another kind is returned as it is.
func (b *Board) explain(err error) error { return explain(b.path, err) }

func explain(path string, err error) error {
	if err == ErrNoTables { // as the connections return it, without a path
		return fmt.Errorf("board %q: %w", path, err)
	}
	if err == nil || Unusable(err) || errors.Is(err, ErrBusy) || errors.Is(err, ErrFull) {
		return err
	}
	var serr *sqlite.Error
	if !errors.As(err, &serr) {
		return err
	}
	switch serr.Code() {
	case lib.SQLITE_READONLY_ROLLBACK:
		return fmt.Errorf("board %q: %w (%w)", path, ErrInterrupted, err)
	case lib.SQLITE_READONLY_DBMOVED:
		return fmt.Errorf("board %q: %w (%w)", path, ErrReplaced, err)
	}
	var meaning error
	switch serr.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		meaning = ErrBusy
	case lib.SQLITE_CORRUPT:
		meaning = ErrDamaged
	case lib.SQLITE_NOTADB:
		meaning = ErrNotDatabase
	case lib.SQLITE_FULL:
		meaning = ErrFull
	case lib.SQLITE_READONLY:
		meaning = ErrReadOnly
	default:
		return fmt.Errorf("board %q: %w", path, err)
	}
	return fmt.Errorf("board %q: %w (%w)", path, meaning, err)
}
