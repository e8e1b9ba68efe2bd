package dispatch

import "time"

// drift is by how much wall clock and steady clock may disagree between two ticks
// before the wall clock counts as set, or the machine as having slept.
const drift = time.Minute

// clockwork notices jumps of the wall clock from tick to tick.
type clockwork struct {
	set    bool
	wall   int64 // epoch seconds at the last tick
	steady time.Duration
	jumped int64 // epoch seconds of the last jump; 0 never
}

// look compares both clocks with the last tick. A steady clock that stood still
// while the machine slept makes sleeping look like a jump, which is what it is
// for every age that was written down before.
func (c *clockwork) look(wall int64, steady time.Duration) (jumped int64) {
	if c.set {
		off := time.Duration(wall-c.wall)*time.Second - (steady - c.steady)
		if max(off, -off) > drift {
			c.jumped = wall
		}
	}
	c.set, c.wall, c.steady = true, wall, steady
	return c.jumped
}
