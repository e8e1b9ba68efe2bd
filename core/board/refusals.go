package board

import (
	"fmt"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// Refusals that a caller must be able to tell from others. Each of them is
// also a core.ErrRefused.
var (
	// ErrOpenParents: a parent is not finished yet.
	ErrOpenParents = fmt.Errorf("%w: a parent is unfinished", core.ErrRefused)
	// ErrNoEvidence: a completion says nothing about what was done.
	ErrNoEvidence = fmt.Errorf("%w: there is neither a result nor a summary", core.ErrRefused)
	// ErrUnknownCards: a completion claims to have created cards that do not
	// exist or are not its own.
	ErrUnknownCards = fmt.Errorf("%w: created cards that do not exist or are not of this worker", core.ErrRefused)
	// ErrContract: the card asks for evidence that only Hermes can check.
	ErrContract = fmt.Errorf("%w: the card has a completion contract that only Hermes can check", core.ErrRefused)
	// ErrLiveWorker: a worker holds the card, or may, and nobody was told to
	// take the card from it.
	ErrLiveWorker = fmt.Errorf("%w: a worker holds the card", core.ErrRefused)
)

// waitsFor refuses what an unfinished parent stands against.
func waitsFor(parents []string) error {
	if len(parents) > 3 {
		return because(ErrOpenParents, "waits for %s and %d more", strings.Join(parents[:3], ", "), len(parents)-3)
	}
	return because(ErrOpenParents, "waits for %s", strings.Join(parents, ", "))
}

// fence keeps a card from being taken from a live worker: whoever asks must be
// that worker (speak for a run), or insist, or have looked at the process and
// found it gone. A card without a claim or without a recorded worker has no run
// to protect; whether the claim has expired does not matter, since a live
// worker's claim is extended and not taken.
func fence(task *core.Task, target Target, insist bool, saw *core.Sighting) error {
	if target.Run != nil || insist || task.Status != core.Running || task.ClaimLock == nil {
		return nil
	}
	if err := readable(task, "worker_pid"); err != nil {
		return err
	}
	if task.WorkerPID == nil || *task.WorkerPID == 0 {
		return nil
	}
	if saw == nil {
		return because(ErrLiveWorker, "nobody has looked whether pid %d lives", *task.WorkerPID)
	}
	if err := checkWorker(task, *saw); err != nil {
		return err
	}
	if !saw.Verdict.Gone() {
		return because(ErrLiveWorker, "pid %d: %s; stop it first, or insist", *task.WorkerPID, saw.Evidence)
	}
	return nil
}
