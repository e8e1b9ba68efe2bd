package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// commands lists every command. The help sorts them.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.demoCommand(),
		a.initCommand(),
		a.taskCommand(),
		a.boardsCommand(),
		a.dispatchCommand(),
		a.reconcileCommand(),
		a.whyCommand(),
		a.pauseCommand(),
		a.resumeCommand(),
		a.stopCommand(),
		a.journalCommand(),
		a.eventsCommand(),
		a.logsCommand(),
		a.snapshotCommand(),
		a.backupCommand(),
		a.doctorCommand(),
		a.configCommand(),
		a.themesCommand(),
		a.keysCommand(),
		a.versionCommand(),
	}
}

// taskCommand groups what can be done to cards.
func (a *app) taskCommand() *cobra.Command {
	return group("task", "Make, show and move cards",
		a.createCommand(), a.listCommand(), a.showCommand(),
		a.claimCommand(), a.heartbeatCommand(), a.completeCommand(), a.blockCommand(), a.unblockCommand(),
		a.promoteCommand(), a.requeueCommand(), a.scheduleCommand(), a.reviewCommand(), a.changesCommand(), a.reopenCommand(),
		a.assignCommand(), a.commentCommand(), a.editCommand(), a.linkCommand(), a.unlinkCommand(),
		a.archiveCommand(), a.deleteCommand(),
	)
}

// group is a command that only holds others. By itself it is wrong usage, so
// that a script with a typing error fails.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(fmt.Errorf("say what to do; see: %s --help", cmd.CommandPath()))
			}
			return noArgs(cmd, args)
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}
