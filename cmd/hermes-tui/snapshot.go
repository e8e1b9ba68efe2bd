package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui"
)

// picture is what a person asked a snapshot to look like.
type picture struct {
	width, height int
	format, theme string
}

// The size of a snapshot where nobody asks for another one, and the largest.
const (
	pictureWidth, pictureHeight = 120, 40
	largestPicture              = 1000
)

var pictureFormats = []string{"text", "ansi", "svg", "json"}

func (a *app) snapshotCommand() *cobra.Command {
	var p picture
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Print one frame of the board, as the screen draws it",
		Long:  "Prints one frame of the board, drawn as on the screen: as plain text, with colours (ansi), as a picture (svg),\nor as the columns with their cards (json). Nothing is written to the board.",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.snapshot(cmd.Context(), p) },
	}
	cmd.Flags().IntVar(&p.width, "width", pictureWidth, "cells across")
	cmd.Flags().IntVar(&p.height, "height", pictureHeight, "lines")
	cmd.Flags().StringVar(&p.format, "format", "text", strings.Join(pictureFormats, ", "))
	cmd.Flags().StringVar(&p.theme, "theme", "", "theme to draw in (default: as on the screen)")
	return cmd
}

func (a *app) snapshot(ctx context.Context, p picture) error {
	if a.flags.json {
		p.format = "json"
	}
	if err := p.check(); err != nil {
		return usage(err)
	}
	if err := a.locate(); err != nil {
		return err
	}
	if set, _ := themesOf(a.home); p.theme != "" {
		if _, err := set.Pick(p.theme, true); err != nil {
			return usage(err)
		}
	}
	b, err := a.open(ctx, busyCommand)
	if err != nil {
		return err
	}
	return a.printBoard(ctx, b, p)
}

func (p picture) check() error {
	if !slices.Contains(pictureFormats, p.format) {
		return fmt.Errorf("--format %q is unknown; there are %s", p.format, strings.Join(pictureFormats, ", "))
	}
	for name, n := range map[string]int{"width": p.width, "height": p.height} {
		if n < 1 || n > largestPicture {
			return fmt.Errorf("--%s %d cannot be drawn; it may be 1 to %d", name, n, largestPicture)
		}
	}
	return nil
}

// printBoard prints the board once, for a pipe or a terminal that cannot move
// its cursor.
func (a *app) printBoard(ctx context.Context, b *board.Board, p picture) error {
	s, err := b.Snapshot(ctx)
	if err != nil {
		return err
	}
	if p.format == "json" {
		a.printJSON(shownBoard(a.place.Slug, s))
		return nil
	}
	options := a.look()
	if p.theme != "" {
		options.Theme = p.theme
	}
	options.NoColor = options.NoColor && p.format == "text"
	frame, err := ui.Frame(s, ui.Deps{BoardName: a.place.Slug, BoardPath: b.Path(), Known: a.knows(), Now: time.Now}, options, p.width, p.height, true)
	if err != nil {
		return usage(err)
	}
	switch p.format {
	case "svg":
		theme, err := options.Themes.Pick(options.Theme, true)
		if err != nil {
			return usage(err)
		}
		a.write([]byte(ui.SVG(frame, p.width, p.height, theme)))
	case "ansi":
		a.print("%s", frame)
	default:
		a.print("%s", plainFrame(frame))
	}
	return nil
}

// plainFrame is a frame without colours and without blanks at the ends of lines.
func plainFrame(frame string) string {
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// shownColumn is a column as scripts get it.
type shownColumn struct {
	Status core.Status `json:"status"`
	Count  int         `json:"count"`
	Cards  []shownCard `json:"cards"`
}

// shownCard is a card as the board shows it. Zero is unknown in every number
// that is a time, a process or a run.
type shownCard struct {
	ID          string      `json:"id"`
	Title       string      `json:"title"`
	Status      core.Status `json:"status"`
	Assignee    string      `json:"assignee"`
	Priority    int64       `json:"priority"`
	CreatedAt   int64       `json:"created_at"`
	CompletedAt int64       `json:"completed_at"`
	Run         int64       `json:"run"`
	RunStarted  int64       `json:"run_started_at"`
	Heartbeat   int64       `json:"heartbeat_at"`
	WorkerPID   int64       `json:"worker_pid"`
	Attempts    int         `json:"attempts"`
	Failures    int64       `json:"failures"`
	Reason      string      `json:"reason"` // why it is blocked
	Summary     string      `json:"summary"`
	OpenParents int         `json:"open_parents"`
	Comments    int         `json:"comments"`
}

func shownBoard(slug string, s *core.Snapshot) map[string]any {
	columns := each(s.Columns, func(c core.Column) shownColumn {
		return shownColumn{Status: c.Status, Count: len(c.Cards), Cards: each(c.Cards, func(c *core.Card) shownCard {
			return shownCard{
				ID: c.ID, Title: c.Title, Status: c.Status, Assignee: c.Assignee, Priority: c.Priority, CreatedAt: c.CreatedAt, CompletedAt: c.CompletedAt,
				Run: c.RunID, RunStarted: c.RunStarted, Heartbeat: c.Heartbeat, WorkerPID: c.WorkerPID, Attempts: c.Attempts, Failures: c.Failures,
				Reason: c.BlockReason, Summary: c.Summary, OpenParents: c.OpenParents, Comments: c.Comments,
			}
		})}
	})
	return map[string]any{"board": slug, "columns": columns}
}

// look is how the person wants the screen: the environment wins over the
// configuration. A theme of the environment that is not ours is ignored, since
// the variable is shared with Hermes.
func (a *app) look() ui.Options {
	o := ui.Options{NoColor: a.env.Get("NO_COLOR") != "", ASCII: poorLocale(a.env.Get), Tmux: a.env.Get("TMUX") != ""}
	if settings, err := a.home.Settings(); err != nil {
		a.say(err.Error())
	} else {
		o.Theme, o.Density, o.Columns, o.Keys = settings.Theme, string(settings.Density), settings.Columns, settings.Keys
		o.Mouse, o.Notify, o.Still = settings.Mouse, settings.Notify, !settings.Motion
	}
	o.Themes, _ = themesOf(a.home)
	theme, known := environmentTheme(a.env.Get("HERMES_TUI_THEME"), o.Themes)
	switch {
	case theme == "":
	case known:
		o.Theme = theme
	default:
		a.say(fmt.Sprintf("HERMES_TUI_THEME %q is no theme of ours and is ignored; see: hermes-tui themes", theme))
	}
	if _, err := o.Themes.Pick(o.Theme, true); err != nil {
		a.say(errors.Join(errors.New("the theme of the configuration is ignored"), err).Error())
		o.Theme = themes.Auto
	}
	return o
}

// environmentTheme reads the variable that is shared with Hermes: a name, or six
// hex digits of a background.
func environmentTheme(value string, set themes.Set) (theme string, known bool) {
	value = strings.ToLower(strings.TrimSpace(value))
	var r, g, b int
	if digits := strings.TrimPrefix(value, "#"); len(digits) == 6 {
		if n, err := fmt.Sscanf(digits, "%02x%02x%02x", &r, &g, &b); n == 3 && err == nil {
			if r*299+g*587+b*114 < 128*1000 {
				return "dark", true
			}
			return "light", true
		}
	}
	return value, slices.Contains(set.Names(), value)
}

// poorLocale reports whether the locale was set to one that cannot show our
// signs. One that nobody set says nothing about the terminal.
func poorLocale(get func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(get(name)); value != "" {
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return false
}
