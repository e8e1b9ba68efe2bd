package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Limits in bytes.
const (
	// MaxRecord bounds a record. Bigger outputs are files named in the metadata,
	// synced before the record is written.
	MaxRecord = 4 << 20
	// MaxResult bounds the object that an agent reports; it is escaped once more
	// inside the record.
	MaxResult = 1 << 20
)

// recordVersion is the version of the format that this program writes.
const recordVersion = 1

// Record is a worker's final result as it lies in a file: one JSON object. Other
// programs may write records with only board, task_id, expected_run_id, result,
// summary, metadata and kanban_state.
type Record struct {
	Version int64
	Board   string
	Task    string
	Run     int64
	// RunStarted and ClaimLock are those of the run, where the writer knows them.
	RunStarted *int64
	ClaimLock  *string
	Result     *string // JSON text of what the agent reported, or any text
	Summary    *string
	Metadata   json.RawMessage // an object, or nothing
	WrittenAt  int64           // epoch seconds; 0 where the record does not say
}

func (r Record) name() Name { return Name{Task: r.Task, Run: r.Run} }

// encode writes the record as it lies in a file, with its digest.
func (r Record) encode() ([]byte, error) {
	m := r.members()
	m["version"], m["kanban_state"] = int64(recordVersion), "pending"
	if r.WrittenAt != 0 {
		m["written_at"] = r.WrittenAt
	}
	if r.RunStarted != nil {
		m["run_started_at"] = *r.RunStarted
	}
	if r.ClaimLock != nil {
		m["claim_lock"] = *r.ClaimLock
	}
	body, err := again(m)
	if err != nil {
		return nil, err
	}
	canonical, err := canonicalJSON(body, "")
	if err != nil {
		return nil, err
	}
	m["sha256"] = digest(canonical)
	if body, err = again(m); err != nil {
		return nil, err
	}
	// The canonical form escapes only what must be, so a result within its own
	// limit fits whatever characters it has.
	data, err := canonicalJSON(body, "")
	if err != nil {
		return nil, err
	}
	if len(data)+1 > MaxRecord {
		return nil, fmt.Errorf("the record would have %d bytes, and %d are the limit; put the output into a file and name it in the metadata", len(data)+1, MaxRecord)
	}
	return append(data, '\n'), nil
}

// members are what makes one result differ from another.
func (r Record) members() map[string]any {
	metadata := r.Metadata
	if len(metadata) == 0 {
		metadata = json.RawMessage("{}")
	}
	return map[string]any{
		"board": r.Board, "task_id": r.Task, "expected_run_id": r.Run,
		"result": r.Result, "summary": r.Summary, "metadata": metadata,
	}
}

// same reports whether two records hold one result, whenever they were written.
func (r Record) same(other Record) bool {
	a, err1 := r.essence()
	b, err2 := other.essence()
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

func (r Record) essence() ([]byte, error) {
	body, err := again(r.members())
	if err != nil {
		return nil, err
	}
	return canonicalJSON(body, "")
}

func again(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the record: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// canonicalJSON writes a JSON object in the one form that its digest is taken
// of: keys sorted, no blanks, in texts only quotes, backslashes and control
// characters escaped, numbers as they are spelled, without the named key.
// Python's json.dumps(x, sort_keys=True, separators=(",", ":"),
// ensure_ascii=False) writes the same.
func canonicalJSON(data []byte, without string) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if without != "" {
		delete(v, without)
	}
	var b strings.Builder
	writeCanonical(&b, v)
	return []byte(b.String()), nil
}

func writeCanonical(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		b.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeText(b, key)
			b.WriteByte(':')
			writeCanonical(b, v[key])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, part := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, part)
		}
		b.WriteByte(']')
	case string:
		writeText(b, v)
	case json.Number:
		b.WriteString(v.String())
	case bool:
		fmt.Fprint(b, v)
	default:
		b.WriteString("null")
	}
}

// writeText escapes only what must be.
func writeText(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		if short := strings.IndexRune("\"\\\n\r\t\f\b", r); short >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`"\nrtfb`[short])
		} else if r < 0x20 {
			fmt.Fprintf(b, `\u%04x`, r)
		} else {
			var room [utf8.UTFMax]byte
			b.Write(utf8.AppendRune(room[:0], r))
		}
	}
	b.WriteByte('"')
}
