// Package reconcile compares what the board says with what is true and names
// the differences. Finding is pure: it takes rows and sightings and returns
// findings. Repairing a finding is a guarded write in core/board.
package reconcile

// Finding is one difference between a card's recorded state and reality. Its
// keys are part of the command line's contract.
type Finding struct {
	Task     string `json:"task"`
	Kind     Kind   `json:"kind"`
	Reason   string `json:"reason"`   // one line for a person
	Evidence string `json:"evidence"` // what was looked at
	Action   Action `json:"action"`
}

// Kind is the shape of a divergence.
type Kind string

// The shapes of a running card whose claim is broken.
const (
	NoClaim           Kind = "no_claim"            // neither lock nor expiry
	LockWithoutExpiry Kind = "lock_without_expiry" // half a claim: nothing can ever renew or expire it
	ExpiryWithoutLock Kind = "expiry_without_lock" // the other half
)

// Action is what a repair does about a finding.
type Action string

// What can be done about a finding.
const (
	Requeue Action = "requeue" // release the card for another attempt
	Block   Action = "block"   // stop retrying; a person has to look
	Hold    Action = "hold"    // write nothing, look again at the next tick
)
