package home

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// memTotal returns the memory of the machine in bytes.
func memTotal() (uint64, error) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	return parseMeminfo(string(data))
}

// parseMeminfo reads the line "MemTotal:  16318480 kB" of /proc/meminfo.
func parseMeminfo(text string) (uint64, error) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			f := strings.Fields(rest)
			if len(f) == 2 && f[1] == "kB" {
				kib, err := strconv.ParseUint(f[0], 10, 54)
				return kib << 10, err
			}
		}
	}
	return 0, errors.New("/proc/meminfo does not say MemTotal")
}
