package text

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestLogLineKeepsOnlyColours(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "ok\n", "ok"},
		{"colour closed at the end", "\x1b[31mred", "\x1b[31mred\x1b[m"},
		{"back to normal", "a \x1b[1;32mgo\x1b[0m b", "a \x1b[1;32mgo\x1b[m b"},
		{"attribute off", "\x1b[1mb\x1b[22mn", "\x1b[1mb\x1b[mn"},
		{"empty means reset", "\x1b[34mb\x1b[mn", "\x1b[34mb\x1b[mn"},
		{"256 colours", "\x1b[38;5;208mo", "\x1b[38;5;208mo\x1b[m"},
		{"24 bits with colons", "\x1b[48:2:1:2:3mo", "\x1b[48;2;1;2;3mo\x1b[m"},
		{"broken colour", "\x1b[38;5mo", "o"},
		{"out of range", "\x1b[38;5;999mo", "o"},
		{"blink and hidden text", "\x1b[5;8mx", "x"},
		{"cursor and character set", "\x1b[2Ja\x1b(Bb\x1b[10;10Hc", "abc"},
		{"title", "\x1b]0;t\ax", "x"},
		{"eight bits", "\u009b31mred", "\x1b[31mred\x1b[m"},
		{"progress", " 10%\r 50%\r100%\r\n", "100%"},
		{"control character", "\x1b[31ma\bb", "\x1b[31ma␈b\x1b[m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := LogLine(tt.in); got != tt.want {
				t.Errorf("LogLine(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzLogLine(f *testing.F) {
	f.Add("\x1b[1;31mred\x1b[0m plain \x1b]0;t\a\x1b(B")
	f.Add("\x1b[38;2;1;2;3m\x1b[48:5:3mx\r\x1b[m")
	f.Fuzz(func(t *testing.T, in string) {
		out := LogLine(in)
		harmless(t, in, ansi.Strip(out), false)
		if strings.Contains(out, "\x1b") && !strings.HasSuffix(out, "\x1b[m") && ansi.Strip(out[strings.LastIndex(out, "\x1b"):]) == "" {
			t.Fatalf("%q leaves its colours open: %q", in, out)
		}
		if LogLine(out) != out {
			t.Fatalf("not settled: %q, then %q, then %q", in, out, LogLine(out))
		}
	})
}
