package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/journal"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// journalCommand groups what can be done with the results of workers.
func (a *app) journalCommand() *cobra.Command {
	return group("journal", "The results of workers: durable first, then on the board",
		a.journalListCommand(), a.journalShowCommand(), a.journalReplayCommand(), a.journalRecordCommand(), a.journalAcceptCommand(),
		a.journalQuarantineCommand(), a.journalRestoreCommand(), a.journalPruneCommand(),
	)
}

// openJournal opens the board and its journals, for a command that writes or for
// one that only looks.
func (a *app) openJournal(ctx context.Context, dryRun bool) (*journal.Journal, error) {
	b, err := a.openFor(ctx, dryRun)
	if err != nil {
		return nil, err
	}
	return a.journal(b), nil
}

func (a *app) journalListCommand() *cobra.Command {
	var task string
	cmd := &cobra.Command{
		Use: "list", Short: "List pending, committed and quarantined journals", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			j, err := a.openJournal(cmd.Context(), true)
			if err != nil {
				return err
			}
			all, err := j.List(cmd.Context(), task)
			if err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(all)
				return nil
			}
			rows := [][]string{}
			for _, part := range []struct {
				state string
				list  []journal.Entry
			}{{"pending", all.Pending}, {"committed", all.Committed}, {"quarantined", all.Quarantined}} {
				for _, e := range part.list {
					state := part.state
					if e.Late {
						state = "late"
					}
					rows = append(rows, []string{state, text.Clean(e.File), fmt.Sprint(e.Size), text.Clean(e.Reason)})
				}
			}
			if len(rows) == 0 {
				a.print("no journals")
				return nil
			}
			for _, row := range rows {
				a.print("%-12s %-48s %8s  %s", row[0], row[1], row[2], row[3])
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&task, "task", "", "only those of this card")
	return cmd
}

func (a *app) journalShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show FILE", Short: "Look into one journal", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := a.openJournal(cmd.Context(), true)
			if err != nil {
				return err
			}
			content, err := j.Show(cmd.Context(), args[0])
			if err != nil {
				return noJournal(args[0], err)
			}
			if a.flags.json {
				a.printJSON(content)
				return nil
			}
			a.print("%s", text.CleanLines(content.Text))
			if content.Reason != "" {
				a.say(content.Reason)
			}
			return nil
		},
	}
}

func (a *app) journalReplayCommand() *cobra.Command {
	var task string
	cmd := &cobra.Command{
		Use: "replay", Short: "Bring pending results to their runs", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			j, err := a.openJournal(ctx, false)
			if err != nil {
				return err
			}
			report, err := a.replayLocked(ctx, j, task)
			if err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(report)
			} else {
				for _, r := range report.Results {
					a.print("%-11s %s run %d %s", r.Outcome, text.Clean(r.Task), r.Run, text.Clean(r.Reason))
				}
				a.print("%s replayed", core.Count(report.Replayed, "result"))
			}
			if report.Locked {
				return coded{errQuiet, exitLater}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&task, "task", "", "only those of this card")
	return cmd
}

// replayLocked replays while no tick runs.
func (a *app) replayLocked(ctx context.Context, j *journal.Journal, task string) (journal.Report, error) {
	lock, err := a.tickLock(ctx)
	if err != nil {
		return journal.Report{}, err
	}
	report, err := j.Replay(ctx, journal.ReplayOptions{Task: task, Eager: true})
	return report, errors.Join(err, lock.Release())
}

func (a *app) journalRecordCommand() *cobra.Command {
	var task, file, summary, metadata string
	var run int64
	cmd := &cobra.Command{
		Use: "record --task ID --run N --result-file FILE", Short: "Make the result of a run durable, then bring it to the board", Args: noArgs,
		Long: "Lets a runner in any language keep its result safe. Exit 0: applied. 75: durable, but not applied yet; the\n" +
			"next tick does it. 1: superseded, kept for a person to accept. Without one of these nothing was kept.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if task == "" || run <= 0 || file == "" {
				return usage(errors.New("name the card with --task, its run with --run and the result with --result-file"))
			}
			result, err := a.readText(file)
			if err != nil {
				return err
			}
			record := journal.Record{Task: task, Run: run, Result: &result, WrittenAt: now()}
			if summary != "" {
				record.Summary = &summary
			}
			if metadata != "" {
				if record.Metadata, err = jsonObject("--metadata", metadata); err != nil {
					return err
				}
			}
			j, err := a.openJournal(cmd.Context(), false)
			if cannotUseNow(err) {
				return a.keepOnly(record, err)
			}
			if err != nil {
				return err
			}
			// What tells this run from another one of its number after a restore. A board
			// that cannot be read now does not keep the result from being kept.
			of, err := j.Board.Run(cmd.Context(), run)
			switch {
			case err == nil && of.TaskID == task:
				record.RunStarted, record.ClaimLock = &of.StartedAt, of.ClaimLock
			case err == nil || errors.Is(err, core.ErrNotFound):
				return fmt.Errorf("card %q has no run %d; nothing was kept: %w", task, run, core.ErrNotFound)
			}
			return a.submit(cmd.Context(), j, record)
		},
	}
	f := cmd.Flags()
	f.StringVar(&task, "task", "", "the card")
	f.Int64Var(&run, "run", 0, "the run that made the result")
	f.StringVar(&file, "result-file", "", "the result; - reads standard input")
	f.StringVar(&summary, "summary", "", "what was done, in a few sentences")
	f.StringVar(&metadata, "metadata", "", "a JSON object for the run")
	return cmd
}

func (a *app) submit(ctx context.Context, j *journal.Journal, record journal.Record) error {
	record.Board = a.place.Slug
	answer, err := j.Submit(ctx, record, nil)
	if err != nil {
		return err
	}
	return a.delivered(answer)
}

// cannotUseNow reports whether a board is there, but not to be used just now.
func cannotUseNow(err error) bool {
	for _, e := range []error{board.ErrBusy, board.ErrInterrupted, board.ErrFull, board.ErrReadOnly} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// keepOnly makes a result durable of which the board cannot hear now. Exit 75
// without that would be a promise that nobody keeps.
func (a *app) keepOnly(record journal.Record, why error) error {
	record.Board = a.place.Slug
	folder, err := journal.Place{Root: a.place.StateRoot, Slug: a.place.Slug, DB: a.place.DB}.Make()
	if err != nil {
		return coded{fmt.Errorf("%w: %w", journal.ErrNotDurable, err), exitFailed}
	}
	defer folder.Close()
	if err := folder.Write(record, nil); err != nil && !errors.Is(err, journal.ErrReplayable) {
		return coded{err, exitFailed}
	}
	name := journal.Name{Task: record.Task, Run: record.Run}
	return a.delivered(journal.Result{
		File: name.String() + ".terminal.pending.json", Task: record.Task, Run: record.Run, Outcome: journal.Waiting, Reason: why.Error(),
	})
}

// delivered prints what became of a result, which the exit code tells too.
func (a *app) delivered(answer journal.Result) error {
	if a.flags.json {
		a.printJSON(answer)
	} else {
		a.print("%s %s", answer.Outcome, text.Clean(answer.Reason))
	}
	if code := answer.ExitCode(); code != exitDone {
		return coded{errQuiet, code}
	}
	return nil
}

func (a *app) journalAcceptCommand() *cobra.Command {
	return a.journalFileCommand("accept", "Bring a late result to its run after all", func(ctx context.Context, j *journal.Journal, file string) (string, error) {
		answer, err := j.Accept(ctx, file, a.actor())
		return answer.Outcome, err
	})
}

func (a *app) journalQuarantineCommand() *cobra.Command {
	return a.journalFileCommand("quarantine", "Put a pending journal aside", func(ctx context.Context, j *journal.Journal, file string) (string, error) {
		return j.Quarantine(ctx, file, a.actor())
	})
}

func (a *app) journalRestoreCommand() *cobra.Command {
	return a.journalFileCommand("restore", "Take a journal out of the quarantine, after a correction", func(_ context.Context, j *journal.Journal, file string) (string, error) {
		return j.Restore(file)
	})
}

// journalFileCommand is a command on one journal that answers with a word or a
// name.
func (a *app) journalFileCommand(name, short string, act func(context.Context, *journal.Journal, string) (string, error)) *cobra.Command {
	return &cobra.Command{
		Use: name + " FILE", Short: short, Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := a.openJournal(cmd.Context(), false)
			if err != nil {
				return err
			}
			answer, err := act(cmd.Context(), j, args[0])
			if err != nil {
				return noJournal(args[0], err)
			}
			if a.flags.json {
				a.printJSON(map[string]string{"file": args[0], "answer": answer})
				return nil
			}
			a.print("%s", text.Clean(answer))
			return nil
		},
	}
}

func (a *app) journalPruneCommand() *cobra.Command {
	var quarantine bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Delete committed journals that are old and that the board confirms to have", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			j, err := a.openJournal(cmd.Context(), false)
			if err != nil {
				return err
			}
			o := journal.PruneOptions{}
			if quarantine {
				o.Quarantine = journal.KeepQuarantine
			}
			names, err := j.Prune(cmd.Context(), o)
			if a.flags.json {
				a.printJSON(map[string]any{"deleted": append([]string{}, names...)})
				return err
			}
			a.print("%s deleted", core.Count(len(names), "journal"))
			return err
		},
	}
	cmd.Flags().BoolVar(&quarantine, "quarantine", false, "also what has been in quarantine for more than 30 days")
	return cmd
}

// noJournal says in words that there is no journal of that name.
func noJournal(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no journal %q; see: hermes-tui journal list: %w", file, core.ErrNotFound)
	}
	return err
}
