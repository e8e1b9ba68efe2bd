package board

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// NewTask is a card to be made. Empty texts and nil numbers are stored as NULL.
type NewTask struct {
	Title    string // required
	Body     string
	Assignee string // profile; empty means nobody
	Priority int64
	Parents  []string // cards that it waits for
	Triage   bool     // somebody has to look at it before it may start
	Blocked  bool     // blocked from the start; wins over Triage
	Tenant   string   // empty: that of the first parent that has one

	CreatedBy   string
	CreatorTask string // card whose worker makes it: its session and subscriptions are taken over
	SessionID   string // empty: that of the creator
	// IdempotencyKey: while a card with this key is not archived, it is returned
	// and nothing is written.
	IdempotencyKey string

	WorkspaceKind string // scratch (also when empty), dir or worktree
	WorkspacePath string
	BranchName    string // only for a worktree
	ProjectID     string

	Skills          []string // nil: those of the profile
	Model           string
	Provider        string // only together with Model
	ReasoningEffort string
	MaxRuntime      *int64 // seconds
	MaxRetries      *int64 // failures in a row that block the card
	GoalMode        bool
	GoalMaxTurns    *int64
	Contract        string // completion_contract; empty means "local-only"
}

// Created is a card that was made, or found by its idempotency key.
type Created struct {
	ID     string
	Status core.Status
	Found  bool // nothing was written
}

// localContract is the completion contract of a card whose completion needs no
// evidence from elsewhere.
const localContract = "local-only"

// workspaceKinds are the values of tasks.workspace_kind.
var workspaceKinds = []string{"scratch", "dir", "worktree"}

// CreateTask makes a card. It starts blocked or in triage if asked for, waits in
// todo for parents that are not done, and is ready otherwise.
func (b *Board) CreateTask(ctx context.Context, n NewTask) (Created, error) {
	what := fmt.Sprintf("create task %q", cut(n.Title, 80))
	n, err := n.tidy()
	if err != nil {
		return Created{}, fmt.Errorf("%s: %w", what, err)
	}
	var made Created
	err = b.write(ctx, what, func(t *tx) error {
		made, err = t.sameKey(n.IdempotencyKey)
		if err != nil || made.Found {
			return err
		}
		parents, err := t.statesOf(n.Parents)
		if err != nil {
			return err
		}
		if n.Tenant == "" {
			n.Tenant = firstTenant(parents)
		}
		made.Status = n.firstStatus(parents)
		if made.ID, err = t.freeID(b.opt.NewID); err != nil {
			return err
		}
		return t.create(made, n, parents)
	})
	return made, err
}

// tidy brings the texts of a request into the form they are stored in and
// refuses what makes no sense.
func (n NewTask) tidy() (NewTask, error) {
	n.Title, n.Assignee, n.BranchName = strip(n.Title), profileName(n.Assignee), strip(n.BranchName)
	n.Model, n.Provider = strip(n.Model), strip(n.Provider)
	n.ReasoningEffort = strings.ToLower(strip(n.ReasoningEffort))
	n.Parents = slices.DeleteFunc(slices.Clone(n.Parents), func(id string) bool { return id == "" })
	if n.WorkspaceKind == "" {
		n.WorkspaceKind = workspaceKinds[0]
	}
	if n.Contract = strip(n.Contract); n.Contract == "" {
		n.Contract = localContract
	}
	switch {
	case n.Title == "":
		return n, invalid("a title is required")
	case !slices.Contains(workspaceKinds, n.WorkspaceKind):
		return n, invalid("%q is no kind of workspace; there are %q", n.WorkspaceKind, workspaceKinds)
	case n.BranchName != "" && n.WorkspaceKind != "worktree":
		return n, invalid("a branch needs a worktree, not a %s workspace", n.WorkspaceKind)
	case n.Provider != "" && n.Model == "":
		return n, invalid("the provider %q needs a model", n.Provider)
	}
	if n.Skills != nil {
		n.Skills = append([]string{}, distinct(n.Skills)...)
	}
	for _, skill := range n.Skills {
		if strings.Contains(skill, ",") {
			return n, invalid("the skill name %q holds a comma; give each skill by itself", skill)
		}
	}
	return n, nil
}

// sameKey looks for the newest card with an idempotency key that is not
// archived.
func (t *tx) sameKey(key string) (Created, error) {
	var found Created
	if key == "" || !t.schema.has("tasks", "idempotency_key") {
		return found, nil
	}
	var status string
	var err error
	found.Found, err = t.row(`SELECT id, status FROM tasks WHERE idempotency_key = ? AND status <> 'archived'
		ORDER BY created_at DESC, rowid DESC LIMIT 1`, []any{key}, &found.ID, &status)
	found.Status = core.Status(status)
	return found, err
}

// parentState is what a new card has to know of a parent.
type parentState struct {
	id     string
	status core.Status
	tenant string
}

// statesOf reads the parents of a new card in the order they were named in.
// Naming one that does not exist fails.
func (t *tx) statesOf(parents []string) ([]parentState, error) {
	if len(parents) == 0 {
		return nil, nil
	}
	rows, err := t.query("SELECT CAST(id AS TEXT), CAST(status AS TEXT), COALESCE("+t.schema.text("tasks", "tenant", "NULL")+
		", '') FROM tasks WHERE id IN (SELECT value FROM json_each(?))", jsonList(parents))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	byID := map[string]parentState{}
	for rows.Next() {
		var p parentState
		if err := rows.Scan(&p.id, &p.status, &p.tenant); err != nil {
			return nil, err
		}
		byID[p.id] = p
	}
	states := make([]parentState, len(parents))
	for i, id := range parents {
		p, found := byID[id]
		if !found {
			return nil, fmt.Errorf("parent %q: %w", id, core.ErrNotFound)
		}
		states[i] = p
	}
	return states, rows.Err()
}

// firstTenant is that of the first parent that has one.
func firstTenant(parents []parentState) string {
	for _, p := range parents {
		if p.tenant != "" {
			return p.tenant
		}
	}
	return ""
}

// firstStatus is where a new card starts. Only here an archived parent is
// waited for; the next look for cards that may start promotes the child.
func (n NewTask) firstStatus(parents []parentState) core.Status {
	switch {
	case n.Blocked:
		return core.Blocked
	case n.Triage:
		return core.Triage
	case slices.ContainsFunc(parents, func(p parentState) bool { return p.status != core.Done }):
		return core.Todo
	}
	return core.Ready
}

// freeID draws an id that no card has. Two draws that are both taken are no
// accident any more.
func (t *tx) freeID(draw func() string) (string, error) {
	for range 2 {
		id := draw()
		var taken int
		found, err := t.row("SELECT 1 FROM tasks WHERE id = ?", []any{id}, &taken)
		if err != nil || !found {
			return id, err
		}
	}
	return "", fmt.Errorf("no free task id was found; try again")
}

// create writes the rows of a new card.
func (t *tx) create(made Created, n NewTask, parents []parentState) error {
	if err := t.insertTask(made, n); err != nil {
		return err
	}
	for _, p := range parents {
		if err := t.addLink(p.id, made.ID); err != nil {
			return err
		}
	}
	if err := t.tellCreated(made, n, parents); err != nil {
		return err
	}
	if n.CreatorTask != "" {
		if err := t.inheritSession(made.ID, n.CreatorTask); err != nil {
			return err
		}
		if err := t.inheritSubs(made.ID, n.CreatorTask); err != nil {
			return err
		}
	}
	return t.inheritSubs(made.ID, n.Parents...)
}

func (t *tx) insertTask(made Created, n NewTask) error {
	goal := 0
	if n.GoalMode {
		goal = 1
	}
	var skills any
	if n.Skills != nil {
		skills = pythonASCII(n.Skills)
	}
	_, err := t.insert("tasks", fields{
		{"id", made.ID}, {"title", n.Title}, {"body", orNull(n.Body)}, {"assignee", orNull(n.Assignee)},
		{"status", string(made.Status)}, {"priority", n.Priority}, {"created_by", orNull(n.CreatedBy)}, {"created_at", t.now},
		{"workspace_kind", n.WorkspaceKind}, {"workspace_path", orNull(n.WorkspacePath)}, {"branch_name", orNull(n.BranchName)},
		{"project_id", orNull(n.ProjectID)}, {"tenant", orNull(n.Tenant)}, {"idempotency_key", orNull(n.IdempotencyKey)},
		{"max_runtime_seconds", n.MaxRuntime}, {"skills", skills}, {"max_retries", n.MaxRetries},
		{"model_override", orNull(n.Model)}, {"provider_override", orNull(n.Provider)},
		{"reasoning_effort", orNull(n.ReasoningEffort)}, {"goal_mode", goal}, {"goal_max_turns", n.GoalMaxTurns},
		{"session_id", orNull(n.SessionID)}, {"completion_contract", n.Contract},
	})
	return err
}

// tellCreated records the card and why it does not start at once.
func (t *tx) tellCreated(made Created, n NewTask, parents []parentState) error {
	var skills, goal any
	if len(n.Skills) > 0 {
		skills = n.Skills
	}
	if n.GoalMode {
		goal = true
	}
	err := t.event(made.ID, nil, "created", fields{
		{"assignee", orNull(n.Assignee)}, {"status", string(made.Status)}, {"parents", n.Parents},
		{"creator_task_id", orNull(n.CreatorTask)}, {"tenant", orNull(n.Tenant)}, {"workspace_kind", n.WorkspaceKind},
		{"workspace_path", orNull(n.WorkspacePath)}, {"branch_name", orNull(n.BranchName)}, {"project_id", orNull(n.ProjectID)},
		{"skills", skills}, {"goal_mode", goal}, {"model_override", orNull(n.Model)}, {"provider_override", orNull(n.Provider)},
	})
	if err != nil {
		return err
	}
	if made.Status == core.Blocked {
		actor := n.CreatedBy
		if actor == "" {
			actor = "user"
		}
		return t.event(made.ID, nil, "blocked", fields{{"reason", "initial_status"}, {"status", "blocked"}, {"actor", actor}})
	}
	open := slices.IndexFunc(parents, func(p parentState) bool { return !p.status.Satisfies() })
	if made.Status != core.Todo || open < 0 {
		return nil
	}
	return t.event(made.ID, nil, "dependency_wait", fields{{"reason", "parent_not_done"}, {"parent", parents[open].id}})
}

// inheritSession gives a card without a session that of its creator.
func (t *tx) inheritSession(id, creator string) error {
	if !t.schema.has("tasks", "session_id") {
		return nil
	}
	_, err := t.exec("UPDATE tasks SET session_id = COALESCE(session_id, (SELECT c.session_id FROM tasks AS c WHERE c.id = ?)) WHERE id = ?",
		creator, id)
	return err
}
