package main

import (
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// awaited is how long a script waits for what must come, whatever the machine.
const awaited = time.Minute

// awaitLock waits until another process holds a lock file, or with "!" until
// nobody does: await-lock FILE
func awaitLock(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] await-lock FILE")
	}
	await(ts, func() bool {
		held, err := home.Held(ts.MkAbs(args[0]))
		ts.Check(err)
		return held != neg
	}, "the lock %s", args[0])
}

// awaitText waits until a file is there and has a line that matches: await-text
// FILE PATTERN
func awaitText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await-text FILE PATTERN")
	}
	want := regexp.MustCompile("(?m)" + args[1])
	await(ts, func() bool {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && want.Match(data)
	}, "%q in %s", args[1], args[0])
}

// await looks again and again until the condition holds.
func await(ts *testscript.TestScript, holds func() bool, what string, args ...any) {
	for range int(awaited / (5 * time.Millisecond)) {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("waited in vain for "+what, args...)
}
