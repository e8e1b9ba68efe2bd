package home

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kanban is what Hermes' config.yaml says about dispatching: its section
// kanban, and the journal mode of its section database. Keys of Hermes that
// this program does not act on are left out.
type Kanban struct {
	ReviewDispatch          bool
	DispatchInterval        int64 // seconds, at least 1
	FailureLimit            int64 // failures in a row that block a card, at least 1
	WorkerLogRotateBytes    int64
	WorkerLogBackups        int64 // 0: the old log is deleted
	DefaultAssignee         string
	MaxSpawn                int64 // running cards of one board; 0: no limit
	MaxInProgress           int64 // running cards of this machine; 0: no limit
	MaxInProgressPerProfile int64 // 0: no limit
	StaleTimeout            int64 // seconds, 0: no stale sweep
	ReconcileOrphans        bool
	// DispatchProfiles are the only profiles that may be started. Nil means
	// any; empty means none.
	DispatchProfiles []string
	JournalMode      string // "wal" or "delete": how a new board is made
}

// Allows reports whether a profile may be started here.
func (k Kanban) Allows(profile string) bool {
	return k.DispatchProfiles == nil || slices.Contains(k.DispatchProfiles, normalise(profile))
}

// ConfigFile is the config.yaml in force: that of the profile in use, else that
// of the kanban root. It need not exist.
func (h *Home) ConfigFile() string {
	if own := filepath.Join(h.Profile, "config.yaml"); exists(own) {
		return own
	}
	return filepath.Join(h.Root, "config.yaml")
}

// Config reads the configuration anew. A value that cannot be used is replaced
// by its default, with a notice that names file, key and value. A file that
// cannot be read or is no YAML is an error that names the file and, where YAML
// knows it, the line; the caller keeps what it had. No file means defaults.
func (h *Home) Config() (Kanban, []string, error) {
	path := h.ConfigFile()
	root, err := readYAML(path)
	if err != nil {
		return Kanban{}, nil, fmt.Errorf("read the configuration %q: %w", path, err)
	}
	s := newSection(path, "kanban", root)
	k := Kanban{
		ReviewDispatch:          s.boolean("review_dispatch", true),
		DispatchInterval:        interval(s),
		FailureLimit:            s.integer("failure_limit", 2, 1),
		WorkerLogRotateBytes:    s.integer("worker_log_rotate_bytes", 2<<20, 1),
		WorkerLogBackups:        s.integer("worker_log_backup_count", 1, 0),
		DefaultAssignee:         normalise(s.text("default_assignee")),
		MaxSpawn:                s.integer("max_spawn", 0, 1),
		MaxInProgress:           s.integer("max_in_progress", h.memoryCap(), 1),
		MaxInProgressPerProfile: s.integer("max_in_progress_per_profile", 0, 1),
		StaleTimeout:            s.integer("dispatch_stale_timeout_seconds", 14400, 0),
		ReconcileOrphans:        s.boolean("reconcile_orphans", true),
		DispatchProfiles:        allowList(s),
	}
	db := newSection(path, "database", root)
	k.JournalMode = journalMode(db)
	return k, append(s.notices, db.notices...), nil
}

// memoryCap is how many workers the memory of the machine carries: one for
// each 512 MiB, between 2 and 8, or no limit where it is unknown.
func (h *Home) memoryCap() int64 {
	if h.env.MemTotal == nil {
		return 0
	}
	total, err := h.env.MemTotal()
	if err != nil {
		return 0
	}
	return int64(max(2, min(total/(512<<20), 8)))
}

// interval is at least one second; zero means the default, as for Hermes.
func interval(s *section) int64 {
	const key, usual = "dispatch_interval_seconds", 60
	seconds := s.integer(key, usual, -1<<62)
	if seconds == 0 {
		return usual
	}
	if seconds < 1 {
		s.notice(key, s.value(key), "at least 1", "1")
		return 1
	}
	return seconds
}

// allowList is closed when in doubt: a key that is there and says nothing
// usable allows no profile.
func allowList(s *section) []string {
	const key = "dispatch_profiles"
	node, present := s.lookup(key)
	if !present {
		return nil
	}
	names := []string{}
	if node.Kind != yaml.SequenceNode {
		s.notice(key, node, "a list of profiles", "no profile at all")
		return names
	}
	for _, item := range node.Content {
		item = follow(item)
		p := normalise(item.Value)
		if item.Kind != yaml.ScalarNode || !name.MatchString(p) {
			s.notice(key, item, "the name of a profile", "nothing for this entry")
			continue
		}
		names = append(names, p)
	}
	return names
}

func journalMode(s *section) string {
	text := strings.ToLower(strings.TrimSpace(s.text("journal_mode")))
	if text != "" && text != "wal" && text != "delete" {
		s.notice("journal_mode", s.value("journal_mode"), "wal or delete", "wal")
	}
	if text == "delete" {
		return text
	}
	return "wal"
}

// readYAML returns the top of the first document of a file, or nil where there
// is no file or nothing in it.
func readYAML(path string) (*yaml.Node, error) {
	data, err := readFile(path, 4<<20, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseYAML(data)
}

func parseYAML(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		if !strings.Contains(err.Error(), "line ") { // the parser leaves out the first line
			return nil, fmt.Errorf("line 1: %w", err)
		}
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	root := follow(doc.Content[0])
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a mapping of keys to values", root.Line)
	}
	return root, nil
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
