package core

import "errors"

// Why a request on a card was not carried out. Errors of core/board wrap one
// of these with what was asked, of which card, and what stands in the way.
var (
	// ErrNotFound: no task has this id.
	ErrNotFound = errors.New("no such task")
	// ErrRefused: the rules of the board do not allow it as the card stands.
	ErrRefused = errors.New("refused")
	// ErrChanged: the card is no longer what the caller had seen.
	ErrChanged = errors.New("changed meanwhile")
	// ErrInvalid: the request itself makes no sense (no title, unknown kind).
	ErrInvalid = errors.New("invalid request")
)
