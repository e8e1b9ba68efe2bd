package ui

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
	"github.com/hermes-tui/hermes-tui/ui/columns"
	"github.com/hermes-tui/hermes-tui/ui/text"
)

// statsPage is how the board does: what was finished when, how long it took,
// what failed and who works.
type statsPage struct{ pane }

func (m *Model) openStats() tea.Cmd {
	m.page = &statsPage{}
	return nil
}

func (*statsPage) title(m *Model) row {
	return row{{Text: "Statistics", Style: m.styles.Board.Strong}}
}

// statsDays is how many days the plots look back.
const statsDays = 28

func (*statsPage) rows(m *Model, width int) []row {
	s := statistics(m.snap, m.now())
	p := plotter{m: m, width: width}
	p.head(fmt.Sprintf("Finished a day, the last %d days", statsDays))
	p.columns(s.perDay)
	p.line(fmt.Sprintf("%d in all, %d in the last 7 days, %d today", s.done, s.week, s.perDay[len(s.perDay)-1]))
	p.head("From creation to completion")
	if s.measured == 0 {
		p.line("nothing was finished with a record of both")
	} else {
		p.bars(s.cycles)
		p.line(fmt.Sprintf("half within %s, nine in ten within %s", columns.Span(s.median), columns.Span(s.ninth)))
	}
	p.head(fmt.Sprintf("Runs that failed, among the last %s", several(len(m.snap.Events), "event")))
	p.barsOr(s.failures, "none")
	p.head("Running now, by owner")
	p.barsOr(s.running, "nobody works")
	return p.rows
}

// bar is a number with its name.
type bar struct {
	name  string
	n     int
	style func(*themes.Ink) themes.Style
}

type stats struct {
	perDay            []int
	done, week        int
	measured          int
	median, ninth     int64 // seconds
	cycles            []bar
	failures, running []bar
}

// statistics counts what a snapshot tells. Days are those of the person's
// calendar.
func statistics(snap *core.Snapshot, now time.Time) stats {
	s := stats{perDay: make([]int, statsDays)}
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	var took []int64
	running := map[string]int{}
	for _, c := range snap.ByID {
		if c.Status == core.Running {
			running[text.Clean(orNobody(c.Assignee))]++
		}
		if c.CompletedAt <= 0 || !c.Status.Satisfies() {
			continue
		}
		s.done++
		if day := daysBefore(midnight, time.Unix(c.CompletedAt, 0)); day < statsDays && c.CompletedAt <= now.Unix() {
			s.perDay[statsDays-1-day]++
			if day < 7 {
				s.week++
			}
		}
		if c.CreatedAt > 0 && c.CompletedAt >= c.CreatedAt {
			took = append(took, c.CompletedAt-c.CreatedAt)
		}
	}
	s.running = ranked(running, func(i *themes.Ink) themes.Style { return i.Running })
	s.cycle(took)
	failed := map[string]int{}
	for _, e := range snap.Events {
		if slices.Contains(failing, e.Kind) {
			failed[e.Kind]++
		}
	}
	s.failures = ranked(failed, func(i *themes.Ink) themes.Style { return i.Attention })
	return s
}

// daysBefore is how many calendar days lie between a moment and today.
func daysBefore(midnight, then time.Time) int {
	day := 0
	for ; then.Before(midnight) && day < statsDays; day++ {
		midnight = midnight.AddDate(0, 0, -1)
	}
	return day
}

// cycle sorts how long cards took into classes.
func (s *stats) cycle(took []int64) {
	if s.measured = len(took); s.measured == 0 {
		return
	}
	slices.Sort(took)
	s.median, s.ninth = took[len(took)/2], took[min(len(took)-1, len(took)*9/10)]
	classes := []struct {
		name string
		upTo int64
	}{{"under 10m", 600}, {"under 1h", 3600}, {"under 8h", 8 * 3600}, {"under 1d", 86400}, {"under 1w", 7 * 86400}, {"longer", 1 << 62}}
	from := 0
	for _, class := range classes {
		n := sort.Search(len(took), func(i int) bool { return took[i] >= class.upTo }) - from
		from += n
		s.cycles = append(s.cycles, bar{class.name, n, func(i *themes.Ink) themes.Style { return i.Accent }})
	}
}

func ranked(counts map[string]int, style func(*themes.Ink) themes.Style) []bar {
	var bars []bar
	for name, n := range counts {
		bars = append(bars, bar{name, n, style})
	}
	slices.SortFunc(bars, func(a, b bar) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	return bars[:min(len(bars), 12)]
}

// plotter sets plots under each other.
type plotter struct {
	m     *Model
	width int
	rows  []row
}

func (p *plotter) head(words string) {
	if len(p.rows) > 0 {
		p.rows = append(p.rows, nil)
	}
	p.rows = append(p.rows, row{{Text: words, Style: p.m.styles.Board.Accent}})
}

func (p *plotter) line(words string) {
	p.rows = append(p.rows, row{{Text: words, Style: p.m.styles.Board.Muted}})
}

// plotHeight is how many lines a plot of columns has.
const plotHeight = 4

// columns draws numbers as columns of eighths, two cells and a gap each.
func (p *plotter) columns(values []int) {
	ink := &p.m.styles.Board
	most := max(1, slices.Max(values))
	for y := plotHeight - 1; y >= 0; y-- {
		var b strings.Builder
		for _, v := range values {
			level := v*plotHeight*8/most - y*8
			if v > 0 && y == 0 {
				level = max(level, 1)
			}
			cell := " "
			if level > 0 {
				cell = p.m.signs.Steps[min(level, 8)-1]
			}
			b.WriteString(cell + cell + " ")
		}
		scale := ""
		if y == plotHeight-1 {
			scale = fmt.Sprint(most)
		}
		p.rows = append(p.rows, row{{Text: text.Fit(scale, 5), Style: ink.Muted}, {Text: b.String(), Style: ink.Done}})
	}
	first := fmt.Sprintf("%d days ago", len(values)-1)
	p.line(text.Spaces(5) + text.Fit(first, max(0, 3*len(values)-6)) + "today")
}

func (p *plotter) barsOr(bars []bar, none string) {
	if len(bars) == 0 {
		p.line(none)
		return
	}
	p.bars(bars)
}

func (p *plotter) bars(bars []bar) {
	ink := &p.m.styles.Board
	most := 1
	for _, b := range bars {
		most = max(most, b.n)
	}
	room := max(1, min(40, p.width-28))
	for _, b := range bars {
		n := b.n * room / most
		if b.n > 0 {
			n = max(n, 1)
		}
		p.rows = append(p.rows, row{{Text: text.Fit(b.name, 18) + " ", Style: ink.Text}, {Text: repeat(p.m.signs.Steps[4], n), Style: b.style(ink)}, {Text: fmt.Sprintf(" %d", b.n), Style: ink.Muted}})
	}
}
