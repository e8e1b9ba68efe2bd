package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stopName is the file whose existence is Hermes' emergency stop: no new work
// starts while it is there.
const stopName = "ESTOP"

// Stopped reports whether the emergency stop is engaged at now (seconds since
// the epoch), and where and why in one line. A stop whose expires_at has passed
// is over; one that cannot be read or understood holds.
func (h *Home) Stopped(now int64) (engaged bool, why string) {
	for _, path := range h.stopFiles() {
		if engaged, why := stoppedBy(path, now); engaged {
			return true, why
		}
	}
	return false, ""
}

func stoppedBy(path string, now int64) (bool, string) {
	data, err := readFile(path, 64<<10, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, ""
	}
	if err != nil {
		return true, fmt.Sprintf("emergency stop: %q is there and cannot be read (%v)", path, err)
	}
	var body struct {
		Reason  any             `json:"reason"`
		Expires json.RawMessage `json:"expires_at"`
	}
	why := fmt.Sprintf("emergency stop: %q", path)
	if json.Unmarshal(trimBOM(data), &body) != nil {
		return true, why
	}
	expires, ok := moment(body.Expires)
	if ok && !time.Unix(now, 0).Before(expires) {
		return false, ""
	}
	if reason, is := body.Reason.(string); is && reason != "" {
		why += fmt.Sprintf(" says %q", clip(reason))
	}
	if ok {
		why += " until " + expires.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return true, why
}

// isoLayouts are the forms of an ISO 8601 time that Python writes and reads. A
// fraction of a second is accepted after each of them that has seconds.
var isoLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
}

// moment reads a point in time: a number of seconds since the epoch, or ISO
// text. Text without a zone is UTC.
func moment(raw json.RawMessage) (time.Time, bool) {
	var seconds float64
	if json.Unmarshal(raw, &seconds) == nil && string(raw) != "null" {
		if math.Abs(seconds) > 1e12 { // further away than any date Hermes can write
			return time.Time{}, false
		}
		return time.Unix(int64(math.Ceil(seconds)), 0), true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}, false
	}
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	for _, layout := range isoLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Engage writes the emergency stop of the installation, which holds the
// dispatchers of all its profiles. It never expires. now is in seconds since
// the epoch.
func (h *Home) Engage(reason string, now int64) error {
	body := encode(map[string]any{
		"engaged_at": time.Unix(now, 0).UTC().Format("2006-01-02T15:04:05+00:00"),
		"reason":     reason,
	})
	if err := os.MkdirAll(h.HermesRoot, 0o755); err != nil {
		return fmt.Errorf("engage the emergency stop: %w", err)
	}
	if err := writeFile(filepath.Join(h.HermesRoot, stopName), append(body, '\n')); err != nil {
		return fmt.Errorf("engage the emergency stop: %w", err)
	}
	return nil
}

// Release removes every file that Stopped looks at. All that can be removed
// are, also when one cannot.
func (h *Home) Release() error {
	var failed []error
	for _, path := range h.stopFiles() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("release the emergency stop: %w", err)
	}
	return nil
}

// stopFiles are the places where a stop may lie: the profile's, the
// installation's and that of the boards. They are often the same.
func (h *Home) stopFiles() []string {
	var files []string
	for _, dir := range []string{h.Profile, h.HermesRoot, h.Root} {
		if f := filepath.Join(dir, stopName); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}
