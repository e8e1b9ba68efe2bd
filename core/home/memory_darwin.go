package home

import "golang.org/x/sys/unix"

// memTotal returns the memory of the machine in bytes.
func memTotal() (uint64, error) { return unix.SysctlUint64("hw.memsize") }
