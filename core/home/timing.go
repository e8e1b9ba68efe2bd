package home

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxSeconds bounds every number that is configured: a time.Duration holds no
// more seconds, and no sum with a time of day overflows.
const maxSeconds = 9_000_000_000

// Timing is what the environment says about how long things may take.
type Timing struct {
	ClaimTTL          int64 // seconds a claim lives without a sign of life
	CrashGrace        int64 // seconds after the first start in which no crash is called
	RateLimitCooldown int64 // seconds before a rate-limited card is started again; 0: none
	// BusyTimeout is how long a statement waits for a locked board. Zero means
	// that the environment does not say; the caller has its own defaults.
	BusyTimeout time.Duration
}

// Timing reads Hermes' variables. One that is no number or too small is
// replaced by its default, with a notice.
func (h *Home) Timing() (Timing, []string) {
	var notices []string
	number := func(name string, usual, least int64) int64 {
		text := strings.TrimSpace(h.env.Get(name))
		if text == "" {
			return usual
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < least || v > maxSeconds {
			notices = append(notices, fmt.Sprintf("%s is %q, not a whole number of at least %d; using the default", name, clip(text), least))
			return usual
		}
		return v
	}
	t := Timing{
		ClaimTTL:          number("HERMES_KANBAN_CLAIM_TTL_SECONDS", 900, 1),
		CrashGrace:        number("HERMES_KANBAN_CRASH_GRACE_SECONDS", 30, 0),
		RateLimitCooldown: number("HERMES_KANBAN_RATE_LIMIT_COOLDOWN_SECONDS", 300, 0),
		BusyTimeout:       time.Duration(number("HERMES_KANBAN_BUSY_TIMEOUT_MS", 0, 1)) * time.Millisecond,
	}
	return t, notices
}
