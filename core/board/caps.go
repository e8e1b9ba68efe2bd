package board

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/core"
)

// Caps limit how many cards may run. They are counted in the transaction that
// claims, so that no number of dispatchers together exceeds them.
type Caps struct {
	Board   int64 // running cards of this board; 0: no limit
	Profile int64 // running cards of one assignee; 0: no limit
	Full    bool  // the machine's limit is used up by other boards: nothing may start
}

// Refusals of a claim because of a cap. Each of them is also a core.ErrRefused.
var (
	ErrBoardFull   = fmt.Errorf("%w: as many cards run as may run", core.ErrRefused)
	ErrProfileFull = fmt.Errorf("%w: as many cards of this assignee run as may run", core.ErrRefused)
)

// check refuses a claim that would exceed a cap.
func (c Caps) check(t *tx, task *core.Task) error {
	if c.Full {
		return because(ErrBoardFull, "the machine's limit is used up by other boards")
	}
	if c.Board > 0 {
		n, err := t.number("SELECT count(*) FROM tasks WHERE status = 'running'")
		if err != nil {
			return err
		}
		if n >= c.Board {
			return because(ErrBoardFull, "%d of %d", n, c.Board)
		}
	}
	if c.Profile > 0 {
		n, err := t.number("SELECT count(*) FROM tasks WHERE status = 'running' AND lower(trim(assignee)) = ?",
			profileName(task.Assignee))
		if err != nil {
			return err
		}
		if n >= c.Profile {
			return because(ErrProfileFull, "%d of %d", n, c.Profile)
		}
	}
	return nil
}

// number reads one number.
func (t *tx) number(query string, args ...any) (int64, error) {
	var n int64
	_, err := t.row(query, args, &n)
	return n, err
}
