package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
	"github.com/hermes-tui/hermes-tui/core/home"
)

func TestExitCodeOfAnError(t *testing.T) {
	tests := []struct {
		err  error
		exit int
		code string
	}{
		{usage(errors.New("x")), exitUsage, "usage"},
		{fmt.Errorf("a: %w", core.ErrInvalid), exitUsage, "usage"},
		{fmt.Errorf("a: %w", core.ErrNotFound), exitFailed, "not_found"},
		{fmt.Errorf("a: %w", core.ErrRefused), exitFailed, "refused"},
		{fmt.Errorf("a: %w", core.ErrChanged), exitFailed, "changed"},
		{fmt.Errorf("a: %w swe", errElsewhere), exitFailed, "not_here"},
		{fmt.Errorf("a: %w", board.ErrBusy), exitLater, "busy"},
		{fmt.Errorf("a: %w", home.ErrHeld), exitLater, "busy"},
		{fmt.Errorf("a: %w", board.ErrMissing), exitUnusable, "board_missing"},
		{fmt.Errorf("a: %w", board.ErrDamaged), exitUnusable, "board_unusable"},
		{errors.New("disk on fire"), exitFailed, "refused"},
	}
	for _, test := range tests {
		if exit, code := exitCode(test.err), errorCode(test.err); exit != test.exit || code != test.code {
			t.Errorf("%v: %d %q, want %d %q", test.err, exit, code, test.exit, test.code)
		}
	}
}

func TestWorstExitCodeWins(t *testing.T) {
	for _, test := range [][3]int{
		{exitDone, exitDone, exitDone}, {exitDone, exitFailed, exitFailed}, {exitFailed, exitLater, exitLater},
		{exitLater, exitFailed, exitLater}, {exitLater, exitUnusable, exitUnusable}, {exitUsage, exitFailed, exitFailed},
		{exitUsage, exitDone, exitUsage},
	} {
		if got := worse(test[0], test[1]); got != test[2] {
			t.Errorf("worse(%d, %d) = %d, want %d", test[0], test[1], got, test[2])
		}
	}
}

func TestTimeSpans(t *testing.T) {
	for text, want := range map[string]int64{"90": 90, "30m": 1800, "1h30m": 5400, "1s": 1, "9000000000": 9_000_000_000} {
		var got *int64
		if err := (secondsFlag{&got}).Set(text); err != nil || *got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-5", "1.5s", "soon", "30 m", "9000000001", "300000000h", "1e3"} {
		var got *int64
		if err := (secondsFlag{&got}).Set(text); err == nil || got != nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestTextThatIsTooLongIsRefused(t *testing.T) {
	a := newApp(testEnv(t), strings.NewReader(strings.Repeat("x", maxText+1)), nil, nil)
	if _, err := a.readText("-"); err == nil || !strings.Contains(err.Error(), "4 MiB") {
		t.Errorf("the error is %v", err)
	}
	a.in = strings.NewReader(strings.Repeat("x", maxText))
	if s, err := a.readText("-"); err != nil || len(s) != maxText {
		t.Errorf("%d bytes, %v", len(s), err)
	}
	a.in = strings.NewReader("a\x00b")
	if _, err := a.readText("-"); err == nil {
		t.Error("a zero byte is taken for text")
	}
}

func TestTableCutsOnlyWhereTheWidthIsKnown(t *testing.T) {
	rows := func() [][]string {
		return [][]string{{"a", "b", "title"}, {"long name", "x", strings.Repeat("t", 40)}}
	}
	if got, want := tabulate(rows(), 0), "a          b  title\nlong name  x  "+strings.Repeat("t", 40)+"\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, line := range strings.Split(strings.TrimSpace(tabulate(rows(), 20)), "\n") {
		if n := len([]rune(line)); n > 20 {
			t.Errorf("%d cells: %q", n, line)
		}
	}
}

func TestPayloadInWords(t *testing.T) {
	for payload, want := range map[string]string{
		``:                                    "",
		`{"a": null, "b": [], "c": "x y"}`:    "c=x y",
		`{"z": 1, "a": true, "list": ["x"]}`:  `z=1 a=true list=["x"]`,
		`{"a": "esc\u001b[2Jape"}`:            "a=esc␛ape",
		`{"a": 1, "b"`:                        `{"a": 1, "b"`,
		`["x"]`:                               `["x"]`,
		"no json \x1b[0m":                     "no json ␛",
		`{"a": {"deep": null}, "b": "` + "\n": "{\"a\": {\"deep\": null}, \"b\": \"",
	} {
		if got := told(payload); got != want {
			t.Errorf("%q: got %q, want %q", payload, got, want)
		}
	}
}

func TestArmourKeepsTheMeaning(t *testing.T) {
	in := "{\"a\":\"\u009b31m \u202e \u200b \U000e0041 ä \u2028 é漢🎉\"}\n"
	want := `{"a":"\u009b31m \u202e \u200b \udb40\udc41 ä \u2028 é漢🎉"}` + "\n"
	if got := string(armour([]byte(in))); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}
