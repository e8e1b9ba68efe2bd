package core

// Verdict is the answer to "is this worker alive, and is it ours?".
type Verdict string

// The four answers. Only AliveOurs may be signalled. Dead and AliveOther say
// that the worker is gone. Unknown is a reason to hold and to look again, never
// to start another worker beside one that may live.
const (
	Dead       Verdict = "dead"        // no such process
	AliveOurs  Verdict = "alive_ours"  // it lives and is proven to be this card's worker
	AliveOther Verdict = "alive_other" // the pid was given to another process; the worker is gone
	Unknown    Verdict = "unknown"     // it lives or may live; nothing proves whose it is
)

// Gone reports whether the worker is proven not to live any more.
func (v Verdict) Gone() bool { return v == Dead || v == AliveOther }

// Sighting is a verdict together with what it was about, so that a write can
// compare the columns before it acts on the verdict.
type Sighting struct {
	PID         *int64
	Fingerprint *string
	Verdict     Verdict
	Evidence    string // one line for a person
	// Elsewhere says that the claim was made on another machine, whose processes
	// cannot be seen from here.
	Elsewhere bool
	// Certain says that the recorded identity belongs to this boot of this
	// machine, so that a process which is not there has really ended and is not
	// only out of sight.
	Certain bool
}

// Termination reports an attempt to stop a worker, in the words and the order
// of keys that Hermes writes into payloads and metadata.
type Termination struct {
	PrevPID       *int64
	HostLocal     bool
	Attempted     bool
	Terminated    bool
	Sigkill       bool
	SignalRefused bool // written only when true
	PIDRecycled   bool // written only when true
}
