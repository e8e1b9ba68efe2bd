package journal

import (
	"fmt"
	"strconv"
	"strings"
)

// Name is what the name of a journal says: whose result it holds. Together with
// the folder of the board it is the identity that a record must agree with.
type Name struct {
	Task string
	Run  int64
}

// Suffixes of the names in the folder of a board.
const (
	pendingSuffix    = ".terminal.pending.json"
	committedSuffix  = ".terminal.committed.json"
	temporarySuffix  = ".tmp"  // behind a pending name: a record that is being written
	slotSuffix       = ".slot" // in the folder run: space for the first attempt
	quarantineSuffix = ".quarantine"
	quarantineFolder = "quarantine"
	runFolder        = "run"
	replayLock       = ".replay.lock"
)

// maxTask is how many bytes the id of a card may have in a name.
const maxTask = 64

func (n Name) String() string    { return n.Task + "." + strconv.FormatInt(n.Run, 10) }
func (n Name) pending() string   { return n.String() + pendingSuffix }
func (n Name) committed() string { return n.String() + committedSuffix }
func (n Name) slot() string      { return n.String() + slotSuffix }

// temporary is the name of the file of the nth attempt, counted from one.
func (n Name) temporary(attempt int) string {
	if attempt == 1 {
		return n.pending() + temporarySuffix
	}
	return n.pending() + "." + strconv.Itoa(attempt) + temporarySuffix
}

// Check refuses names that no journal can have. A card with such an id cannot
// run in a lane.
func (n Name) Check() error {
	if !validTask(n.Task) {
		return fmt.Errorf("%q cannot be the name of a journal: a card id for one has 1 to %d of a-z, 0-9, - and _", n.Task, maxTask)
	}
	if n.Run < 1 {
		return fmt.Errorf("%d is no id of a run", n.Run)
	}
	return nil
}

// parseName takes the name of a file apart, which must have the suffix. Every
// name has one spelling only.
func parseName(file, suffix string) (Name, bool) {
	stem, ok := strings.CutSuffix(file, suffix)
	if !ok {
		return Name{}, false
	}
	task, number, ok := strings.Cut(stem, ".")
	if !ok || !validTask(task) || number == "" || number[0] < '1' || number[0] > '9' {
		return Name{}, false
	}
	run, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Name{}, false
	}
	return Name{Task: task, Run: run}, true
}

// parseTemporary takes the name of a file of an attempt apart.
func parseTemporary(file string) (Name, bool) {
	stem, ok := strings.CutSuffix(file, temporarySuffix)
	if !ok {
		return Name{}, false
	}
	if at := strings.LastIndex(stem, pendingSuffix+"."); at >= 0 {
		attempt := stem[at+len(pendingSuffix)+1:]
		if n, err := strconv.Atoi(attempt); err != nil || n < 2 || n > maxAttempts || strconv.Itoa(n) != attempt {
			return Name{}, false
		}
		stem = stem[:at+len(pendingSuffix)]
	}
	return parseName(stem, pendingSuffix)
}

// parseQuarantined finds whose a file in the quarantine was, from its name
// there: the name it had, with a number where that was taken.
func parseQuarantined(file string) (Name, bool) {
	stem, ok := strings.CutSuffix(file, quarantineSuffix)
	if !ok {
		return Name{}, false
	}
	for range 2 {
		for _, suffix := range []string{pendingSuffix, committedSuffix} {
			if name, ok := parseName(stem, suffix); ok {
				return name, true
			}
		}
		if name, ok := parseTemporary(stem); ok {
			return name, true
		}
		if name, ok := parseName(stem, slotSuffix); ok {
			return name, true
		}
		at := strings.LastIndexByte(stem, '.')
		if at < 0 || strings.Trim(stem[at+1:], "0123456789") != "" {
			break
		}
		stem = stem[:at]
	}
	return Name{}, false
}

func validTask(task string) bool {
	if task == "" || len(task) > maxTask {
		return false
	}
	for i := range len(task) {
		c := task[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// validBoard accepts the slug of a board, which is the name of its folder.
func validBoard(slug string) bool {
	return validTask(slug) && slug[0] != '-' && slug[0] != '_'
}
