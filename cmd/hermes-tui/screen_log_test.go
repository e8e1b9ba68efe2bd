package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/home"
)

func TestScreenReadsTheEndOfALongLog(t *testing.T) {
	a := &app{place: home.Board{Logs: t.TempDir()}}
	path := filepath.Join(a.place.Logs, "t_1.log")
	log, err := a.screenLog("t_1")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if lines, err := log.Read(t.Context()); len(lines) > 0 || err != nil {
		t.Fatalf("no log yet: %v, %v", lines, err)
	}
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %d of a log that is long\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()+"unfinished"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() ([]string, error){
		"a log that came later": func() ([]string, error) { return log.Read(t.Context()) },
		"a log that was there": func() ([]string, error) {
			l, err := a.screenLog("t_1")
			if err != nil {
				return nil, err
			}
			defer l.Close()
			return l.Read(t.Context())
		},
	} {
		lines, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(lines); n == 0 || n > screenLogLines {
			t.Fatalf("%s: %d lines", name, n)
		}
		if last := lines[len(lines)-1]; last != "line 99999 of a log that is long\n" {
			t.Errorf("%s ends with %q", name, last)
		}
		if !strings.HasPrefix(lines[0], "line ") {
			t.Errorf("%s begins within a line: %q", name, lines[0])
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, " and done")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if lines, err := log.Read(t.Context()); err != nil || len(lines) != 1 || lines[0] != "unfinished and done\n" {
		t.Errorf("got %q, %v", lines, err)
	}
	for _, id := range []string{"", "..", "../../etc/passwd", "a/b", "a\x00b"} {
		if _, err := a.screenLog(id); err == nil {
			t.Errorf("%q names a log", id)
		}
	}
}
