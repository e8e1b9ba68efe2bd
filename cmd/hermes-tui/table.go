package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// widestCell bounds every column of a table but the last, so that one long name
// does not push all others off the screen.
const widestCell = 32

// tabulate lines columns up. Every cell is cleaned. The last column is as long as
// it likes, unless width, in cells, is known.
func tabulate(rows [][]string, width int) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = text.Clean(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(text.Width(row[i]), widestCell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i < len(row)-1 {
				cell = text.Fit(cell, widths[i]) + "  "
			}
			line.WriteString(cell)
		}
		out := strings.TrimRight(line.String(), " ")
		if width > 0 {
			out = text.Truncate(out, width)
		}
		b.WriteString(out + "\n")
	}
	return b.String()
}

// indented cleans a text of several lines and puts it under a heading.
func indented(s string) string {
	lines := strings.Split(strings.TrimRight(text.CleanLines(s), "\n"), "\n")
	return "  " + strings.Join(lines, "\n  ") + "\n"
}

// age says how long ago a moment was, in its largest unit. Times that cannot be
// meant, such as those in the future, are a dash.
func age(now, then int64) string {
	s := now - then
	switch {
	case then <= 0 || s < 0:
		return "-"
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%dh", s/3600)
	}
	return fmt.Sprintf("%dd", s/86400)
}

// moment writes a time of a board, which no time zone of a reader can change.
func moment(then int64) string {
	if then <= 0 {
		return "-"
	}
	return time.Unix(then, 0).UTC().Format("2006-01-02 15:04:05Z")
}
