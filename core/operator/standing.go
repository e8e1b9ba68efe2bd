// Package operator is what a person does to one card that may have a worker
// behind it: look what stands there, stop it where it is proven to be ours, and
// then make one guarded transition. The screen and the command line both go
// through here, so that a key and a command have the same rules.
package operator

import "github.com/hermes-tui/hermes-tui/core"

// Standing says what stands behind a card at this moment: what a dialog shows
// before a person decides.
type Standing struct {
	Task          core.Task
	Run           *core.Run // the current run, nil if there is none
	Sighting      core.Sighting
	HeartbeatAge  int64 // seconds; -1 when this run never gave a heartbeat
	LeaseLeft     int64 // seconds until the claim expires; negative when over; 0 without an expiry
	HasLease      bool  // the claim has an expiry at all
	JournalFound  bool  // a finished result of this run waits to be replayed
	NeedsDeadWord bool  // requeueing needs the person's word that no worker lives
}
