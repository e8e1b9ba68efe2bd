package home

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// metaLimit bounds what is read of a board.json, in bytes.
const metaLimit = 1 << 20

// Meta is what board.json says of a board. The slug is that of the folder, and
// keys that are not listed here are kept when the file is rewritten.
type Meta struct {
	Name           string
	Description    string
	Icon           string
	Color          string
	DefaultWorkdir string // where worktrees are anchored
	ProjectID      string
	CreatedAt      int64 // seconds since the epoch, 0 when unknown
	Archived       bool
}

func (h *Home) metaFile(slug string) string { return filepath.Join(h.boardDir(slug), "board.json") }

// readMeta takes what it can use; a value of another type, a damaged file or
// none at all leave the defaults.
func (h *Home) readMeta(slug string) Meta {
	m := Meta{Name: title(slug)}
	data, err := readFile(h.metaFile(slug), metaLimit, 0)
	if err != nil {
		return m
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(trimBOM(data), &keys) != nil {
		return m
	}
	for key, to := range m.texts() {
		var text string
		if json.Unmarshal(keys[key], &text) == nil && text != "" {
			*to = text
		}
	}
	var created float64
	if json.Unmarshal(keys["created_at"], &created) == nil {
		m.CreatedAt = int64(created)
	}
	_ = json.Unmarshal(keys["archived"], &m.Archived) // another type leaves false
	return m
}

func (m *Meta) texts() map[string]*string {
	return map[string]*string{
		"name": &m.Name, "description": &m.Description, "icon": &m.Icon, "color": &m.Color,
		"default_workdir": &m.DefaultWorkdir, "project_id": &m.ProjectID,
	}
}

// WriteMeta rewrites board.json of a board in one step and keeps the keys it
// does not know. A file that cannot be understood is left as it is and
// reported. A board that does not exist wraps ErrNoBoard.
func (h *Home) WriteMeta(slug string, m Meta) error {
	b, err := h.Board(slug)
	if err != nil {
		return err
	}
	return h.writeMeta(b.Slug, m)
}

func (h *Home) writeMeta(slug string, m Meta) error {
	path := h.metaFile(slug)
	keys, err := rawMeta(path)
	if err != nil {
		return fmt.Errorf("write the description of board %q: %w", slug, err)
	}
	for key, text := range m.texts() {
		if keys[key] != nil || *text != "" {
			keys[key] = encode(*text)
		}
	}
	keys["slug"] = encode(slug)
	keys["created_at"] = encode(m.CreatedAt)
	keys["archived"] = encode(m.Archived)
	delete(keys, "db_path") // Hermes computes it and never stores it
	var out bytes.Buffer
	if err := json.Indent(&out, encode(keys), "", "  "); err != nil {
		return fmt.Errorf("write the description of board %q: %w", slug, err)
	}
	out.WriteByte('\n')
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the description of board %q: %w", slug, err)
	}
	if err := writeFile(path, out.Bytes()); err != nil {
		return fmt.Errorf("write the description of board %q: %w", slug, err)
	}
	return nil
}

// rawMeta returns the keys of a board.json as they stand, none if there is no
// such file.
func rawMeta(path string) (map[string]json.RawMessage, error) {
	keys := map[string]json.RawMessage{}
	data, err := readFile(path, metaLimit, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(trimBOM(data), &keys); err != nil || keys == nil {
		return nil, fmt.Errorf("%q is no JSON object; correct or remove it", path)
	}
	return keys, nil
}

// encode returns value as JSON with <, > and & as they are, as Hermes writes
// them. The values given here can always be encoded.
func encode(value any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// title is the display name Hermes derives from a slug: "my-board" is "My Board".
func title(slug string) string {
	words := strings.FieldsFunc(slug, func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
