// Package differential plays recorded scenarios on a board and compares every
// row with what Hermes left behind. It is for tests alone: nothing that ships
// imports it. The clock, the ids, the process table and the signals are the
// player's own; the product's functions do everything that changes the board.
package differential

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scenario is a list of operations on an empty home, and what is to come of it.
type Scenario struct {
	Name     string   `json:"-"`
	Now      int64    `json:"now"`     // epoch seconds; stands still unless advanced
	Claimer  string   `json:"claimer"` // our own lock text, "host:pid"
	Profiles []string `json:"profiles"`
	Ops      []Op     `json:"ops"`
	Expected Expected `json:"-"`
}

// Has reports whether an operation of that name is in the scenario.
func (s Scenario) Has(name string) bool {
	return slices.ContainsFunc(s.Ops, func(op Op) bool { return text(op, "op") == name })
}

// Op is one operation with its fields as they were recorded.
type Op map[string]json.RawMessage

// Expected is what Hermes answered and left.
type Expected struct {
	Results []Result                    `json:"results"`
	Signals [][2]int64                  `json:"signals"` // pid and signal number
	Tables  map[string][]map[string]any `json:"tables"`
}

// Result is the answer to one operation. Error is not empty where Hermes
// refused with an exception.
type Result struct {
	Op     string `json:"op"`
	Result any    `json:"result"`
	Error  string `json:"error"`
}

// Folder finds the recorded scenarios: the folder that the variable names, or
// else the given one beside the directory of go.mod. It is empty where there
// is none; the reason says why.
func Folder(variable, beside string) (folder, reason string) {
	if named := os.Getenv(variable); named != "" {
		return named, ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err.Error()
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", "no go.mod was found above the working directory"
		}
		dir = filepath.Dir(dir)
	}
	folder = filepath.Join(dir, beside)
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Sprintf("no recorded scenarios: %v; name a folder in %s", err, variable)
	}
	return folder, ""
}

// Load reads every NN.scenario.json of a folder with its NN.expected.json.
func Load(folder string) ([]Scenario, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.scenario.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no scenarios in %q", folder)
	}
	var all []Scenario
	for _, file := range files {
		s := Scenario{Name: strings.TrimSuffix(filepath.Base(file), ".scenario.json")}
		if err := read(file, &s); err != nil {
			return nil, err
		}
		if err := read(strings.TrimSuffix(file, ".scenario.json")+".expected.json", &s.Expected); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func read(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
