package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// pause is who paused a board, as its file says.
type pause struct {
	By    string `json:"by"`
	Since int64  `json:"since"` // seconds since the epoch
}

// PauseFile holds every dispatcher of this program back from the board while it
// is there. It lies beside the board, where all of them look, whoever runs them.
func (b Board) PauseFile() string { return b.DB + ".hermes-tui.paused" }

// Paused reports whether somebody paused dispatching on the board, and who and
// since when in one line. A file that cannot be read or understood holds.
func (b Board) Paused() (paused bool, why string) {
	data, err := readFile(b.PauseFile(), 4096, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, ""
	}
	if err != nil {
		return true, fmt.Sprintf("paused: %q is there and cannot be read (%v)", b.PauseFile(), err)
	}
	var p pause
	if json.Unmarshal(data, &p) != nil || p.By == "" {
		return true, fmt.Sprintf("paused: %q is there", b.PauseFile())
	}
	return true, fmt.Sprintf("paused by %q since %s", clip(p.By), time.Unix(p.Since, 0).UTC().Format("2006-01-02 15:04:05 UTC"))
}

// Pause holds the dispatchers of this program back from the board until Resume.
// by is who asks; now is in seconds since the epoch.
func (b Board) Pause(by string, now int64) error {
	if err := writeFile(b.PauseFile(), append(encode(pause{by, now}), '\n')); err != nil {
		return fmt.Errorf("pause dispatching on board %q: %w", b.Slug, err)
	}
	return nil
}

// Resume takes back what Pause did. A board that is not paused stays so.
func (b Board) Resume() error {
	if err := os.Remove(b.PauseFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("resume dispatching on board %q: %w", b.Slug, err)
	}
	return nil
}
