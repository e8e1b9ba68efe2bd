package journal

import (
	"strings"
	"testing"
)

func TestOnlyOneSpellingNamesAJournal(t *testing.T) {
	long := strings.Repeat("a", maxTask)
	for file, want := range map[string]Name{
		"t_1.7.terminal.pending.json":                     {"t_1", 7},
		"a-b_c.9223372036854775807.terminal.pending.json": {"a-b_c", 9223372036854775807},
		long + ".1.terminal.pending.json":                 {long, 1},
		long + "a.1.terminal.pending.json":                {},
		"t_1.07.terminal.pending.json":                    {},
		"t_1.0.terminal.pending.json":                     {},
		"t_1.-1.terminal.pending.json":                    {},
		"t_1.+1.terminal.pending.json":                    {},
		"t_1.9223372036854775808.terminal.pending.json":   {},
		"t_1..terminal.pending.json":                      {},
		".1.terminal.pending.json":                        {},
		"T_1.1.terminal.pending.json":                     {},
		"t.1.1.terminal.pending.json":                     {},
		"t 1.1.terminal.pending.json":                     {},
		"t_1.1.terminal.pending.json.tmp":                 {},
		"t_1.1.terminal.committed.json":                   {},
	} {
		got, ok := parseName(file, pendingSuffix)
		if got != want || ok != (want != Name{}) {
			t.Errorf("%q is %v, %t; want %v", file, got, ok, want)
		}
	}
}

func TestAFileInQuarantineIsKnownByTheNameItHad(t *testing.T) {
	name := Name{"t_1", 7}
	for _, file := range []string{
		"t_1.7.terminal.pending.json.quarantine", "t_1.7.terminal.pending.json.12.quarantine",
		"t_1.7.terminal.pending.json.tmp.quarantine", "t_1.7.terminal.pending.json.3.tmp.1.quarantine",
		"t_1.7.terminal.committed.json.quarantine", "t_1.7.slot.2.quarantine",
	} {
		if got, ok := parseQuarantined(file); !ok || got != name {
			t.Errorf("%q is %v, %t", file, got, ok)
		}
	}
	for _, file := range []string{"x.quarantine", "t_1.7.terminal.pending.json", "t_1.7.terminal.pending.json.x.quarantine", "t_1.7.terminal.pending.json.1.1.quarantine"} {
		if got, ok := parseQuarantined(file); ok {
			t.Errorf("%q is %v", file, got)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"t_1.7.terminal.pending.json", "t_1.7.terminal.pending.json.2.tmp", "t_1.7.slot", "a.b.c.terminal.pending.json", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		if name, ok := parseName(file, pendingSuffix); ok && (name.pending() != file || name.Check() != nil) {
			t.Errorf("%q is taken for %v", file, name)
		}
		name, ok := parseTemporary(file)
		if !ok {
			return
		}
		for n := 1; n <= maxAttempts; n++ {
			if name.temporary(n) == file {
				return
			}
		}
		t.Errorf("%q is taken for an attempt of %v", file, name)
	})
}
