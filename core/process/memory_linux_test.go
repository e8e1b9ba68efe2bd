package process

import "testing"

func TestMemoryLeftIsTheShareThatIsAvailable(t *testing.T) {
	for text, want := range map[string]float64{
		"MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    40 kB\n": 0.04,
		"MemTotal:       1000 kB\nMemAvailable:    900 kB\n":               0.9,
	} {
		if got, told := memoryLeft(text); !told || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, told, want)
		}
	}
	for _, text := range []string{"", "MemTotal: 1000 kB\n", "MemTotal: x kB\nMemAvailable: 1 kB\n", "MemTotal: 0 kB\nMemAvailable: 0 kB\n"} {
		if got, told := memoryLeft(text); told {
			t.Errorf("%q: told %v", text, got)
		}
	}
}
