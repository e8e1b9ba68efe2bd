package dispatch

import (
	"fmt"
	"slices"
	"strings"
)

// Waiting sums up in one line what a tick left in the queue and why: "6 waiting,
// 1 runnable: 3 no owner, 1 unknown profile, 1 review without owner". Runnable
// are cards that only a limit, or a tick that may not spawn, holds back. An empty
// text says that nothing waits, or that the tick looked at no queue.
func Waiting(r *Report) string {
	runnable := len(r.WouldSpawn) + r.Queued
	if runnable+len(r.Skipped) == 0 {
		return ""
	}
	type sum struct {
		why string
		n   int
	}
	var sums []sum
	for _, note := range r.Skipped {
		why := inGeneral(note.Reason)
		if i := slices.IndexFunc(sums, func(s sum) bool { return s.why == why }); i >= 0 {
			sums[i].n++
		} else {
			sums = append(sums, sum{why, 1})
		}
	}
	slices.SortStableFunc(sums, func(a, b sum) int { return b.n - a.n })
	line := fmt.Sprintf("%d waiting, %d runnable", runnable+len(r.Skipped), runnable)
	for i, s := range sums {
		line += fmt.Sprintf("%s%d %s", map[bool]string{true: ": ", false: ", "}[i == 0], s.n, s.why)
	}
	return line
}

// inGeneral is a reason without what is particular to one card; see Note.
func inGeneral(reason string) string {
	for _, mark := range []string{` "`, ":", ";", " for another "} {
		reason, _, _ = strings.Cut(reason, mark)
	}
	return reason
}
