package core

// Task is one row of the tasks table as the rules see it. A nil pointer is an
// SQL NULL; guards compare it as such. A column that the board lacks reads as
// its default.
type Task struct {
	ID              string
	Title           string
	Body            string
	Assignee        string // trimmed; empty when nobody owns the card
	Status          Status
	Priority        int64
	CreatedBy       string
	CreatedAt       int64
	StartedAt       *int64 // first claim ever, not of the current run
	CompletedAt     *int64
	WorkspaceKind   string // scratch, dir or worktree
	WorkspacePath   string
	BranchName      string
	ProjectID       string
	ClaimLock       *string // "host:pid" of the claimer, not of the worker
	ClaimExpires    *int64
	Tenant          string
	Result          *string
	IdempotencyKey  string
	Failures        int64 // consecutive_failures
	WorkerPID       *int64
	WorkerStarted   *string // fingerprint of the worker, see docs/hermes.md
	LastError       string
	MaxRuntime      *int64 // seconds; nil, zero and negative mean no limit
	LastHeartbeat   *int64
	CurrentRun      *int64
	StepKey         *string
	Skills          string // JSON array as stored, or empty
	Model           string
	Provider        string
	ReasoningEffort string
	MaxRetries      *int64
	GoalMode        bool
	GoalMaxTurns    *int64
	SessionID       string
	BlockKind       *string
	BlockCount      int64  // block_recurrences
	Contract        string // completion_contract

	// Generation tells which file the row was read from, so that a decision
	// about a card is never carried out on a board that replaced its board.
	Generation int

	// Odd names the columns whose stored value has a type that cannot be used
	// (a text where a time belongs, say). Such a value reads as nil above, so
	// nobody may decide anything from a nil pointer whose column is listed here.
	Odd []string
}

// IsOdd reports whether the named column holds a value that cannot be used.
func (t *Task) IsOdd(column string) bool {
	for _, c := range t.Odd {
		if c == column {
			return true
		}
	}
	return false
}

// Run is one attempt at a task: a row of task_runs.
type Run struct {
	ID            int64
	TaskID        string
	Profile       string
	Status        string
	ClaimLock     *string
	ClaimExpires  *int64
	WorkerPID     *int64
	WorkerStarted *string
	MaxRuntime    *int64
	LastHeartbeat *int64
	StartedAt     int64
	EndedAt       *int64
	Outcome       Outcome
	Summary       *string
	Metadata      *string // JSON as stored
	Error         *string
}

// Event is a row of task_events. Payload is the JSON text as stored; it comes
// from other programs and may be anything.
type Event struct {
	ID        int64
	TaskID    string
	RunID     *int64
	Kind      string
	Payload   string
	CreatedAt int64
}

// Comment is a row of task_comments.
type Comment struct {
	ID        int64
	TaskID    string
	Author    string
	Body      string
	CreatedAt int64
}

// Link is another card that this one waits for or that waits for this one.
type Link struct {
	ID     string
	Title  string
	Status Status
}

// Detail is everything the card view shows of one task.
type Detail struct {
	Task     Task
	Runs     []Run // oldest first
	Events   []Event
	Comments []Comment
	Parents  []Link
	Children []Link
}

// Seen is what a person or a pass had before its eyes when it decided. A write
// that carries it changes nothing unless the row still says the same.
type Seen struct {
	Status    Status
	RunID     *int64
	ClaimLock *string
	// Generation tells the file it was seen in; see Board.Generation.
	Generation int
}

// See returns what t says of itself, to be handed to a guarded write.
func (t *Task) See() Seen {
	return Seen{Status: t.Status, RunID: t.CurrentRun, ClaimLock: t.ClaimLock, Generation: t.Generation}
}
