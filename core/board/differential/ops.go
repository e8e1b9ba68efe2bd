package differential

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

// ops carry out the operations of the product. An operation that Hermes
// answers with true gives true here or the error that refused it.
var ops = map[string]func(context.Context, *Player, Op) (any, error){
	"create": create,
	"claim": func(ctx context.Context, p *Player, op Op) (any, error) {
		c, err := p.Board.Claim(ctx, p.claim(op))
		return c.Run, err
	},
	"claim_review": func(ctx context.Context, p *Player, op Op) (any, error) {
		c, err := p.Board.ClaimReview(ctx, p.claim(op))
		return c.Run, err
	},
	"heartbeat": func(ctx context.Context, p *Player, op Op) (any, error) {
		return true, p.Board.Heartbeat(ctx, p.target(ctx, op), text(op, "note"))
	},
	"heartbeat_claim": func(ctx context.Context, p *Player, op Op) (any, error) {
		_, err := p.Board.ExtendClaim(ctx, p.target(ctx, op), text(op, "claimer"), 0)
		return true, err
	},
	"complete": complete,
	"block": func(ctx context.Context, p *Player, op Op) (any, error) {
		_, err := p.Board.Block(ctx, board.BlockRequest{Target: p.target(ctx, op), Reason: maybe(op, "reason"), Kind: text(op, "kind")})
		return true, err
	},
	"unblock": func(ctx context.Context, p *Player, op Op) (any, error) {
		_, err := p.Board.Unblock(ctx, p.target(ctx, op))
		return true, err
	},
	"promote": func(ctx context.Context, p *Player, op Op) (any, error) {
		target := p.target(ctx, op)
		target.Actor = "oracle"
		return []any{true, nil}, p.Board.Promote(ctx, target, maybe(op, "reason"))
	},
	"schedule": func(ctx context.Context, p *Player, op Op) (any, error) {
		return true, p.Board.Schedule(ctx, p.target(ctx, op), maybe(op, "reason"))
	},
	"request_review": func(ctx context.Context, p *Player, op Op) (any, error) {
		saw := p.look(ctx, p.ID(op, "id"))
		return []any{true, nil}, p.Board.RequestReview(ctx, board.ReviewRequest{
			Target: p.target(ctx, op), Summary: maybe(op, "summary"), Reviewer: text(op, "reviewer"), Force: yes(op, "force"), Saw: saw,
		})
	},
	"request_changes": func(ctx context.Context, p *Player, op Op) (any, error) {
		implementer, err := p.Board.RequestChanges(ctx, p.target(ctx, op), text(op, "reason"))
		return []any{true, implementer}, err
	},
	"reopen_review": func(ctx context.Context, p *Player, op Op) (any, error) {
		_, err := p.Board.ReopenReview(ctx, p.target(ctx, op))
		return true, err
	},
	"edit": func(ctx context.Context, p *Player, op Op) (any, error) {
		return true, p.Board.Edit(ctx, board.EditRequest{
			Target: p.target(ctx, op), Title: maybe(op, "title"), Body: maybe(op, "body"),
			Priority: number(op, "priority"), Result: maybe(op, "result"),
		})
	},
	"assign": func(ctx context.Context, p *Player, op Op) (any, error) {
		return true, p.Board.Assign(ctx, p.target(ctx, op), text(op, "profile"))
	},
	"reassign": reassign,
	"reclaim": func(ctx context.Context, p *Player, op Op) (any, error) {
		_, err := p.Board.Reclaim(ctx, p.reclaim(ctx, op, maybe(op, "reason")))
		return true, err
	},
	"comment": func(ctx context.Context, p *Player, op Op) (any, error) {
		return p.Board.Comment(ctx, p.target(ctx, op), text(op, "author"), text(op, "body"))
	},
	"link": func(ctx context.Context, p *Player, op Op) (any, error) {
		return p.Board.Link(ctx, p.ID(op, "parent"), board.Target{ID: p.ID(op, "child")})
	},
	"unlink": func(ctx context.Context, p *Player, op Op) (any, error) {
		return p.Board.Unlink(ctx, p.ID(op, "parent"), board.Target{ID: p.ID(op, "child")})
	},
	"archive": archive,
	"delete": func(ctx context.Context, p *Player, op Op) (any, error) {
		return true, p.Board.Delete(ctx, p.target(ctx, op))
	},
	"delete_archived": func(ctx context.Context, p *Player, op Op) (any, error) {
		return true, p.Board.DeleteArchived(ctx, p.target(ctx, op))
	},
	"recompute": func(ctx context.Context, p *Player, _ Op) (any, error) {
		moved, err := p.Board.Recompute(ctx, 2)
		return len(moved), err
	},
	"advance":     advance,
	"record_exit": recordExit,
	"set_pid":     setPID,
	"subscribe":   subscribe,
	"sql":         runSQL,
	"reopen":      backfill,
}

func create(ctx context.Context, p *Player, op Op) (any, error) {
	n := board.NewTask{
		Title: text(op, "title"), Assignee: text(op, "assignee"), Parents: p.list(op, "parents"), Triage: yes(op, "triage"),
		Blocked: text(op, "initial_status") == "blocked", Tenant: text(op, "tenant"), IdempotencyKey: text(op, "idempotency_key"),
		MaxRetries: number(op, "max_retries"), MaxRuntime: number(op, "max_runtime_seconds"),
	}
	get(op, "priority", &n.Priority)
	get(op, "skills", &n.Skills)
	made, err := p.Board.CreateTask(ctx, n)
	if err == nil {
		p.names[text(op, "as")] = made.ID
	}
	return made.ID, err
}

func (p *Player) claim(op Op) board.ClaimRequest {
	r := board.ClaimRequest{Target: board.Target{ID: p.ID(op, "id")}, Lock: text(op, "claimer")}
	get(op, "ttl", &r.TTL)
	return r
}

func complete(ctx context.Context, p *Player, op Op) (any, error) {
	return true, p.Board.Complete(ctx, board.Completion{
		Target: p.target(ctx, op), Result: maybe(op, "result"), Summary: maybe(op, "summary"), Metadata: json.RawMessage(op["metadata"]),
		CreatedCards: p.list(op, "created_cards"), Force: yes(op, "force"), Saw: p.look(ctx, p.ID(op, "id")),
	})
}

// look is what a caller sees behind a card before it asks.
func (p *Player) look(ctx context.Context, id string) *core.Sighting {
	task, err := p.Board.Task(ctx, id)
	if err != nil {
		return nil
	}
	saw := p.Procs.Look(task.WorkerPID, task.WorkerStarted)
	return &saw
}

// reclaim looks, stops the worker of a card that is held, and asks for it.
func (p *Player) reclaim(ctx context.Context, op Op, reason *string) board.ReclaimRequest {
	r := board.ReclaimRequest{Target: p.target(ctx, op), Reason: reason}
	task, err := p.Board.Task(ctx, r.ID)
	if err == nil && (task.Status == core.Running || task.ClaimLock != nil) {
		r.Stop = p.stop(task)
		r.Saw = core.Sighting{PID: task.WorkerPID, Fingerprint: task.WorkerStarted}
	}
	return r
}

func reassign(ctx context.Context, p *Player, op Op) (any, error) {
	if !yes(op, "reclaim") {
		return true, p.Board.Assign(ctx, p.target(ctx, op), text(op, "profile"))
	}
	reason := "reassign"
	return true, p.Board.Reassign(ctx, p.reclaim(ctx, op, &reason), text(op, "profile"))
}

func archive(ctx context.Context, p *Player, op Op) (any, error) {
	a, err := p.Board.Archive(ctx, p.target(ctx, op), nil)
	if err != nil || !a.WasRunning {
		return true, err
	}
	stop := p.Procs.Stop(a.ClaimLock, a.WorkerPID, a.WorkerStarted)
	return true, p.Board.RecordArchiveTermination(ctx, a, stop)
}

// Refused reports whether an error is a refusal of the board and no failure.
func Refused(err error) bool {
	for _, why := range []error{core.ErrNotFound, core.ErrRefused, core.ErrChanged, core.ErrInvalid} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}
