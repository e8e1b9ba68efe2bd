package lane

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hermes-tui/hermes-tui/core/home"
)

// quotaPause is for how many seconds a route is passed over after a quota.
const quotaPause = 300

// Cooldowns remembers in a small file which routes have met a quota, and until
// when they are passed over. It is a hint shared by all runners of a board: two
// that write at once may forget one, and damage of the file means that nothing
// cools down.
type Cooldowns struct {
	File string // absolute path
}

// maxCooldowns bounds the file in bytes.
const maxCooldowns = 64 << 10

// Left returns for how many seconds from now a route is passed over. A moment
// further away than any pause comes from a clock that was set back since.
func (c Cooldowns) Left(route home.Route, now int64) int64 {
	left := c.read()[routeKey(route)] - now
	if left <= 0 || left > quotaPause {
		return 0
	}
	return left
}

// Start remembers that a route met a quota at this moment, in epoch seconds.
// What is over is forgotten.
func (c Cooldowns) Start(route home.Route, now int64) error {
	all := c.read()
	for key, until := range all {
		if until <= now {
			delete(all, key)
		}
	}
	all[routeKey(route)] = now + quotaPause
	data, err := json.Marshal(all)
	if err == nil {
		err = c.replace(data)
	}
	if err != nil {
		return fmt.Errorf("remember that the route %q cools down: %w", route.Name, err)
	}
	return nil
}

func (c Cooldowns) replace(data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(c.File), ".cooldown-")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), c.File)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(temporary.Name())))
	}
	return nil
}

func (c Cooldowns) read() map[string]int64 {
	info, err := os.Lstat(c.File)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCooldowns {
		return map[string]int64{}
	}
	var all map[string]int64
	data, err := os.ReadFile(c.File)
	if err != nil || json.Unmarshal(data, &all) != nil || all == nil {
		return map[string]int64{}
	}
	return all
}

// routeKey tells routes of the same name in different lanes apart. It is a
// digest, because a command line may hold what is nobody's business.
func routeKey(route home.Route) string {
	sum := sha256.Sum256([]byte(route.Name + "\x00" + strings.Join(route.Command, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
