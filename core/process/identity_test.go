package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStoredFingerprintsAreTakenApart(t *testing.T) {
	for name, c := range map[string]struct {
		stored *string
		want   Identity
	}{
		"null":          {nil, Identity{Kind: NoIdentity}},
		"integer":       {ptr("4711"), Identity{Kind: LegacyStart, Start: 4711}},
		"unverified":    {ptr("unverified"), Identity{Kind: UnverifiedStart}},
		"empty":         {ptr(""), Identity{Kind: UnverifiedStart}},
		"text":          {ptr("abc|x"), Identity{Kind: UnverifiedStart}},
		"full":          {ptr("b-1:7|4711"), Identity{Kind: FullIdentity, Epoch: "b-1:7", Start: 4711}},
		"without epoch": {ptr("|4711"), Identity{Kind: FullIdentity, Start: 4711}},
	} {
		if got := ParseIdentity(c.stored); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestHeartbeatOfThisRunSpeaksForItself(t *testing.T) {
	for name, c := range map[string]struct {
		beat *int64
		want bool
	}{
		"none":                         {nil, false},
		"fresh":                        {ptr(int64(9_950)), true},
		"just fresh":                   {ptr(int64(9_881)), true},
		"too old":                      {ptr(int64(9_880)), false},
		"of an earlier run":            {ptr(int64(8_999)), false},
		"after the clock was set back": {ptr(int64(10_000 + 86_400)), true},
		"no time anybody wrote":        {ptr(int64(10_000 + 99_999)), false},
	} {
		w := Worker{RunStarted: 9_000, Heartbeat: c.beat, Now: 10_000}
		if got := w.HeartbeatWins(); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	old := Worker{RunStarted: 9_990, Heartbeat: ptr(int64(9_950)), Now: 10_000}
	if old.HeartbeatWins() {
		t.Error("a heartbeat from before the run counted for it")
	}
}

func TestChildrenRememberHowTheyEnded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	c := NewChildren(func() time.Time { return now })
	run := func(script string) int64 {
		cmd := exec.Command("/bin/sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-c.Watch(cmd)
		return int64(cmd.Process.Pid)
	}
	for script, want := range map[string]struct {
		exit Exit
		text string
	}{
		"exit 0":     {Exit{}, "exit code 0"},
		"exit 75":    {Exit{Code: 75}, "exit code 75"},
		"kill -9 $$": {Exit{Code: -1, Signal: syscall.SIGKILL}, "killed by signal 9"},
	} {
		got, found := c.Exit(run(script))
		if !found || got != want.exit || got.String() != want.text {
			t.Errorf("%s: got %+v (%s) %v", script, got, got, found)
		}
	}
	pid := run("exit 3")
	now = now.Add(keepExitFor + time.Second)
	if _, found := c.Exit(pid); found {
		t.Error("an exit is still known after its time")
	}
}

func TestExitOfAnEarlierProcessIsNotThatOfTheNextWithItsNumber(t *testing.T) {
	c := NewChildren(time.Now)
	cmd := exec.Command("/bin/sh", "-c", "read x; exit 4")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := int64(cmd.Process.Pid)
	c.remember(pid, Exit{Code: 9})
	reaped := c.Watch(cmd)
	if got, found := c.Exit(pid); found {
		t.Errorf("while it runs: %+v", got)
	}
	in.Close()
	<-reaped
	if got, found := c.Exit(pid); !found || got.Code != 4 {
		t.Errorf("got %+v %v", got, found)
	}
}

func TestChildrenForgetTheOldestFirst(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	c := NewChildren(func() time.Time { return now })
	for pid := int64(1); pid <= keepExits+10; pid++ {
		now = now.Add(time.Millisecond)
		c.remember(pid, Exit{Code: 1})
	}
	if len(c.exits) != keepExits {
		t.Errorf("%d exits are kept", len(c.exits))
	}
	if _, found := c.Exit(10); found {
		t.Error("the oldest is still there")
	}
	if _, found := c.Exit(11); !found {
		t.Error("a younger one is gone")
	}
}

func TestExitCodeIsReadFromTheLogOfTheNewestRun(t *testing.T) {
	long := strings.Repeat("some line of output\n", 400)
	for name, c := range map[string]struct {
		log  string
		want int
		ok   bool
	}{
		"clean":                  {"hello\n[kanban-worker-exit] rc=0\n", 0, true},
		"quota":                  {"[kanban-worker-exit] rc=75\n\nResume this session with:\n", 75, true},
		"last one wins":          {"[kanban-worker-exit] rc=1\n[kanban-worker-exit] rc=78\n", 78, true},
		"no trailer":             {"hello\n", 0, false},
		"inside a line":          {"I saw [kanban-worker-exit] rc=0\n", 0, false},
		"of an earlier run":      {"[kanban-worker-exit] rc=75\n" + RunMark("t_1", 2) + "\nkilled\n", 0, false},
		"after the mark":         {RunMark("t_1", 2) + "\n[kanban-worker-exit] rc=75\n", 75, true},
		"far from the end":       {"[kanban-worker-exit] rc=75\n" + long, 0, false},
		"behind much output":     {long + "[kanban-worker-exit] rc=75\n", 75, true},
		"not a number":           {"[kanban-worker-exit] rc=x\n", 0, false},
		"absurd number":          {"[kanban-worker-exit] rc=99999999999999999999\n", 0, false},
		"cut inside of the line": {"x[kanban-worker-exit] rc=75\n" + strings.Repeat("y", logTail-28) + "\n", 0, false},
	} {
		path := filepath.Join(t.TempDir(), "t_1.log")
		if err := os.WriteFile(path, []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := ExitFromLog(path); got != c.want || ok != c.ok {
			t.Errorf("%s: got %d %v", name, got, ok)
		}
	}
}

func TestLogThatIsNoFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.log")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "real")
	if err := os.WriteFile(real, []byte("[kanban-worker-exit] rc=0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.log")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, dir, filepath.Join(dir, "absent")} {
		if _, ok := ExitFromLog(path); ok {
			t.Errorf("%s was read", path)
		}
		if LastOutput(path) != "" {
			t.Errorf("%s has output", path)
		}
	}
}

func TestLastOutputIsTheAnswerWithoutItsFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t_1.log")
	log := "old words\n" + RunMark("t_1", 2) + "\nQuery: work kanban task t_1\nInitializing agent...\n" +
		"╭─ Hermes ─╮\n│ I could not \xff log in.  │\n╰──────╯\nsession_id: 12\n[kanban-worker-exit] rc=0\n\n" +
		"Resume this session with:\n  hermes --resume 2026 -p dev\n\nSession:        2026\nDuration:       7s\n"
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := LastOutput(path), "Hermes\nI could not \uFFFD log in."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("ä", 900)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := LastOutput(path); got != strings.Repeat("ä", outputTail) {
		t.Errorf("%d bytes are kept", len(got))
	}
}

func ptr[T any](v T) *T { return &v }
