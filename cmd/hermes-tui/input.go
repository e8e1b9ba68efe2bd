package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxText bounds a text that is read from a file or from standard input.
const maxText = 4 << 20

// readText returns the text of a file, or of standard input for "-". It is called
// before the board is opened: no file is closed here while SQLite holds locks,
// even if somebody names the board itself.
func (a *app) readText(name string) (string, error) {
	in, label := a.in, "standard input"
	if name != "-" {
		path, err := a.env.Abs(name)
		if err != nil {
			return "", usage(err)
		}
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read the text: %w", err)
		}
		defer f.Close()
		in, label = f, strconv.Quote(path)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the text from %s: %w", label, err)
	case len(data) > maxText:
		return "", fmt.Errorf("the text in %s is longer than 4 MiB; give a shorter one and keep the rest in a file of the workspace", label)
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", fmt.Errorf("%s does not hold UTF-8 text; convert it first", label)
	}
	return string(data), nil
}

// textOrFile takes a text from its flag or from the file of its other flag.
func (a *app) textOrFile(flag string, direct *string, file string) (*string, error) {
	switch {
	case file == "":
		return direct, nil
	case direct != nil:
		return nil, usage(fmt.Errorf("give --%[1]s or --%[1]s-file, not both", flag))
	}
	s, err := a.readText(file)
	return &s, err
}

// jsonObject checks that a flag holds one.
func jsonObject(flag, s string) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	switch err := json.Unmarshal([]byte(s), &object); {
	case s == "":
		return nil, nil
	case err != nil:
		return nil, usage(fmt.Errorf("--%s must be a JSON object such as {\"key\": 1}: %w", flag, err))
	}
	return json.RawMessage(s), nil
}

// textFlag is a text that may not be given at all, which is another thing than
// an empty one.
type textFlag struct{ to **string }

func (f textFlag) String() string { return "" }
func (f textFlag) Type() string   { return "text" }
func (f textFlag) Set(s string) error {
	*f.to = &s
	return nil
}

// numberFlag is a whole number that may not be given at all.
type numberFlag struct {
	to    **int64
	least int64
}

func (f numberFlag) String() string { return "" }
func (f numberFlag) Type() string   { return "number" }
func (f numberFlag) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < f.least {
		return fmt.Errorf("a whole number of at least %d is needed", f.least)
	}
	*f.to = &n
	return nil
}

// secondsFlag is a time span of whole seconds that may not be given at all:
// "90", "30m", "1h30m".
type secondsFlag struct{ to **int64 }

// maxSeconds keeps sums with a time of day far from overflowing.
const maxSeconds = 9_000_000_000

func (f secondsFlag) String() string { return "" }
func (f secondsFlag) Type() string   { return "duration" }
func (f secondsFlag) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		var d time.Duration
		if d, err = time.ParseDuration(s); err == nil && d%time.Second != 0 {
			err = strconv.ErrSyntax
		}
		n = int64(d / time.Second)
	}
	if err != nil || n < 1 || n > maxSeconds {
		return fmt.Errorf("whole seconds or a time such as 30m are needed, at least 1 s")
	}
	*f.to = &n
	return nil
}
