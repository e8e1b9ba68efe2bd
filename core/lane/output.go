package lane

import "sync"

// Bounds of what is kept of an agent's output, in bytes.
const (
	keptOutput = 8 << 20
	quotaTail  = 4000
)

// ring keeps the last bytes that were written to it. It may be used by several
// goroutines.
type ring struct {
	mu    sync.Mutex
	limit int
	buf   []byte
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
	// Let it grow to twice its size before it is cut, so that cutting is rare.
	if len(r.buf) > 2*r.limit {
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-r.limit:]...)
	}
	return len(p), nil
}

func (r *ring) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf[max(0, len(r.buf)-r.limit):]
}
