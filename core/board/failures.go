package board

import (
	"github.com/hermes-tui/hermes-tui/core"
)

// failure is an attempt that went wrong and counts against its card.
type failure struct {
	outcome core.Outcome // what the attempt ended as
	error   string
	phase   core.Status // where the card goes on, Ready or Review
	limit   int64       // failures in a row that block a card without a limit of its own
	forced  int64       // where not zero, the limit whatever others say
	sticky  bool        // a trip that promotion must not undo
	more    fields      // further keys of the event that tells of a trip
}

// shownError bounds the error text kept on a card, in code points, as Hermes.
const shownError = 500

// trips counts one more failure in a row and says whether that is the card's
// limit, and who set the limit.
func (f failure) trips(task *core.Task) (count, limit int64, source string, tripped bool) {
	count, limit, source = task.Failures+1, f.limit, "dispatcher"
	if task.MaxRetries != nil {
		limit, source = *task.MaxRetries, "task"
	}
	if f.forced > 0 {
		limit = f.forced
	}
	return count, limit, source, count >= limit
}

// count books a failure whose run has been ended already. At the limit the card
// is blocked, which is told by an event without a run, because the run is told
// of by the event that ended it.
func (t *tx) count(task *core.Task, f failure) (blocked bool, err error) {
	count, limit, source, tripped := f.trips(task)
	set := fields{{"consecutive_failures", count}, {"last_failure_error", cut(f.error, shownError)}}
	if !tripped {
		_, err := t.updateTask(task.ID, set, "1")
		return false, err
	}
	ok, err := t.updateTask(task.ID, append(fields{{"status", string(core.Blocked)}}, set...), "status IN ('running', 'ready', 'review')")
	if err == nil && !ok {
		_, err = t.updateTask(task.ID, set, "1") // it waits for a parent and is held by that already
	}
	if err != nil || !ok {
		return false, err
	}
	said := fields{
		{"failures", count}, {"effective_limit", limit}, {"limit_source", source}, {"error", cut(f.error, shownError)},
		{"trigger_outcome", string(f.outcome)}, {"retry_status", string(f.phase)},
	}
	if f.sticky {
		said = append(said, field{"sticky", true})
	}
	return true, t.event(task.ID, nil, "gave_up", append(said, f.more...))
}
