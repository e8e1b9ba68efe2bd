package process

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
)

// fixture is a folder that plays /proc: boot b-1, process 1 started at tick 7,
// 20,000 s of uptime, and process 42 as given.
type fixture struct {
	start   int64
	state   string
	threads int
	cmdline string
	environ string
	remove  []string // relative to the folder
	deny    []string // permission denied
	broken  []string // directories in place of files: a read error
	raw     map[string]string
}

const fixtureNow = 1_000_000

func (f fixture) table(t *testing.T) *Table {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if f.state == "" {
		f.state = "S"
	}
	write("sys/kernel/random/boot_id", "b-1\n")
	write("uptime", "20000.55 1.0\n")
	write("1/stat", "1 (init) S 0 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 7 1000")
	write("42/stat", stat("a (b) c", f.state, max(1, f.threads), f.start))
	write("42/cmdline", f.cmdline)
	write("42/environ", f.environ)
	for name, text := range f.raw {
		write(name, text)
	}
	for _, name := range append(f.remove, f.broken...) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range f.broken {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &Table{Host: "here", Proc: denying{os.DirFS(dir), f.deny}}
}

func stat(name, state string, threads int, start int64) string {
	return fmt.Sprintf("42 (%s) %s 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 %d 0 %d 1000 10 18446744073709551615", name, state, threads, start)
}

// denying answers permission denied for some names, as the kernel does to
// everybody but root.
type denying struct {
	fs.FS
	names []string
}

func (d denying) Open(name string) (fs.File, error) {
	for _, n := range d.names {
		if n == name {
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
		}
	}
	return d.FS.Open(name)
}

func (d denying) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	f.Close()
	return fs.ReadFile(d.FS, name)
}

// tick is the start of a process that began so many seconds after the run.
func tick(afterRun int64) int64 { return (20_000 - 5_000 + afterRun) * 100 }

func TestVerdicts(t *testing.T) {
	ours, foreign := ptr("here:9"), ptr("away:9")
	mine := tick(1)
	full := func(epoch string, start int64) *string { return ptr(fmt.Sprintf("%s|%d", epoch, start)) }
	env := "A=1\x00HERMES_KANBAN_TASK=t_1\x00"
	args := "hermes\x00chat\x00-q\x00work kanban task t_1\x00"
	for name, c := range map[string]struct {
		fixture fixture
		print   *string
		lock    *string
		want    core.Verdict
	}{
		"same boot and start":               {fixture{start: mine}, full("b-1:7", mine), ours, core.AliveOurs},
		"without a lock":                    {fixture{start: mine}, full("b-1:7", mine), nil, core.AliveOurs},
		"under an old host name":            {fixture{start: mine}, full("b-1:7", mine), foreign, core.AliveOurs},
		"recycled within the boot":          {fixture{start: mine}, full("b-1:7", mine-4000), ours, core.AliveOther},
		"recycled, and names the task":      {fixture{start: mine, environ: env}, full("b-1:7", mine-1), ours, core.AliveOther},
		"other boot, pid given away":        {fixture{start: mine}, full("b-0:7", mine), ours, core.AliveOther},
		"other container, pid given away":   {fixture{start: mine}, full("b-1:8", mine), ours, core.AliveOther},
		"other boot, foreign lock":          {fixture{start: mine}, full("b-0:7", mine), foreign, core.Unknown},
		"other boot, pid gone":              {fixture{remove: []string{"42"}}, full("b-0:7", mine), ours, core.Dead},
		"other boot, gone, foreign lock":    {fixture{remove: []string{"42"}}, full("b-0:7", mine), foreign, core.Unknown},
		"gone":                              {fixture{remove: []string{"42"}}, full("b-1:7", mine), ours, core.Dead},
		"gone, under an old host name":      {fixture{remove: []string{"42"}}, full("b-1:7", mine), foreign, core.Dead},
		"zombie":                            {fixture{start: mine, state: "Z"}, full("b-1:7", mine), ours, core.Dead},
		"first thread ended, others go on":  {fixture{start: mine, state: "Z", threads: 3}, full("b-1:7", mine), ours, core.AliveOurs},
		"stopped":                           {fixture{start: mine, state: "T"}, full("b-1:7", mine), ours, core.AliveOurs},
		"uninterruptible":                   {fixture{start: mine, state: "D"}, full("b-1:7", mine), ours, core.AliveOurs},
		"permission denied":                 {fixture{start: mine, deny: []string{"42/stat"}}, full("b-1:7", mine), ours, core.Unknown},
		"read error":                        {fixture{start: mine, broken: []string{"42/stat"}}, full("b-1:7", mine), ours, core.Unknown},
		"stat cut short":                    {fixture{raw: map[string]string{"42/stat": "42 (x) S 1"}}, full("b-1:7", mine), ours, core.Unknown},
		"boot cannot be read, same start":   {fixture{start: mine, broken: []string{"sys/kernel/random/boot_id"}}, full("b-1:7", mine), ours, core.Unknown},
		"process 1 hidden, same boot":       {fixture{start: mine, remove: []string{"1"}}, full("b-1:7", mine), ours, core.Unknown},
		"process 1 hidden then and now":     {fixture{start: mine, remove: []string{"1"}}, full("b-1:", mine), ours, core.AliveOurs},
		"process 1 hidden, other start":     {fixture{start: mine, remove: []string{"1"}}, full("b-1:7", mine-1), ours, core.AliveOther},
		"stored without a boot, same start": {fixture{start: mine}, full("", mine), ours, core.Unknown},
		"unverified alive":                  {fixture{start: mine, environ: env}, ptr("unverified"), ours, core.Unknown},
		"unverified gone":                   {fixture{remove: []string{"42"}}, ptr("unverified"), ours, core.Dead},
		"unverified zombie":                 {fixture{state: "Z"}, ptr("unverified"), ours, core.Dead},
		"garbage alive":                     {fixture{start: mine, environ: env}, ptr("b-1:7"), ours, core.Unknown},
		"legacy, environment names it":      {fixture{start: mine, environ: env}, nil, ours, core.AliveOurs},
		"legacy, arguments name it":         {fixture{start: mine, cmdline: args}, nil, ours, core.AliveOurs},
		"legacy, foreign lock, names it":    {fixture{start: mine, environ: env}, nil, foreign, core.AliveOurs},
		"legacy, another task":              {fixture{start: mine, environ: "HERMES_KANBAN_TASK=t_12\x00", cmdline: "hermes\x00work kanban task t_12\x00"}, nil, ours, core.Unknown},
		"legacy, began 121 s after the run": {fixture{start: tick(121)}, nil, ours, core.AliveOther},
		"legacy, began 40 s after the run":  {fixture{start: tick(40)}, nil, ours, core.Unknown},
		"legacy, began before the run":      {fixture{start: tick(-500)}, nil, ours, core.Unknown},
		"legacy, late, foreign lock":        {fixture{start: tick(500)}, nil, foreign, core.Unknown},
		"legacy, late, environment denied":  {fixture{start: tick(500), deny: []string{"42/environ"}}, nil, ours, core.Unknown},
		"legacy, denied, arguments name it": {fixture{start: mine, cmdline: args, deny: []string{"42/environ"}}, nil, ours, core.AliveOurs},
		"legacy, uptime cannot be read":     {fixture{start: tick(500), broken: []string{"uptime"}}, nil, ours, core.Unknown},
		"legacy gone":                       {fixture{remove: []string{"42"}}, nil, ours, core.Dead},
		"integer, same start":               {fixture{start: mine}, ptr(fmt.Sprint(mine)), ours, core.Unknown},
		"integer, same start, names it":     {fixture{start: mine, environ: env}, ptr(fmt.Sprint(mine)), ours, core.AliveOurs},
		"integer, other start":              {fixture{start: mine}, ptr(fmt.Sprint(mine - 1)), ours, core.AliveOther},
		"truly foreign, gone":               {fixture{remove: []string{"42"}}, nil, foreign, core.Unknown},
		"host name that begins with ours":   {fixture{remove: []string{"42"}}, nil, ptr("here2:9"), core.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			w := Worker{TaskID: "t_1", PID: ptr(int64(42)), Fingerprint: c.print, Lock: c.lock,
				RunStarted: fixtureNow - 5_000, Now: fixtureNow}
			got := c.fixture.table(t).Sight(w)
			if got.Verdict != c.want {
				t.Errorf("got %s (%s), want %s", got.Verdict, got.Evidence, c.want)
			}
			if got.Evidence == "" || strings.ContainsAny(got.Evidence, "\n\x00") {
				t.Errorf("evidence is not one line: %q", got.Evidence)
			}
			if got.PID != w.PID || got.Fingerprint != w.Fingerprint {
				t.Error("the sighting does not name what it was about")
			}
		})
	}
}

// changing does something before a name is opened.
type changing struct {
	fs.FS
	name string
	then func()
}

func (c changing) Open(name string) (fs.File, error) {
	if name == c.name {
		c.then()
	}
	return c.FS.Open(name)
}

func TestPidThatChangesHandsWhileItIsLookedAt(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, "42"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("42/stat", stat("x", "S", 1, 10))
	write("42/cmdline", "")
	write("42/environ", "HERMES_KANBAN_TASK=t_1\x00")
	write("uptime", "20000.55 1.0\n")
	w := Worker{TaskID: "t_1", PID: ptr(int64(42)), RunStarted: fixtureNow - 20_000, Now: fixtureNow}
	table := &Table{Host: "here", Proc: os.DirFS(dir)}
	if got := table.Sight(w); got.Verdict != core.AliveOurs {
		t.Fatalf("got %+v", got)
	}
	table.Proc = changing{os.DirFS(dir), "42/environ", func() { write("42/stat", stat("x", "S", 1, 11)) }}
	if got := table.Sight(w); got.Verdict != core.Unknown {
		t.Errorf("the words of one process were taken for those of another: %+v", got)
	}
}

func TestNumbersThatAreNoProcessIDs(t *testing.T) {
	table := fixture{}.table(t)
	if got := table.Sight(Worker{TaskID: "t_1"}); got.Verdict != core.Unknown {
		t.Errorf("without a pid: %s", got.Verdict)
	}
	for _, pid := range []int64{0, -1, -42, 1 << 31, 1<<32 + 42} {
		if got := table.Sight(Worker{TaskID: "t_1", PID: &pid}); got.Verdict != core.Dead {
			t.Errorf("pid %d: %s", pid, got.Verdict)
		}
	}
}

func TestFingerprintIsTheTextOfHermes(t *testing.T) {
	if got := (fixture{start: 4711}).table(t).Fingerprint(42); got != "b-1:7|4711" {
		t.Errorf("got %q", got)
	}
	for name, f := range map[string]fixture{
		"gone":        {remove: []string{"42"}},
		"zombie":      {state: "Z"},
		"denied":      {deny: []string{"42/stat"}},
		"boot broken": {broken: []string{"sys/kernel/random/boot_id"}},
	} {
		if got := f.table(t).Fingerprint(42); got != Unverified {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := (fixture{start: 4711, deny: []string{"1/stat"}}).table(t).Fingerprint(42); got != "b-1:|4711" {
		t.Errorf("with process 1 hidden: %q", got)
	}
}

func TestLeftoversOfAWorker(t *testing.T) {
	member := func(group, session int64) string {
		return fmt.Sprintf("43 (tool) S 1 %d %d 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 99 1000", group, session)
	}
	w := Worker{TaskID: "t_1", PID: ptr(int64(42)), Fingerprint: ptr("b-1:7|50"), Lock: ptr("here:9")}
	raw := map[string]string{"43/stat": member(42, 42), "44/stat": member(44, 42), "45/stat": member(45, 45)}
	left, err := fixture{remove: []string{"42"}, raw: raw}.table(t).Left(w)
	if err != nil || len(left) != 2 || left[0].PID != 43 || left[1].PID != 44 {
		t.Errorf("got %v %v", left, err)
	}
	left, err = fixture{start: 60, raw: raw}.table(t).Left(w)
	if err != nil || len(left) != 0 {
		t.Errorf("the processes of somebody else are listed: %v %v", left, err)
	}
	w.Fingerprint = ptr("b-0:7|50")
	left, err = fixture{remove: []string{"42"}, raw: raw}.table(t).Left(w)
	if err != nil || len(left) != 0 {
		t.Errorf("a worker of another boot has %v %v", left, err)
	}
	w.Fingerprint = ptr("b-1:7|50")
	if _, err = (fixture{remove: []string{"42"}, raw: raw, deny: []string{"45/stat"}}).table(t).Left(w); err == nil {
		t.Error("an incomplete list is not reported as such")
	}
}

// listed counts how often the process table is listed.
type listed struct {
	fs.FS
	times int
}

func (l *listed) ReadDir(name string) ([]fs.DirEntry, error) {
	l.times++
	return fs.ReadDir(l.FS, name)
}

func TestLeftoversOfManyWorkersAreReadOnce(t *testing.T) {
	raw := map[string]string{"43/stat": "43 (tool) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 99 1000"}
	table := fixture{remove: []string{"42"}, raw: raw}.table(t)
	proc := &listed{FS: table.Proc}
	table.Proc = proc
	leftovers := table.Leftovers()
	if proc.times != 0 {
		t.Error("the table is listed before anybody asks")
	}
	for pid, want := range map[int64]int{42: 1, 77: 0, 78: 0} {
		left, err := leftovers(Worker{PID: ptr(pid), Fingerprint: ptr("b-1:7|50"), Lock: ptr("here:9")})
		if err != nil || len(left) != want {
			t.Errorf("process %d left %v %v", pid, left, err)
		}
	}
	if proc.times != 1 {
		t.Errorf("the table was listed %d times", proc.times)
	}
}

func TestRealProcesses(t *testing.T) {
	table := &Table{Host: "here"}
	pid, reaped := child(t, "wait", true, "HERMES_KANBAN_TASK=t_1")
	print := table.Fingerprint(pid)
	facts, err := table.Look(pid)
	if err != nil || facts.Group != pid || facts.Session != pid || print == Unverified {
		t.Fatalf("got %+v %v %q", facts, err, print)
	}
	w := Worker{TaskID: "t_1", PID: &pid, Fingerprint: &print, Lock: ptr("here:1")}
	if got := table.Sight(w); got.Verdict != core.AliveOurs {
		t.Errorf("by fingerprint: %+v", got)
	}
	w.Fingerprint = nil
	if got := table.Sight(w); got.Verdict != core.AliveOurs {
		t.Errorf("by name: %+v", got)
	}
	if err := syscall.Kill(int(pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-reaped
	if got := table.Sight(w); got.Verdict != core.Dead {
		t.Errorf("after its death: %+v", got)
	}
}

func TestRealZombieIsDead(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{program + "=exit"}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer func() { _ = cmd.Wait() }()
	// The end of its output comes shortly before it is a zombie.
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	table, pid := &Table{Host: "here"}, int64(cmd.Process.Pid)
	for {
		facts, err := table.Look(pid)
		if err != nil {
			t.Fatal(err)
		}
		if facts.Zombie {
			break
		}
	}
	if got := table.Sight(Worker{TaskID: "t_1", PID: &pid}); got.Verdict != core.Dead {
		t.Errorf("got %+v", got)
	}
}
