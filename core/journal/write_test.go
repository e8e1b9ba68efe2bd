package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-tui/hermes-tui/core"
)

func (d *desk) made() *Folder {
	d.t.Helper()
	f, err := d.Place.Make()
	d.must(err)
	d.t.Cleanup(func() { _ = f.Close() })
	return f
}

func result(task string, run int64, summary string) Record {
	return Record{Board: "default", Task: task, Run: run, Summary: &summary, WrittenAt: 1_750_000_000}
}

func TestAResultLiesUnderItsNameWithNothingBesideIt(t *testing.T) {
	for _, reserved := range []bool{false, true} {
		d := newDesk(t)
		f := d.made()
		var slot *Slot
		if reserved {
			var err error
			slot, err = f.Reserve("t_1", 1)
			d.must(err)
			d.mode(d.folder("run", "t_1.1.slot"), 0o600)
		}
		d.must(f.Write(result("t_1", 1, "done"), slot))
		if slot != nil {
			d.must(slot.Close())
		}
		if d.files() != "t_1.1.terminal.pending.json" || d.files("run") != "" {
			t.Errorf("files %q and %q", d.files(), d.files("run"))
		}
		d.mode(d.folder("t_1.1.terminal.pending.json"), 0o600)
		for _, dir := range []string{d.Place.Root, d.folder()} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v, %v", dir, info.Mode(), err)
			}
		}
	}
}

func TestASlotThatIsNotUsedIsGivenBack(t *testing.T) {
	d := newDesk(t)
	slot, err := d.made().Reserve("t_1", 1)
	d.must(err)
	d.must(slot.Close())
	if d.files("run") != "" {
		t.Errorf("files %q", d.files("run"))
	}
}

func TestWritingOneResultTwiceIsOneResult(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	f := d.made()
	d.must(f.Write(result("t_1", 1, "done"), nil))
	later := result("t_1", 1, "done")
	later.WrittenAt += 60
	d.must(f.Write(later, nil))
	if d.files() != "t_1.1.terminal.pending.json" {
		t.Errorf("files %q", d.files())
	}
	d.replays("t_1 applied running-run")
	d.must(f.Write(later, nil))
	if d.files() != "t_1.1.terminal.committed.json" {
		t.Errorf("files %q", d.files())
	}
	r, err := d.Submit(ctx, later, nil)
	d.must(err)
	if r.ExitCode() != 0 {
		t.Errorf("submitted again: %+v", r)
	}
}

func TestASecondResultOfARunGoesToQuarantineAndTheFirstStays(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	f := d.made()
	d.must(f.Write(result("t_1", 1, "first"), nil))
	if err := f.Write(result("t_1", 1, "second"), nil); !errors.Is(err, ErrConflict) {
		t.Errorf("a second result: %v", err)
	}
	if d.files() != "t_1.1.terminal.pending.json" || d.files("quarantine") != "t_1.1.terminal.pending.json.quarantine" {
		t.Errorf("files %q and %q", d.files(), d.files("quarantine"))
	}
	d.replays("t_1 applied running-run")
	d.is("SELECT summary FROM task_runs", "first")
	d.must(f.Write(result("t_1", 1, "third"), nil))
	d.replays("t_1 superseded another result of this run is committed")
	late, err := d.Late(ctx, "t_1")
	d.must(err)
	if len(late) != 1 {
		t.Fatalf("late %+v", late)
	}
	_, err = d.Accept(ctx, late[0].File, "ann")
	d.must(err)
	d.is("SELECT summary FROM task_runs", "third", "SELECT count(*) FROM task_runs", "1")
	d.replays()
}

func TestATornFileInTheWayIsPutAside(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.pendingFile("t_1", 1, "{")
	d.must(d.made().Write(result("t_1", 1, "done"), nil))
	d.replays("t_1 applied running-run", "t_1 quarantined malformed-payload")
	d.is("SELECT status FROM tasks", "done", "SELECT group_concat(kind) FROM task_events", "completed,journal_quarantined")
}

func TestADirectoryInTheWayLosesNothingSilently(t *testing.T) {
	d := newDesk(t)
	f := d.made()
	d.must(os.Mkdir(d.folder(Name{"t_1", 1}.pending()), 0o700))
	if err := f.Write(result("t_1", 1, "done"), nil); !errors.Is(err, ErrNotDurable) {
		t.Errorf("written over a directory: %v", err)
	}
}

func TestWhatIsNoResultIsNotWritten(t *testing.T) {
	d := newDesk(t)
	f := d.made()
	failed := result("t_1", 1, "no")
	failed.Result = new(`{"status": "failed"}`)
	other := result("t_1", 1, "no")
	other.Board = "other"
	for name, r := range map[string]Record{"failed": failed, "another board": other, "a bad id": result("../x", 1, "no"), "no run": result("t_1", 0, "no")} {
		if err := f.Write(r, nil); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if d.files() != "" {
		t.Errorf("files %q", d.files())
	}
}

func TestNoLinkIsFollowedBelowTheStateRoot(t *testing.T) {
	outside := t.TempDir()
	for _, link := range []string{"board", "quarantine", "run", "lock"} {
		d := newDesk(t)
		d.running("t_1", 1)
		d.must(os.MkdirAll(d.Place.Root, 0o700))
		if link == "board" {
			d.must(os.Symlink(outside, d.folder()))
			if _, err := d.Place.Make(); err == nil {
				t.Error("a link was entered as the board's folder")
			}
			if _, err := d.Replay(ctx, ReplayOptions{}); err == nil {
				t.Error("a link was replayed as the board's folder")
			}
			continue
		}
		d.pendingFile("t_1", 1, "{")
		switch link {
		case "lock":
			d.must(os.Symlink(filepath.Join(outside, "lock"), d.folder(replayLock)))
		default:
			d.must(os.Symlink(outside, d.folder(link)))
		}
		got := d.replay()
		if link == "quarantine" && (len(got) != 1 || !strings.HasPrefix(got[0], "t_1 waiting malformed-payload")) {
			t.Errorf("with a link for the quarantine: %q", got)
		}
		if link == "run" {
			if _, err := d.made().Reserve("t_2", 2); err == nil {
				t.Error("a slot was made behind a link")
			}
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}

func TestFilesThatOthersMayWriteAreNotTrusted(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.must(os.Chmod(d.pendingFile("t_1", 1, plain("t_1", 1, "x")), 0o660))
	d.replays("t_1 quarantined writable-by-others")
	d.mode(d.folder("quarantine", "t_1.1.terminal.pending.json.quarantine"), 0o600)
	d.must(os.Chmod(d.folder(), 0o770))
	if _, err := d.Replay(ctx, ReplayOptions{}); err == nil || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("a folder that others may write to: %v", err)
	}
	d.must(os.Chmod(d.folder(), 0o700))
	if os.Getuid() != 0 {
		t.Skip("the rest needs root, who can give files away")
	}
	d.running("t_2", 2)
	d.running("t_3", 3)
	d.must(os.Chown(d.pendingFile("t_2", 2, plain("t_2", 2, "x")), 12345, -1))
	d.must(os.Chown(d.path, 23456, -1))
	d.must(os.Chown(d.pendingFile("t_3", 3, plain("t_3", 3, "x")), 23456, -1))
	d.replays("t_2 quarantined wrong-owner", "t_3 applied running-run")
}

func TestTwoReplayersDoNotMeet(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.pendingFile("t_1", 1, plain("t_1", 1, "x"))
	lock, err := d.made().dir.Lock(replayLock)
	d.must(err)
	report, err := d.Replay(ctx, ReplayOptions{})
	if err != nil || !report.Locked || len(report.Results) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	d.must(lock.Close())
	d.replays("t_1 applied running-run")
}

func TestOnlyTheJournalsOfOneCardAreReplayed(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.running("t_2", 2)
	d.pendingFile("t_1", 1, plain("t_1", 1, "x"))
	d.pendingFile("t_2", 2, plain("t_2", 2, "x"))
	report, err := d.Replay(ctx, ReplayOptions{Task: "t_2"})
	if err != nil || report.Replayed != 1 || report.Results[0].Task != "t_2" {
		t.Errorf("%+v, %v", report, err)
	}
	d.is("SELECT status FROM tasks WHERE id = 't_1'", "running")
}

func TestASlotOfADeadRunnerIsClearedAway(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.running("t_2", 2)
	f := d.made()
	for i, task := range []string{"t_1", "t_2"} {
		_, err := f.Reserve(task, int64(i+1))
		d.must(err)
	}
	d.must(os.WriteFile(d.folder("run", "t_2.2.slot"), []byte("half a rec"), 0o600))
	d.replays()
	d.now += leftBehind + 60
	d.held = true
	d.replays()
	d.held = false
	d.replays("t_2 quarantined left-behind")
	if d.files("run") != "" || d.files("quarantine") != "t_2.2.slot.quarantine" {
		t.Errorf("files %q and %q", d.files("run"), d.files("quarantine"))
	}
	d.is("SELECT group_concat(status) FROM tasks", "running,running", "SELECT group_concat(kind) FROM task_events", "journal_quarantined")
}

func TestAnErrorOfTheBoardOnOneCardHoldsUpNoOther(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.running("t_2", 2)
	d.sql("CREATE TRIGGER guard BEFORE UPDATE ON tasks WHEN old.id = 't_1' BEGIN SELECT RAISE(ABORT, 'not this one'); END")
	d.pendingFile("t_1", 1, plain("t_1", 1, "x"))
	d.pendingFile("t_2", 2, plain("t_2", 2, "x"))
	got := d.replay()
	if len(got) != 2 || !strings.HasPrefix(got[0], "t_1 waiting") || got[1] != "t_2 applied running-run" {
		t.Errorf("replayed %q", got)
	}
	d.is("SELECT status || coalesce(result, '-') FROM tasks WHERE id = 't_1'", "running-", "SELECT outcome FROM task_runs WHERE id = 1", "NULL")
}

func TestAPauseEndsWhenTheClockIsSetBack(t *testing.T) {
	p := pause{}.longer(1000, "busy")
	for now, want := range map[int64]bool{1000: true, 1001: true, 1002: false, 5: false} {
		if p.on(now) != want {
			t.Errorf("at %d the pause is on: %t", now, p.on(now))
		}
	}
	for range 10 {
		p = p.longer(1000, "busy")
	}
	if p.step != maxPause {
		t.Errorf("the pause grew to %d", p.step)
	}
}

func TestAcceptingIsRefusedWhileAnotherRunIsOpen(t *testing.T) {
	d := newDesk(t)
	d.ended("t_1", 1, "ready", "crashed")
	d.sql("UPDATE tasks SET status = 'running', current_run_id = 2, claim_lock = 'here:1', claim_expires = ?", time.Now().Unix()+900)
	d.sql("INSERT INTO task_runs(id, task_id, status, started_at) VALUES(2, 't_1', 'running', ?)", d.now)
	file := filepath.Base(d.pendingFile("t_1", 1, plain("t_1", 1, "late")))
	d.replays("t_1 superseded the card has a newer run, 2")
	if _, err := d.Accept(ctx, file, "ann"); !errors.Is(err, core.ErrRefused) {
		t.Errorf("accepted beside an open run: %v", err)
	}
	d.is("SELECT outcome FROM task_runs WHERE id = 2", "NULL", "SELECT status FROM tasks", "running")
	d.sql("UPDATE task_runs SET ended_at = ?, outcome = 'crashed' WHERE id = 2", d.now)
	d.sql("UPDATE tasks SET status = 'ready', current_run_id = NULL, claim_lock = NULL, claim_expires = NULL")
	_, err := d.Accept(ctx, file, "ann")
	d.must(err)
	d.is("SELECT outcome || summary FROM task_runs WHERE id = 1", "completedlate", "SELECT outcome FROM task_runs WHERE id = 2", "crashed",
		"SELECT status FROM tasks", "done")
}
