package process

// MemoryLeft is the share of this machine's memory that is available. macOS
// compresses and swaps before it runs out, and has no figure that says when to
// stop starting things.
func MemoryLeft() (float64, bool) { return 0, false }
