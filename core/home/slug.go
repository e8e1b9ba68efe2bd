package home

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// DefaultBoard is the slug of the board that always exists.
const DefaultBoard = "default"

// name is what Hermes accepts as a slug of a board and as a name of a profile.
// It holds no dot and no separator, so that it can be joined to a path.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// ParseSlug normalises the slug of a board as Hermes does: trimmed and lower
// case. What is no slug is an error that wraps core.ErrInvalid.
func ParseSlug(text string) (string, error) {
	slug := normalise(text)
	if slug == "" {
		return "", fmt.Errorf("%w: a board needs a slug", core.ErrInvalid)
	}
	if !name.MatchString(slug) {
		return "", fmt.Errorf("%w: %q is no slug of a board; use up to 64 of a-z, 0-9, - and _, not starting with - or _",
			core.ErrInvalid, text)
	}
	return slug, nil
}

// normalise lower-cases only what a name may hold; any other letter stays what
// it is and is refused.
func normalise(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, strings.TrimSpace(text))
}
