package worker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
)

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestLeaseIsFreeUntilItIsTaken(t *testing.T) {
	d := RunDir{filepath.Join(t.TempDir(), "state"), "default"}
	if got := d.Lease("t_1", 1); got != LeaseFree {
		t.Errorf("without a folder: %s", got)
	}
	if exists(d.StateRoot) {
		t.Error("looking made the state root")
	}
	f, err := d.takeLease(t.Context(), "t_1", 1, noSleep)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Lease("t_1", 1); got != LeaseHeld {
		t.Errorf("taken: %s", got)
	}
	if got := d.Lease("t_1", 2); got != LeaseFree {
		t.Errorf("of another run: %s", got)
	}
	if _, err := d.takeLease(t.Context(), "t_1", 1, noSleep); !errors.Is(err, ErrLeaseHeld) {
		t.Errorf("taken twice: %v", err)
	}
	f.Close()
	if got := d.Lease("t_1", 1); got != LeaseFree {
		t.Errorf("given back: %s", got)
	}
	for _, path := range []string{d.StateRoot, filepath.Join(d.StateRoot, "default"), filepath.Join(d.StateRoot, "default", "run")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v %v", path, info.Mode(), err)
		}
	}
}

func TestStarterWaitsForALookToEnd(t *testing.T) {
	d := RunDir{t.TempDir(), "default"}
	f, err := d.takeLease(t.Context(), "t_1", 1, noSleep)
	if err != nil {
		t.Fatal(err)
	}
	sleep := func(context.Context, time.Duration) error { return f.Close() } // whoever looked is done
	again, err := d.takeLease(t.Context(), "t_1", 1, sleep)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestLaunchRecordIsThereUntilItIsRemoved(t *testing.T) {
	d := RunDir{filepath.Join(t.TempDir(), "state"), "default"}
	want := Launch{Task: "t_1", Run: 7, ClaimerPID: 42, Fingerprint: "b:1|2", Time: 1000}
	if _, err := d.ReadLaunch("t_1", 7); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	if err := d.RemoveLaunch("t_1", 7); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
	if exists(d.StateRoot) {
		t.Error("looking made the state root")
	}
	for range 2 { // writing again replaces
		if err := d.WriteLaunch(want); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := d.ReadLaunch("t_1", 7); err != nil || got != want {
		t.Errorf("got %+v %v", got, err)
	}
	if _, err := d.ReadLaunch("t_1", 8); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of another run: %v", err)
	}
	run := filepath.Join(d.StateRoot, "default", "run")
	if info, err := os.Stat(filepath.Join(run, "t_1.7.launch.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := d.RemoveLaunch("t_1", 7); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(run); err != nil || len(left) != 0 {
		t.Errorf("left %v %v", left, err)
	}
}

func TestLaunchRecordOfSomethingElseIsNotBelieved(t *testing.T) {
	d := RunDir{t.TempDir(), "default"}
	if err := d.WriteLaunch(Launch{Task: "t_1", Run: 7}); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(d.StateRoot, "default", "run")
	if err := os.Rename(filepath.Join(run, "t_1.7.launch.json"), filepath.Join(run, "t_1.8.launch.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "t_1.9.launch.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(run, "t_1.10.launch.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(run, "t_1.11.launch.json")); err != nil {
		t.Fatal(err)
	}
	for id := int64(8); id <= 11; id++ {
		if got, err := d.ReadLaunch("t_1", id); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("run %d: %+v %v", id, got, err)
		}
	}
}

func TestNothingIsFollowedOutOfTheStateRoot(t *testing.T) {
	outside := t.TempDir()
	for name, prepare := range map[string]func(root string) error{
		"board is a link": func(root string) error { return os.Symlink(outside, filepath.Join(root, "default")) },
		"run is a link": func(root string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, "default"), 0o700), os.Symlink(outside, filepath.Join(root, "default", "run")))
		},
		"others may write": func(root string) error {
			return errors.Join(os.MkdirAll(filepath.Join(root, "default", "run"), 0o700), os.Chmod(filepath.Join(root, "default", "run"), 0o777))
		},
	} {
		d := RunDir{t.TempDir(), "default"}
		if err := prepare(d.StateRoot); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteLaunch(Launch{Task: "t_1", Run: 7}); err == nil {
			t.Errorf("%s: a launch record was written", name)
		}
		if f, err := d.takeLease(t.Context(), "t_1", 7, noSleep); err == nil {
			f.Close()
			t.Errorf("%s: a lease was taken", name)
		}
		if got := d.Lease("t_1", 7); got != LeaseUnknown {
			t.Errorf("%s: lease %s", name, got)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
			t.Errorf("%s: outside lie %v %v", name, left, err)
		}
	}
}

func TestLeaseThatIsALinkIsNotFollowed(t *testing.T) {
	d := RunDir{t.TempDir(), "default"}
	if err := d.WriteLaunch(Launch{Task: "t_1", Run: 1}); err != nil { // makes the folder
		t.Fatal(err)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(victim, filepath.Join(d.StateRoot, "default", "run", "t_1.7.lease")); err != nil {
		t.Fatal(err)
	}
	if f, err := d.takeLease(t.Context(), "t_1", 7, noSleep); err == nil {
		f.Close()
		t.Error("the lease was taken")
	}
	if exists(victim) {
		t.Error("a file was made behind the link")
	}
	if got := d.Lease("t_1", 7); got != LeaseUnknown {
		t.Errorf("lease %s", got)
	}
}

func TestHostileNamesReachNoFile(t *testing.T) {
	d := RunDir{filepath.Join(t.TempDir(), "state"), "default"}
	for _, task := range []string{"", ".", "..", "../x", "a/b", "a.b", "a\x00b", "a\nb", "é"} {
		if err := d.WriteLaunch(Launch{Task: task, Run: 1}); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%q: %v", task, err)
		}
		if err := d.RemoveLaunch(task, 1); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%q: %v", task, err)
		}
		if got := d.Lease(task, 1); got != LeaseUnknown {
			t.Errorf("%q: lease %s", task, got)
		}
	}
	if exists(d.StateRoot) {
		t.Error("something was made")
	}
}
