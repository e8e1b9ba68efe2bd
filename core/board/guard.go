package board

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"

	"github.com/hermes-tui/hermes-tui/core"
)

// Guard is a reason not to start a card again yet, in Hermes' words, and when
// it ends at the latest, in epoch seconds.
type Guard struct {
	Reason string
	Until  int64
}

// How long the guards last, in seconds.
const (
	authCooldown  = 900   // after a worker that cannot work with its credentials
	recentSuccess = 3600  // after a completed run
	activePR      = 86400 // after a comment that names a pull request
)

// GuardedBy returns the first guard that keeps a card of the lane from being
// started, or nil. cooldown is how long a rate limit holds, in seconds.
func (b *Board) GuardedBy(ctx context.Context, task string, lane core.Status, cooldown int64) (*Guard, error) {
	var guard *Guard
	err := b.look(ctx, func(r *reader) error {
		var err error
		guard, err = r.guard(ctx, task, lane, b.opt.Now(), cooldown)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look what guards task %q: %w", task, err)
	}
	return guard, nil
}

func (r *reader) guard(ctx context.Context, task string, lane core.Status, now, cooldown int64) (*Guard, error) {
	last, err := r.lastEnded(ctx, task)
	if err != nil {
		return nil, err
	}
	if last != nil && last.EndedAt != nil {
		metadata := parsePayload(last.Metadata)
		for _, g := range []struct {
			holds  bool
			reason string
			until  int64
		}{
			{last.Outcome == core.SpawnFailed && truthy(metadata["infrastructure"]), "infrastructure_cooldown", *last.EndedAt + cooldown},
			{last.Outcome == core.RateLimited, "rate_limit_cooldown", *last.EndedAt + cooldown},
			{truthy(metadata["terminal_provider"]), "blocker_auth", *last.EndedAt + authCooldown},
		} {
			if g.holds && now < g.until {
				return &Guard{g.reason, g.until}, nil
			}
		}
		// A rate limit that is over is a reason to go on, whatever came before.
		if last.Outcome == core.RateLimited {
			return nil, nil
		}
	}
	if lane != core.Ready {
		return nil, nil
	}
	if g, err := r.recentSuccess(ctx, task, now); g != nil || err != nil {
		return g, err
	}
	return r.activePR(ctx, task, now)
}

// lastEnded is the run of a card that ended last.
func (r *reader) lastEnded(ctx context.Context, task string) (*core.Run, error) {
	var last *core.Run
	query := "SELECT " + r.schema.runColumns() + " FROM task_runs WHERE task_id = ? AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT 1"
	err := r.each(ctx, query, []any{task}, func(rows *sql.Rows) error {
		run, err := scanRun(rows)
		last = &run
		return err
	})
	return last, err
}

// recentSuccess: the card was completed within the last hour and nobody has
// asked for it again since.
func (r *reader) recentSuccess(ctx context.Context, task string, now int64) (*Guard, error) {
	var ended sql.NullInt64
	err := r.conn.QueryRowContext(ctx, `SELECT max(ended_at) FROM task_runs AS r
		WHERE r.task_id = ?1 AND r.outcome = 'completed' AND r.ended_at > ?2
		AND NOT EXISTS (SELECT 1 FROM task_events AS e WHERE e.task_id = ?1
			AND e.kind IN ('status', 'promoted', 'unblocked', 'reclaimed') AND e.created_at >= r.ended_at)`,
		task, now-recentSuccess).Scan(&ended)
	if err != nil || !ended.Valid {
		return nil, err
	}
	return &Guard{"recent_success", ended.Int64 + recentSuccess}, nil
}

// pullRequest finds the pull requests that a comment names.
var pullRequest = regexp.MustCompile(`https?://github\.com/[^/\s]+/[^/\s]+/pull/\d+`)

// activePR: a comment of the last day names a pull request, so the work is under
// way elsewhere, unless the card changed hands or came back since, or a person
// has authorised one more run on just these requests.
func (r *reader) activePR(ctx context.Context, task string, now int64) (*Guard, error) {
	var urls []string
	newest := int64(0)
	err := r.each(ctx, "SELECT CAST(body AS TEXT), created_at FROM task_comments WHERE task_id = ? AND created_at > ? ORDER BY id",
		[]any{task, now - activePR}, func(rows *sql.Rows) error {
			var body string
			var created int64
			err := rows.Scan(&body, &created)
			if found := pullRequest.FindAllString(body, -1); len(found) > 0 {
				urls, newest = append(urls, found...), max(newest, created)
			}
			return err
		})
	if err != nil || len(urls) == 0 {
		return nil, err
	}
	lifted, err := r.liftedPR(ctx, task, urls, newest)
	if err != nil || lifted {
		return nil, err
	}
	return &Guard{"active_pr", newest + activePR}, nil
}

// liftedPR reports whether something after the newest comment lets the card go.
func (r *reader) liftedPR(ctx context.Context, task string, urls []string, newest int64) (bool, error) {
	lifted, allowed := false, []string(nil)
	err := r.each(ctx, `SELECT kind, CAST(payload AS TEXT), created_at FROM task_events WHERE task_id = ?
		AND kind IN ('assigned', 'changes_requested', 'review_reopened', 'existing_pr_authorized', 'existing_pr_consumed') ORDER BY id`,
		[]any{task}, func(rows *sql.Rows) error {
			var kind string
			var text *string
			var created sql.NullInt64
			err := rows.Scan(&kind, &text, &created)
			p := parsePayload(text)
			switch kind {
			case "assigned":
				lifted = lifted || created.Int64 > newest && p["from"] != nil && p["from"] != p["assignee"]
			case "existing_pr_authorized":
				allowed = append(allowed, p.text("pr_url"))
			case "existing_pr_consumed":
				allowed = nil
			default:
				lifted = lifted || created.Int64 > newest
			}
			return err
		})
	if lifted || err != nil {
		return lifted, err
	}
	for _, url := range urls {
		if !slices.Contains(allowed, url) {
			return false, nil
		}
	}
	return true, nil
}

// RecordGuard tells once that a card is not started and why: again only when
// the reason changes or the card was claimed in between. It reports whether it
// was told. A card that waits in the lane no more is told nothing.
func (b *Board) RecordGuard(ctx context.Context, task string, lane core.Status, reason string) (told bool, err error) {
	err = b.write(ctx, fmt.Sprintf("record what guards task %q", task), func(t *tx) error {
		var waits bool
		_, err := t.row("SELECT status = ? AND claim_lock IS NULL FROM tasks WHERE id = ?", []any{string(lane), task}, &waits)
		if err != nil || !waits {
			return err
		}
		last, err := t.newestOf(task, "'respawn_guarded', 'claimed', 'completed', 'unblocked', 'reclaimed', 'crashed', 'rate_limited'")
		if err != nil || last.kind == "respawn_guarded" && last.payload.text("reason") == reason {
			return err
		}
		told = true
		return t.event(task, nil, "respawn_guarded", fields{{"reason", reason}})
	})
	return told, err
}

// happened is one event as rules read it.
type happened struct {
	kind    string
	payload payload
}

// newestOf reads the newest event of a card among some kinds, given as a list of
// SQL texts.
func (t *tx) newestOf(task, kinds string) (happened, error) {
	var h happened
	var text *string
	_, err := t.row("SELECT kind, CAST(payload AS TEXT) FROM task_events WHERE task_id = ? AND kind IN ("+kinds+
		") ORDER BY id DESC LIMIT 1", []any{task}, &h.kind, &text)
	h.payload = parsePayload(text)
	return h, err
}
