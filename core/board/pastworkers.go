package board

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-tui/hermes-tui/core"
)

// cleanOutcomes are those that a worker reported by itself. What it left running
// it may have left on purpose.
var cleanOutcomes = []core.Outcome{
	core.Completed, core.ReviewRequested, core.OutcomeBlocked, core.OutcomeScheduled, core.ChangesRequested,
}

// pastRuns is how many ended runs of a card are remembered as having had a
// worker that may still be there.
const pastRuns = 5

// PastWorker is the worker of an ended run.
type PastWorker struct {
	Run   core.Run
	Clean bool // the worker ended the run by its own report
	// Restarted: the run ended together with the dispatcher that had started it.
	Restarted bool
}

// PastWorkers lists the newest ended runs of a card that had a worker.
func (b *Board) PastWorkers(ctx context.Context, task string) ([]PastWorker, error) {
	return b.pastWorkers(ctx, fmt.Sprintf("task_id = ? AND ended_at IS NOT NULL AND worker_pid IS NOT NULL ORDER BY id DESC LIMIT %d", pastRuns), task)
}

// recentRuns is how far back, in runs of the whole board, workers are looked for
// that outlived the end of their run.
const recentRuns = 1000

// LeftWorkers lists recent runs that ended unclean before the given moment, in
// epoch seconds, and whose worker was not dealt with since.
func (b *Board) LeftWorkers(ctx context.Context, before int64) ([]PastWorker, error) {
	return b.pastWorkers(ctx, fmt.Sprintf(`id > (SELECT coalesce(max(id), 0) - %d FROM task_runs)
		AND ended_at IS NOT NULL AND ended_at < ? AND worker_pid IS NOT NULL AND worker_started_at IS NOT NULL
		AND outcome NOT IN (SELECT value FROM json_each(?))
		AND NOT EXISTS (SELECT 1 FROM task_events AS e WHERE e.run_id = task_runs.id AND e.kind = 'terminal_worker_reaped') ORDER BY id`,
		recentRuns), before, jsonList(texts(cleanOutcomes)))
}

func (b *Board) pastWorkers(ctx context.Context, where string, args ...any) ([]PastWorker, error) {
	var out []PastWorker
	err := b.look(ctx, func(r *reader) error {
		if !r.schema.has("task_runs", "worker_started_at") {
			return nil // closed runs of such a board keep no worker
		}
		query := "SELECT " + r.schema.runColumns() + " FROM task_runs WHERE " + where
		return r.each(ctx, query, args, func(rows *sql.Rows) error {
			run, err := scanRun(rows)
			out = append(out, PastWorker{
				Run: run, Clean: slices.Contains(cleanOutcomes, run.Outcome),
				Restarted: run.Outcome == core.Reclaimed && run.Error != nil && strings.HasPrefix(*run.Error, restartedText),
			})
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list workers of ended runs: %w", err)
	}
	return out, nil
}

// RecordReaped records that the worker of an ended run was stopped.
func (b *Board) RecordReaped(ctx context.Context, run core.Run, stop core.Termination) error {
	return b.write(ctx, fmt.Sprintf("record that the worker of run %d was stopped", run.ID), func(t *tx) error {
		return t.event(run.TaskID, &run.ID, "terminal_worker_reaped",
			fields{{"pid", run.WorkerPID}, {"worker_started_at", run.WorkerStarted}}.with(terminationFields(stop)))
	})
}

// texts is a list of words of one type as plain texts.
func texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
