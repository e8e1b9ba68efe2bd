package lane

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Cooldowns remembers in a small file which routes have met a quota, and until
// when they are passed over. It is a hint shared by all runners of a board:
// damage of the file means that nothing cools down.
type Cooldowns struct {
	File string // absolute path
}

// maxCooldowns bounds the file in bytes.
const maxCooldowns = 64 << 10

// Until returns when a route may be tried again, in epoch seconds; 0 at once.
func (c Cooldowns) Until(route string) int64 { return c.read()[route] }

// Set remembers that a route is to be passed over until a moment in epoch
// seconds. Moments before now are forgotten.
func (c Cooldowns) Set(route string, until, now int64) error {
	all := c.read()
	for name, at := range all {
		if at <= now {
			delete(all, name)
		}
	}
	all[route] = until
	data, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("remember that the route %q cools down: %w", route, err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(c.File), ".cooldown-")
	if err != nil {
		return fmt.Errorf("remember that the route %q cools down: %w", route, err)
	}
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), c.File)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("remember that the route %q cools down: %w", route, err), ignoreMissing(os.Remove(temporary.Name())))
	}
	return nil
}

func (c Cooldowns) read() map[string]int64 {
	all := map[string]int64{}
	info, err := os.Lstat(c.File)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCooldowns {
		return all
	}
	data, err := os.ReadFile(c.File)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return map[string]int64{}
	}
	return all
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
