package home

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestEmergencyStop(t *testing.T) {
	const now = 1800000000 // 2027-01-15 08:00:00 UTC
	for _, c := range []struct {
		name, content string
		want          bool
		why           string // a part of it
	}{
		{"an empty file", "", true, "ESTOP"},
		{"no JSON", "stop!", true, "ESTOP"},
		{"a list", "[1]", true, ""},
		{"a reason", `{"reason": "fire"}`, true, `says "fire"`},
		{"a hostile reason", `{"reason": "\u001b[2J"}`, true, `\x1b[2J`},
		{"a reason of another type", `{"reason": 5}`, true, ""},
		{"expired a second ago", `{"expires_at": "2027-01-15T07:59:59+00:00"}`, false, ""},
		{"expires now", `{"expires_at": "2027-01-15T08:00:00Z"}`, false, ""},
		{"expires in a second", `{"expires_at": "2027-01-15T08:00:01+00:00"}`, true, "until 2027-01-15 08:00:01 UTC"},
		{"another zone", `{"expires_at": "2027-01-15T09:00:00+02:00"}`, false, ""},
		{"a fraction", `{"expires_at": "2027-01-15T08:00:00.500000+00:00"}`, true, "until"},
		{"without a zone it is UTC", `{"expires_at": "2027-01-15T08:00:01"}`, true, ""},
		{"with a blank", `{"expires_at": " 2027-01-15 07:00:00 "}`, false, ""},
		{"without seconds", `{"expires_at": "2027-01-15T07:59"}`, false, ""},
		{"only a day", `{"expires_at": "2027-01-15"}`, false, ""},
		{"a byte order mark", "\ufeff" + `{"expires_at": "2027-01-15T07:00:00Z"}`, false, ""},
		{"seconds, passed", `{"expires_at": 1800000000}`, false, ""},
		{"seconds, to come", `{"expires_at": 1800000000.5}`, true, "until"},
		{"seconds beyond all dates", `{"expires_at": -1e300}`, true, ""},
		{"null", `{"expires_at": null}`, true, ""},
		{"blank", `{"expires_at": " "}`, true, ""},
		{"nonsense", `{"expires_at": "yesterday"}`, true, ""},
		{"another type", `{"expires_at": true}`, true, ""},
		{"too big", strings.Repeat(" ", 70000) + `{"expires_at": 1}`, true, "cannot be read"},
	} {
		for _, place := range []string{"@/h/profiles/dev/ESTOP", "@/h/ESTOP", "@/k/ESTOP"} {
			h, dir := found(t, "HERMES_HOME=@/h/profiles/dev", "HERMES_KANBAN_HOME=@/k")
			if engaged, why := h.Stopped(now); engaged || why != "" {
				t.Fatalf("without a file: %v, %q", engaged, why)
			}
			put(t, at(dir, place), c.content)
			engaged, why := h.Stopped(now)
			if engaged != c.want || !strings.Contains(why, c.why) || (engaged && !strings.Contains(why, at(dir, place))) {
				t.Errorf("%s in %s: %v, %q", c.name, place, engaged, why)
			}
		}
	}
}

func TestStopThatCannotBeReadHolds(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a folder": func(p string) error { return os.MkdirAll(p, 0o755) },
		"a pipe":   func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"a link to itself": func(p string) error {
			return os.Symlink(p, p)
		},
	} {
		h, dir := found(t, "HERMES_HOME=@/h")
		put(t, at(dir, "@/h/x"), "")
		if err := make(at(dir, "@/h/ESTOP")); err != nil {
			t.Fatal(err)
		}
		if engaged, why := h.Stopped(1); !engaged || !strings.Contains(why, "cannot be read") {
			t.Errorf("%s: %v, %q", name, engaged, why)
		}
	}
}

func TestEngageAndRelease(t *testing.T) {
	h, dir := found(t, "HERMES_HOME=@/h/profiles/dev")
	if err := h.Release(); err != nil {
		t.Errorf("releasing nothing: %v", err)
	}
	for _, reason := range []string{"first", "<second>"} {
		if err := h.Engage(reason, 1800000000); err != nil {
			t.Fatal(err)
		}
		if engaged, why := h.Stopped(1 << 40); !engaged || !strings.Contains(why, reason) {
			t.Errorf("%q: %v, %q", reason, engaged, why)
		}
	}
	var body map[string]string
	if err := json.Unmarshal([]byte(get(t, at(dir, "@/h/ESTOP"))), &body); err != nil {
		t.Fatal(err)
	}
	if body["reason"] != "<second>" || body["engaged_at"] != "2027-01-15T08:00:00+00:00" || len(body) != 2 {
		t.Errorf("the file says %v", body)
	}
	put(t, at(dir, "@/h/profiles/dev/ESTOP"), "")
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	if engaged, why := h.Stopped(1); engaged {
		t.Errorf("still engaged: %s", why)
	}
}

func TestReleaseSaysWhatItCouldNotRemove(t *testing.T) {
	h, dir := found(t, "HERMES_HOME=@/h/profiles/dev")
	put(t, at(dir, "@/h/profiles/dev/ESTOP/x"), "")
	put(t, at(dir, "@/h/ESTOP"), "")
	err := h.Release()
	if err == nil || !strings.Contains(err.Error(), "profiles/dev/ESTOP") {
		t.Errorf("got %v", err)
	}
	if exists(at(dir, "@/h/ESTOP")) {
		t.Error("the other one stayed")
	}
}
