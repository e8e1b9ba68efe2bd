package process

import (
	"os"
	"strconv"
	"strings"
)

// MemoryLeft is the share of this machine's memory that is available, between 0
// and 1. It is false where that cannot be told.
func MemoryLeft() (float64, bool) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	return memoryLeft(string(data))
}

// memoryLeft reads MemTotal and MemAvailable of /proc/meminfo.
func memoryLeft(text string) (float64, bool) {
	kib := map[string]float64{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(line, ":")
		if f := strings.Fields(rest); len(f) == 2 && f[1] == "kB" {
			if n, err := strconv.ParseUint(f[0], 10, 64); err == nil {
				kib[name] = float64(n)
			}
		}
	}
	available, told := kib["MemAvailable"]
	if !told || kib["MemTotal"] == 0 {
		return 0, false
	}
	return available / kib["MemTotal"], true
}
