package process

import (
	"strconv"
	"strings"
)

// Unverified is the fingerprint of a worker whose identity could not be read
// when it was started. Hermes writes the same word.
const Unverified = "unverified"

// Kind says what a stored fingerprint can prove.
type Kind int

// The forms of tasks.worker_started_at on boards of different ages.
const (
	NoIdentity      Kind = iota // NULL: a row older than fingerprints
	LegacyStart                 // an integer: a start without the boot it belongs to
	UnverifiedStart             // the capture failed, or the text is none of these forms
	FullIdentity                // EPOCH|START
)

// Identity is a stored fingerprint, taken apart.
//
// The text is "EPOCH|START". EPOCH is "BOOT_ID:PID1START", or empty where the
// system has no such thing (macOS); either half may be empty where it could not
// be read. START is field 22 of /proc/PID/stat (clock ticks since boot) on
// Linux and the start time in hundredths of a second since 1970 on macOS.
// Hermes compares these texts byte for byte, so both programs must write the
// same one for the same process.
type Identity struct {
	Kind  Kind
	Epoch string
	Start int64
}

// ParseIdentity reads a stored fingerprint. nil is NoIdentity. Text of no known
// form is UnverifiedStart: something was recorded, and it proves nothing.
func ParseIdentity(stored *string) Identity {
	if stored == nil {
		return Identity{Kind: NoIdentity}
	}
	if start, err := strconv.ParseInt(*stored, 10, 64); err == nil {
		return Identity{Kind: LegacyStart, Start: start}
	}
	epoch, text, found := strings.Cut(*stored, "|")
	start, err := strconv.ParseInt(text, 10, 64)
	if !found || err != nil {
		return Identity{Kind: UnverifiedStart}
	}
	return Identity{Kind: FullIdentity, Epoch: epoch, Start: start}
}

// relation is how the epoch of a fingerprint stands to that of this moment.
type relation int

const (
	unsureEpoch relation = iota // a half is missing on one side
	sameEpoch                   // the same boot and the same first process: pids mean the same
	otherEpoch                  // another boot or another container: no process of then is here now
)

// compareEpochs compares half by half, because a half that could not be read
// (the first process is hidden from ordinary users on some systems) is neither
// equal to nor different from anything.
func compareEpochs(stored, current string) relation {
	if stored == "" && current == "" && wallStart {
		return sameEpoch
	}
	boot1, first1, _ := strings.Cut(stored, ":")
	boot2, first2, _ := strings.Cut(current, ":")
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	switch {
	case differ(boot1, boot2) || differ(first1, first2):
		return otherEpoch
	case stored == current && boot1 != "":
		return sameEpoch
	}
	return unsureEpoch
}
