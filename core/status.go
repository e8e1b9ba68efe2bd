package core

// Status is the value of tasks.status. Boards of a newer Hermes may hold
// statuses that are not listed here; they are shown and never written.
type Status string

// The statuses of a Hermes board.
const (
	Triage    Status = "triage"
	Todo      Status = "todo"
	Scheduled Status = "scheduled"
	Ready     Status = "ready"
	Running   Status = "running"
	Blocked   Status = "blocked"
	Review    Status = "review"
	Done      Status = "done"
	Archived  Status = "archived"
)

// Other is the name of the column that collects statuses we do not know. It is
// never a value of tasks.status.
const Other Status = "other"

// Statuses lists every known status in the order of Hermes' columns.
var Statuses = []Status{Triage, Todo, Scheduled, Ready, Running, Blocked, Review, Done, Archived}

// Known reports whether s is a status that this program understands.
func (s Status) Known() bool {
	for _, k := range Statuses {
		if s == k {
			return true
		}
	}
	return false
}

// Column is the column a card of this status stands in: the status itself, or
// Other for one we do not know.
func (s Status) Column() Status {
	if s.Known() {
		return s
	}
	return Other
}

// Satisfies reports whether a parent in this status lets its children start.
// An archived parent counts as finished: somebody decided that it will not be
// waited for.
func (s Status) Satisfies() bool { return s == Done || s == Archived }

// Outcome is how a run ended: the value of task_runs.outcome, which is NULL
// (here empty) while the run is open.
type Outcome string

// The outcomes that Hermes and this program write.
const (
	Open             Outcome = ""
	Completed        Outcome = "completed"
	OutcomeBlocked   Outcome = "blocked"
	OutcomeScheduled Outcome = "scheduled"
	ReviewRequested  Outcome = "review_requested"
	ChangesRequested Outcome = "changes_requested"
	Crashed          Outcome = "crashed"
	RateLimited      Outcome = "rate_limited"
	TimedOut         Outcome = "timed_out"
	Stale            Outcome = "stale"
	Reclaimed        Outcome = "reclaimed"
	SpawnFailed      Outcome = "spawn_failed"
	GaveUp           Outcome = "gave_up"
)
