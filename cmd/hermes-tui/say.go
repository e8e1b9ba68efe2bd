package main

import (
	"fmt"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// say writes one line for a person to standard error, where it never disturbs
// what a script reads.
func (a *app) say(line string) { fmt.Fprintf(a.err, "hermes-tui: %s\n", text.Clean(line)) }

// print writes one line of a command's answer. What comes from a board or a
// file name is cleaned by the caller.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }
