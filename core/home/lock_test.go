package home

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func heldNow(t *testing.T, path string) bool {
	t.Helper()
	held, err := Held(path)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func TestLockExcludesASecondHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if heldNow(t, path) {
		t.Error("a file that is not there is held")
	}
	if exists(path) {
		t.Error("asking created the file")
	}
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if !heldNow(t, path) {
		t.Error("nobody seems to hold it")
	}
	for name, again := range map[string]func(string) (*Lock, error){"TryLock": TryLock, "LockExisting": LockExisting} {
		if _, err := again(path); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s in the same process: %v", name, err)
		}
	}
	if _, answer := holder(t, path); answer != "held" {
		t.Errorf("another process: %s", answer)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if heldNow(t, path) {
		t.Error("still held after release")
	}
	if !exists(path) {
		t.Error("releasing removed the file")
	}
	l, err = LockExisting(path)
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	defer l.Release()
}

func TestLockOfAKilledProcessIsFreeAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	cmd, answer := holder(t, path)
	if answer != "locked" {
		t.Fatal(answer)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrHeld) {
		t.Fatalf("got %v", err)
	}
	if !heldNow(t, path) {
		t.Error("the lock of another process is not seen")
	}
	h, err := ReadHolder(path)
	if err != nil || h.PID != cmd.Process.Pid || h.Started != 1000 {
		t.Errorf("holder %+v, %v", h, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it reports the signal
	if heldNow(t, path) {
		t.Error("still held")
	}
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if h, err := ReadHolder(path); err != nil || h.PID != cmd.Process.Pid {
		t.Errorf("taking the lock changed its text: %+v, %v", h, err)
	}
}

func TestLockFailsClosed(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "target"), link); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a folder": dir, "a missing folder": filepath.Join(dir, "no", "x.lock"), "a file for a folder": filepath.Join(dir, "file", "x.lock"),
		"a link": link, "a pipe": pipe,
	} {
		l, err := TryLock(path)
		if err == nil || errors.Is(err, ErrHeld) || l != nil {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
	if exists(filepath.Join(dir, "target")) {
		t.Error("a link was followed")
	}
}

func TestLockInAFolderWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write into every folder")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(filepath.Join(dir, "x.lock")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func TestLockExistingNeverCreates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if _, err := LockExisting(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if exists(path) {
		t.Error("the file was created")
	}
}

func TestLockKeepsTheTextOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	put(t, path, "text of somebody")
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if got := get(t, path); got != "text of somebody" {
		t.Errorf("the text became %q", got)
	}
}

func TestHolderIsWrittenAndReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	put(t, path, strings.Repeat("long ", 100))
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	for _, want := range []Holder{{1234567, 1700000000}, {2, 1}} {
		if err := l.WriteHolder(want); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadHolder(path); err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if got := get(t, path); got != "{\"pid\":2,\"started\":1}\n" {
		t.Errorf("the file says %q", got)
	}
}

func TestHolderThatSaysNothingUsable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.lock")
	for _, content := range []string{"", "4242", "{}", `{"pid": "1"}`, `{"pid": 0}`, `{"pid": -5}`, `{"pid": 1e99}`, "\x00\x01", "[", strings.Repeat(" ", 5000) + `{"pid":1}`} {
		put(t, path, content)
		if h, err := ReadHolder(path); err == nil {
			t.Errorf("%.20q gave %+v", content, h)
		}
	}
	put(t, path, `{"pid": 7, "host": "x"} trailing`)
	if h, err := ReadHolder(path); err != nil || h != (Holder{PID: 7}) {
		t.Errorf("got %+v, %v", h, err)
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(path, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{link, pipe, dir, filepath.Join(dir, "missing")} {
		if h, err := ReadHolder(p); err == nil {
			t.Errorf("%q gave %+v", p, h)
		}
	}
}

func TestWaitingForALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	var slept []time.Duration
	sleep := func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		if len(slept) == 3 {
			return l.Release()
		}
		return nil
	}
	got, err := WaitLock(t.Context(), path, 5*time.Second, sleep)
	if err != nil || len(slept) != 3 || slept[0] != 50*time.Millisecond {
		t.Fatalf("after %v: %v", slept, err)
	}
	defer got.Release()

	var total time.Duration
	_, err = WaitLock(t.Context(), path, 120*time.Millisecond, func(_ context.Context, d time.Duration) error {
		total += d
		return nil
	})
	if !errors.Is(err, ErrHeld) || total != 120*time.Millisecond {
		t.Errorf("waited %v: %v", total, err)
	}

	_, err = WaitLock(t.Context(), path, time.Second, func(context.Context, time.Duration) error { return context.Canceled })
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrHeld) {
		t.Errorf("cancelled: %v", err)
	}

	_, err = WaitLock(t.Context(), path, 0, func(context.Context, time.Duration) error {
		t.Error("it waited although there is no time for it")
		return nil
	})
	if !errors.Is(err, ErrHeld) {
		t.Errorf("got %v", err)
	}

	_, err = WaitLock(t.Context(), filepath.Join(path, "x"), time.Second, func(context.Context, time.Duration) error {
		t.Error("it waited for a lock that cannot be opened")
		return nil
	})
	if err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("got %v", err)
	}
}

func TestGatewayIsSeenByItsLock(t *testing.T) {
	h, dir := found(t)
	if held, err := h.GatewayHolds(); held || err != nil {
		t.Errorf("without a file: %v, %v", held, err)
	}
	lock := at(dir, "@/.hermes/kanban/.dispatcher.lock")
	put(t, lock, "")
	if held, err := h.GatewayHolds(); held || err != nil {
		t.Errorf("nobody holds it: %v, %v", held, err)
	}
	if _, answer := holder(t, lock); answer != "locked" {
		t.Fatal(answer)
	}
	if held, err := h.GatewayHolds(); !held || err != nil {
		t.Errorf("a gateway holds it: %v, %v", held, err)
	}
}

func TestLockThatCannotBeLookedAtIsUnknown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	if held, err := Held(filepath.Join(file, "x.lock")); err == nil {
		t.Errorf("got %v", held)
	}
}

func TestProbingWithASharedLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	put(t, path, "")
	for range 2 { // a probe leaves nothing behind
		if held, err := heldShared(path); held || err != nil {
			t.Errorf("got %v, %v", held, err)
		}
	}
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if held, err := heldShared(path); !held || err != nil {
		t.Errorf("got %v, %v", held, err)
	}
}
