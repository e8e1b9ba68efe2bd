package board

import (
	"encoding/json"

	"github.com/hermes-tui/hermes-tui/core"
)

// metadata is the JSON object that a run carries, with its keys in the order
// they were given in.
type metadata json.RawMessage

// parseMetadata takes an object as a caller gives it: nothing, null and {} are
// no metadata.
func parseMetadata(raw json.RawMessage) (metadata, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, invalid("metadata must be a JSON object: %v", err)
	}
	if len(object) == 0 {
		return nil, nil
	}
	return metadata(raw), nil
}

// text is what the column holds, nil for NULL.
func (m metadata) text() *string {
	if m == nil {
		return nil
	}
	return new(pythonText(json.RawMessage(m)))
}

// artifacts lists the paths that the metadata names as what was made.
func (m metadata) artifacts() []string {
	var object struct{ Artifacts []any }
	if m == nil || json.Unmarshal(m, &object) != nil {
		return nil
	}
	var paths []string
	for _, v := range object.Artifacts {
		if s, ok := v.(string); ok && strip(s) != "" {
			paths = append(paths, strip(s))
		}
	}
	return paths
}

// terminationFields is the report of a stop as payloads and metadata carry it.
func terminationFields(r core.Termination) fields {
	f := fields{
		{"prev_pid", r.PrevPID}, {"host_local", r.HostLocal}, {"termination_attempted", r.Attempted},
		{"terminated", r.Terminated}, {"sigkill", r.Sigkill},
	}
	if r.SignalRefused {
		f = append(f, field{"signal_refused", true})
	}
	if r.PIDRecycled {
		f = append(f, field{"pid_recycled", true})
	}
	return f
}
