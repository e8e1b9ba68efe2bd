package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/core/board"
)

func TestACardThatAProgramBlockedAfterItsResultWasSafeIsCompleted(t *testing.T) {
	d := newDesk(t)
	d.ended("t_ended", 17, "blocked", "blocked")
	d.pendingFile("t_ended", 17, plain("t_ended", 17, "accepted before the block"))
	d.event("t_ended", 17, "blocked", `{"reason": "gave up"}`, d.now+5)
	d.replays("t_ended applied ended-run")
	d.is("SELECT status FROM tasks", "done", "SELECT consecutive_failures FROM tasks", "0",
		"SELECT outcome || summary || ended_at FROM task_runs WHERE id = 17", fmt.Sprintf("completedaccepted before the block%d", d.now),
		"SELECT count(*) FROM task_runs", "1", "SELECT group_concat(run_id) FROM task_events WHERE kind = 'completed'", "17",
		"SELECT json_extract(payload, '$.was_outcome') FROM task_events WHERE kind = 'completed'", "blocked")
	if got, want := d.files(), "t_ended.17.terminal.committed.json"; got != want {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestACardInTriageOnlyBecauseItsRunBlockedAgainIsCompletedOnce(t *testing.T) {
	d := newDesk(t)
	d.ended("t_triage", 18, "triage", "blocked")
	d.event("t_triage", 18, "block_loop_detected", `{"reason": "again"}`, d.now-60)
	d.pendingFile("t_triage", 18, plain("t_triage", 18, "accepted"))
	d.replays("t_triage applied ended-run")
	d.is("SELECT status FROM tasks", "done", "SELECT metadata FROM task_runs", "NULL",
		"SELECT result FROM tasks", `{"status":"completed","summary":"accepted"}`)
	rows := d.rows()
	d.restart()
	d.replays()
	if d.rows() != rows {
		t.Error("a second replay wrote rows")
	}
}

func TestACompletionThatFailsAfterTheJournalIsSafeIsReplayedAndNeverBlocks(t *testing.T) {
	d := newDesk(t)
	d.running("t_crash", 51)
	d.fails = errors.New("RuntimeError: crash between journal and commit")
	r, err := d.Submit(ctx, Record{Board: "default", Task: "t_crash", Run: 51, Summary: new("crash-safe")}, nil)
	d.must(err)
	if r.ExitCode() != 75 {
		t.Errorf("exit %d with %+v, want 75", r.ExitCode(), r)
	}
	note := d.one("SELECT body FROM task_comments")
	if !strings.Contains(note, "RuntimeError") || !strings.Contains(note, "terminal replayable=True") {
		t.Errorf("the note says %q", note)
	}
	d.is("SELECT status FROM tasks", "running", "SELECT consecutive_failures FROM tasks", "1")
	if has, err := d.Place.HasPending("t_crash", 51); !has || err != nil {
		t.Errorf("has a pending result: %t, %v", has, err)
	}
	d.restart()
	d.replays("t_crash applied running-run")
	d.is("SELECT status FROM tasks", "done", "SELECT count(*) FROM task_comments", "1")
	if has, err := d.Place.HasPending("t_crash", 51); has || err != nil {
		t.Errorf("has a pending result: %t, %v", has, err)
	}
}

// unsynced is a folder whose own syncs fail once its pending file has its name.
type unsynced struct{ Dir }

func (u unsynced) RenameNew(name string, to Dir, as string) error {
	return u.Dir.RenameNew(name, to.(unsynced).Dir, as)
}

func (u unsynced) Sync() error {
	names, err := u.Names()
	if err == nil && strings.Contains(strings.Join(names, " "), pendingSuffix) {
		return syscall.ENOSPC
	}
	return u.Dir.Sync()
}

func TestANameThatIsNotConfirmedIsReplayedAfterARestart(t *testing.T) {
	d := newDesk(t)
	d.running("t_enospc", 52)
	d.makeFolder = func() (*Folder, error) {
		f, err := d.Place.Make()
		if err == nil {
			f.dir = unsynced{f.dir}
		}
		return f, err
	}
	r, err := d.Submit(ctx, Record{Board: "default", Task: "t_enospc", Run: 52, Summary: new("kept")}, nil)
	d.must(err)
	if r.ExitCode() != 75 || d.files() != "t_enospc.52.terminal.pending.json" {
		t.Errorf("%+v with files %q", r, d.files())
	}
	d.is("SELECT status FROM tasks", "running", "SELECT count(*) FROM task_events", "0",
		"SELECT body LIKE '%terminal replayable=True%' FROM task_comments", "1")
	d.restart()
	d.replays("t_enospc applied running-run")
	d.is("SELECT status FROM tasks", "done", "SELECT count(*) FROM task_events WHERE kind = 'completed'", "1")
	if got := d.files(); got != "t_enospc.52.terminal.committed.json" {
		t.Errorf("files %q", got)
	}
}

func TestARecordCannotChooseAnotherBoard(t *testing.T) {
	d := newDesk(t)
	d.running("t_alpha", 3)
	d.running("t_beta", 9)
	content := strings.Replace(plain("t_beta", 9, "forged"), `"default"`, `"beta"`, 1)
	d.pendingFile("t_alpha", 3, content)
	d.replays("t_alpha quarantined foreign")
	d.is("SELECT status FROM tasks WHERE id = 't_alpha'", "ready", "SELECT status FROM tasks WHERE id = 't_beta'", "running",
		"SELECT outcome FROM task_runs WHERE id = 3", "reclaimed", "SELECT outcome FROM task_runs WHERE id = 9", "NULL",
		"SELECT consecutive_failures FROM tasks WHERE id = 't_alpha'", "1",
		"SELECT group_concat(kind) FROM task_events", "journal_quarantined,reclaimed")
	path := d.folder("quarantine", "t_alpha.3.terminal.pending.json.quarantine")
	d.mode(path, 0o600)
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("the bytes changed: %q, %v", got, err)
	}
}

// swapped is a board under which the file changes while the board is locked.
type swapped struct {
	Board
	swap func()
}

func (s swapped) ApplyResult(c context.Context, r board.RunResult) (board.Decision, error) {
	s.swap()
	return s.Board.ApplyResult(c, r)
}

func TestAFileThatIsSwappedAfterItWasReadIsNotApplied(t *testing.T) {
	d := newDesk(t)
	d.running("t_alpha", 4)
	path := d.pendingFile("t_alpha", 4, plain("t_alpha", 4, "safe"))
	forged := strings.Replace(plain("t_beta", 7, "forged"), `"default"`, `"beta"`, 1)
	inner := d.Board
	d.Board = swapped{inner, func() {
		d.must(os.WriteFile(path+".new", []byte(forged), 0o600))
		d.must(os.Rename(path+".new", path))
	}}
	d.replays("t_alpha waiting the file changed while it was looked at")
	d.is("SELECT status FROM tasks", "running", "SELECT count(*) FROM task_events", "0")
	d.Board = inner
	d.replays("t_alpha quarantined foreign")
}

func TestAWriterThatFindsItsFileSwappedDeliversNothing(t *testing.T) {
	d := newDesk(t)
	d.running("t_alpha", 4)
	forged := strings.Replace(plain("t_beta", 7, "forged"), `"default"`, `"beta"`, 1)
	f, err := d.Place.Make()
	d.must(err)
	defer f.Close()
	d.must(f.Write(Record{Board: "default", Task: "t_alpha", Run: 4, Summary: new("safe"), WrittenAt: d.now}, nil))
	d.pendingFile("t_alpha", 4, forged)
	r, err := d.deliver(ctx, f, Name{"t_alpha", 4})
	d.must(err)
	if r.Outcome != Quarantined || r.Reason != reasonForeign || r.ExitCode() != 1 {
		t.Errorf("delivered %+v", r)
	}
	d.is("SELECT count(*) FROM tasks WHERE status = 'done'", "0")
}

// A replayer takes the file between the writer's look at it and the board.
func TestAWriterLearnsThatAReplayerWasFaster(t *testing.T) {
	d := newDesk(t)
	d.running("t_alpha", 4)
	f, err := d.Place.Make()
	d.must(err)
	defer f.Close()
	replayer, inner := d.Journal, d.Board
	d.restart()
	d.Board = swapped{inner, func() {
		report, err := replayer.Replay(ctx, ReplayOptions{})
		if err != nil || report.Replayed != 1 {
			t.Errorf("replayed %+v, %v", report, err)
		}
	}}
	r, err := d.SubmitTo(ctx, f, Record{Board: "default", Task: "t_alpha", Run: 4, Result: new(`{"status":"completed"}`), Summary: new("safe")}, nil)
	d.must(err)
	if r.Outcome != Already || r.ExitCode() != 0 {
		t.Errorf("delivered %+v", r)
	}
	d.is("SELECT status FROM tasks", "done")
}

func TestATornRecordIsPutAsideAndItsRunMayBeTriedAgain(t *testing.T) {
	for _, content := range []string{"", `{"board":"default"`} {
		d := newDesk(t)
		d.running("t_partial", 12)
		d.pendingFile("t_partial", 12, content)
		d.replays("t_partial quarantined malformed-payload")
		d.is("SELECT status FROM tasks", "ready", "SELECT consecutive_failures FROM tasks", "1",
			"SELECT json_extract(payload, '$.reason') FROM task_events WHERE kind = 'reclaimed'",
			"terminal journal recovery failed (malformed-payload); exact run may retry",
			"SELECT payload FROM task_events WHERE kind = 'journal_quarantined'",
			`{"file": "t_partial.12.terminal.pending.json.quarantine", "reason": "malformed-payload", "run": 12}`)
		if has, err := d.Place.HasPending("t_partial", 12); has || err != nil {
			t.Errorf("has a pending result: %t, %v", has, err)
		}
		d.mode(d.folder("quarantine", "t_partial.12.terminal.pending.json.quarantine"), 0o600)
		rows := d.rows()
		d.restart()
		d.replays()
		if d.rows() != rows {
			t.Error("a second replay wrote rows")
		}
	}
}

func TestAResultThatComesAfterTheDispatcherGaveUpStillCompletesItsCard(t *testing.T) {
	d := newDesk(t)
	d.ended("t_a", 2801, "blocked", "crashed")
	d.event("t_a", 2801, "crashed", "{}", d.now-60)
	d.event("t_a", nil, "gave_up", `{"failures": 2}`, d.now-60)
	d.ended("t_b", 2802, "blocked", "blocked")
	d.event("t_b", 2802, "blocked", `{"reason": "hold, I want to look"}`, d.now-60)
	d.ended("t_c", 2803, "ready", "crashed")
	d.event("t_c", 2803, "crashed", "{}", d.now-60)
	d.ended("t_d", 2804, "archived", "reclaimed")
	d.event("t_d", 2804, "archived", "{}", d.now-60)
	for task, run := range map[string]int64{"t_a": 2801, "t_b": 2802, "t_c": 2803, "t_d": 2804} {
		d.pendingFile(task, run, plain(task, run, "done by "+task))
	}
	d.replays("t_a applied ended-run", "t_b superseded somebody blocked the card", "t_c applied ended-run", "t_d superseded the card is archived")
	d.is("SELECT group_concat(status) FROM (SELECT status FROM tasks ORDER BY id)", "done,blocked,done,archived",
		"SELECT group_concat(summary) FROM task_runs WHERE outcome = 'completed'", "done by t_a,done by t_c",
		"SELECT group_concat(consecutive_failures) FROM tasks WHERE status = 'done'", "0,0",
		"SELECT group_concat(run_id) FROM task_events WHERE kind = 'completed'", "2801,2803")
	rows := d.rows()
	d.replays("t_b superseded somebody blocked the card", "t_d superseded the card is archived")
	if d.rows() != rows {
		t.Error("a second replay wrote rows")
	}
	late, err := d.Late(ctx, "t_b")
	d.must(err)
	if len(late) != 1 || late[0].Run != 2802 {
		t.Fatalf("late results %+v", late)
	}
	r, err := d.Accept(ctx, late[0].File, "ann")
	d.must(err)
	if r.Outcome != Applied {
		t.Errorf("accepted: %+v", r)
	}
	d.is("SELECT status || result FROM tasks WHERE id = 't_b'", `done{"status":"completed","summary":"done by t_b"}`,
		"SELECT json_extract(payload, '$.actor') FROM task_events WHERE task_id = 't_b' AND kind = 'completed'", "ann")
	d.replays("t_d superseded the card is archived")
}

func TestAFolderFullOfDamageHoldsUpNoGoodResult(t *testing.T) {
	d := newDesk(t)
	files := map[int64]string{
		2901: "", 2902: strings.Repeat("\x00", 4096), 2903: `{"v":1,"task_id":"t_b29","run_id":29`,
		2904: "\xef\xbb\xbf" + plain("t_2904", 2904, "bom"), 2905: plain("t_2905", 2905, "x") + "\n" + `{"v":1`,
		2910: plain("t_2910", 2910, "good"),
	}
	for run, content := range files {
		task := fmt.Sprintf("t_%d", run)
		d.running(task, run)
		d.pendingFile(task, run, content)
	}
	temporary := d.put(Name{"t_2906", 2906}.temporary(1), plain("t_2906", 2906, "torn off"))
	d.must(os.Mkdir(d.folder(Name{"t_2907", 2907}.pending()), 0o700))
	outside := filepath.Join(t.TempDir(), "outside")
	d.must(os.WriteFile(outside, []byte("secret"), 0o644))
	d.must(os.Symlink(outside, d.folder(Name{"t_2908", 2908}.pending())))
	d.must(os.Truncate(d.pendingFile("t_2909", 2909, ""), 50_000_000))
	d.must(syscall.Mkfifo(d.folder(Name{"t_2911", 2911}.pending()), 0o600))
	d.must(os.Link(outside, d.folder(Name{"t_2912", 2912}.pending())))
	other := d.put("lane-state.json", "{")
	d.replays(
		"t_2901 quarantined malformed-payload", "t_2902 quarantined malformed-payload", "t_2903 quarantined malformed-payload",
		"t_2904 applied running-run", "t_2905 quarantined malformed-payload",
		"t_2907 waiting directory: it is a directory, which stays where it is; remove it",
		"t_2908 quarantined symlink", "t_2909 quarantined too-big", "t_2910 applied running-run",
		"t_2911 quarantined fifo", "t_2912 quarantined hard-links")
	for run, content := range files {
		if run == 2904 || run == 2910 {
			continue
		}
		path := d.folder("quarantine", Name{fmt.Sprintf("t_%d", run), run}.pending()+quarantineSuffix)
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	entries, err := os.ReadDir(d.folder("quarantine"))
	d.must(err)
	for _, e := range entries {
		d.mode(d.folder("quarantine", e.Name()), 0o600)
	}
	if got, err := os.ReadFile(d.folder("quarantine", Name{"t_2912", 2912}.pending()+quarantineSuffix)); err != nil || string(got) != "secret" {
		t.Errorf("the copy of the file with two names: %q, %v", got, err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the file outside: %v, %v", info, err)
	}
	for _, path := range []string{temporary, other} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	before := d.files("quarantine")
	d.restart()
	d.replays("t_2907 waiting directory: it is a directory, which stays where it is; remove it")
	if got := d.files("quarantine"); got != before {
		t.Errorf("in quarantine now %q, before %q", got, before)
	}
	d.now += leftBehind + 60
	d.restart()
	d.replay()
	if !strings.Contains(d.files("quarantine"), "t_2906.2906.terminal.pending.json.tmp.quarantine") {
		t.Errorf("a file whose writer is gone for an hour stayed: %q", d.files())
	}
}

func TestTheThirdQuarantineWithoutACompletionBlocksTheCard(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	for run := int64(1); run <= 3; run++ {
		d.pendingFile("t_1", run, "{")
		d.replays("t_1 quarantined malformed-payload")
		want := "ready"
		if run == 3 {
			want = "blocked"
		}
		d.is("SELECT status FROM tasks", want, "SELECT consecutive_failures FROM tasks", "1")
		d.sql("UPDATE tasks SET status = 'running', current_run_id = ?, claim_lock = 'here:1', claim_expires = ?", run+1, d.now+900)
		d.sql("INSERT INTO task_runs(id, task_id, status, started_at) VALUES(?, 't_1', 'running', ?)", run+1, d.now)
	}
	d.is("SELECT count(*) FROM task_events WHERE kind = 'gave_up'", "1")
}

func TestARunWithSomebodyBehindItIsNotTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		pid     int64
		verdict core.Verdict
		held    bool
		want    string
	}{
		"lease":        {held: true, want: "running"},
		"alive":        {pid: 7, verdict: core.AliveOurs, want: "running"},
		"unknown":      {pid: 7, verdict: core.Unknown, want: "running"},
		"dead":         {pid: 7, verdict: core.Dead, want: "ready"},
		"recycled":     {pid: 7, verdict: core.AliveOther, want: "ready"},
		"no pid known": {verdict: core.Unknown, want: "ready"},
	} {
		d := newDesk(t)
		d.running("t_1", 1)
		if c.pid != 0 {
			d.sql("UPDATE tasks SET worker_pid = ?", c.pid)
		}
		d.seen, d.held = core.Sighting{Verdict: c.verdict}, c.held
		d.pendingFile("t_1", 1, "{")
		d.replays("t_1 quarantined malformed-payload")
		if got := d.one("SELECT status FROM tasks"); got != c.want {
			t.Errorf("%s: the card is %s, want %s", name, got, c.want)
		}
	}
}

func TestARecordOfANewerVersionWaits(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.pendingFile("t_1", 1, `{"version": 2, "anything": [1]}`)
	d.replays("t_1 waiting written by a newer hermes-tui; update this one")
	d.is("SELECT status FROM tasks", "running", "SELECT count(*) FROM task_events", "0")
}

func TestABoardThatIsLockedMakesResultsWait(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.running("t_2", 2)
	d.pendingFile("t_1", 1, plain("t_1", 1, "one"))
	d.pendingFile("t_2", 2, "{")
	conn, err := d.other.Conn(ctx)
	d.must(err)
	_, err = conn.ExecContext(ctx, "BEGIN IMMEDIATE")
	d.must(err)
	got := d.replay()
	_, err = conn.ExecContext(ctx, "ROLLBACK")
	d.must(errors.Join(err, conn.Close()))
	if len(got) != 2 || !strings.HasPrefix(got[0], "t_1 waiting") || !strings.HasPrefix(got[1], "t_2 waiting") {
		t.Errorf("replayed %q", got)
	}
	report, err := d.Replay(ctx, ReplayOptions{})
	d.must(err)
	if report.Replayed != 0 || len(report.Results) != 2 {
		t.Errorf("at once again: %+v", report)
	}
	d.now += firstPause
	d.replays("t_1 applied running-run", "t_2 quarantined malformed-payload")
}

func TestAResultThatTheBoardLostIsAppliedAgain(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.running("t_2", 2)
	started := d.now - 900
	for _, r := range []Record{
		{Board: "default", Task: "t_1", Run: 1, RunStarted: &started, ClaimLock: new("here:1"), Summary: new("kept")},
		{Board: "default", Task: "t_2", Run: 2, Summary: new("of nobody knows which run")},
	} {
		got, err := d.Submit(ctx, r, nil)
		d.must(err)
		if got.ExitCode() != 0 {
			t.Fatalf("%+v", got)
		}
	}
	// The board is restored from a copy that is older than the results.
	d.sql("DELETE FROM task_events")
	d.sql("DELETE FROM task_runs")
	d.sql("DELETE FROM tasks")
	d.running("t_1", 1)
	d.running("t_2", 2)
	d.restart()
	d.replays("t_1 applied running-run the board had lost this result")
	d.is("SELECT group_concat(status) FROM (SELECT status FROM tasks ORDER BY id)", "done,running")
	l, err := d.List(ctx, "")
	d.must(err)
	if len(l.Committed) != 2 || !l.Committed[1].Late {
		t.Errorf("listed %+v", l.Committed)
	}
	// A run of the same number that started at another time is another run.
	d.sql("UPDATE tasks SET status = 'running', current_run_id = 1 WHERE id = 't_1'")
	d.sql("UPDATE task_runs SET outcome = NULL, ended_at = NULL, started_at = started_at + 5 WHERE id = 1")
	d.restart()
	d.replays()
	d.is("SELECT status FROM tasks WHERE id = 't_1'", "running")
}

func TestABlockedResultBlocksOnlyItsRunningRun(t *testing.T) {
	d := newDesk(t)
	blocked := func(task string, run int64) string {
		return strings.Replace(plain(task, run, "s"), `"{\"status\":\"completed\",\"summary\":\"s\"}"`,
			`"{\"status\":\"blocked\",\"reason\":\"which colour?\"}"`, 1)
	}
	d.running("t_1", 1)
	d.ended("t_2", 2, "ready", "crashed")
	d.pendingFile("t_1", 1, blocked("t_1", 1))
	d.pendingFile("t_2", 2, blocked("t_2", 2))
	d.replays("t_1 applied running-run", "t_2 superseded its worker wanted the card blocked, but the run has ended")
	d.is("SELECT status FROM tasks WHERE id = 't_1'", "blocked", "SELECT summary FROM task_runs WHERE id = 1", "which colour?")
	d.must(os.Rename(d.folder(Name{"t_1", 1}.committed()), d.folder(Name{"t_1", 1}.pending())))
	d.restart()
	if got := d.replay()[0]; got != "t_1 already" {
		t.Errorf("again: %q", got)
	}
}

func TestAResultWithNothingInItIsPutAside(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.pendingFile("t_1", 1, `{"board":"default","task_id":"t_1","expected_run_id":1,"result":null,"summary":" ","metadata":{}}`)
	d.running("t_2", 2)
	d.pendingFile("t_2", 2, `{"board":"default","task_id":"t_2","expected_run_id":2,"result":"{\"status\":\"failed\"}","summary":"no"}`)
	d.replays("t_1 quarantined empty-result", "t_2 quarantined not-a-result")
	d.is("SELECT group_concat(status) FROM tasks", "ready,ready")
}

func TestARestoredJournalIsReplayed(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.pendingFile("t_1", 1, "{")
	d.replays("t_1 quarantined malformed-payload")
	aside := "t_1.1.terminal.pending.json.quarantine"
	if _, err := d.Restore(aside); !errors.Is(err, core.ErrRefused) {
		t.Errorf("restored although torn: %v", err)
	}
	d.must(os.WriteFile(d.folder("quarantine", aside), []byte(plain("t_1", 1, "mended")), 0o600))
	l, err := d.List(ctx, "")
	d.must(err)
	if len(l.Quarantined) != 1 || l.Quarantined[0].Reason != "malformed-payload" || l.Quarantined[0].Task != "t_1" {
		t.Errorf("listed %+v", l.Quarantined)
	}
	file, err := d.Restore(aside)
	d.must(err)
	if c, err := d.Show(ctx, file); err != nil || c.Outcome != Applied || !strings.Contains(c.Text, "mended") {
		t.Errorf("shown %+v, %v", c, err)
	}
	d.replays("t_1 applied ended-run")
	d.is("SELECT status FROM tasks", "done")
}

func TestAPersonPutsAJournalAsideAndItsRunStays(t *testing.T) {
	d := newDesk(t)
	d.running("t_1", 1)
	d.pendingFile("t_1", 1, plain("t_1", 1, "wrong"))
	there, err := d.Quarantine(ctx, Name{"t_1", 1}.pending(), "ann")
	d.must(err)
	d.is("SELECT status FROM tasks", "running", "SELECT json_extract(payload, '$.actor') FROM task_events", "ann")
	for _, bad := range []string{"../" + there, "kanban.db", "", "x/../" + there} {
		if _, err := d.Restore(bad); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("restore %q: %v", bad, err)
		}
	}
	d.restart()
	d.replays()
	d.is("SELECT status FROM tasks", "running")
}

func TestOldCommittedResultsAreDeletedAndOthersKept(t *testing.T) {
	d := newDesk(t)
	for run := int64(1); run <= 3; run++ {
		task := fmt.Sprintf("t_%d", run)
		d.running(task, run)
		d.pendingFile(task, run, plain(task, run, "done"))
	}
	d.replay()
	d.sql("UPDATE task_runs SET summary = 'by hand' WHERE id = 2")
	d.sql("DELETE FROM task_runs WHERE id = 3")
	d.put("quarantine/old.quarantine", "{")
	if gone, err := d.Prune(ctx, PruneOptions{Quarantine: 1}); err != nil || len(gone) != 0 {
		t.Errorf("deleted young %q, %v", gone, err)
	}
	d.now += KeepCommitted + 1
	gone, err := d.Prune(ctx, PruneOptions{Quarantine: 1})
	d.must(err)
	if strings.Join(gone, " ") != "t_1.1.terminal.committed.json old.quarantine" {
		t.Errorf("deleted %q", gone)
	}
}

func TestLookingChangesNothing(t *testing.T) {
	d := newDesk(t)
	if l, err := d.List(ctx, ""); err != nil || len(l.Pending) != 0 {
		t.Fatal(l, err)
	}
	if _, err := os.Stat(d.Place.Root); !os.IsNotExist(err) {
		t.Error("listing made the state root")
	}
	d.running("t_1", 1)
	path := d.pendingFile("t_1", 1, plain("t_1", 1, "done"))
	d.must(os.Chmod(path, 0o644))
	d.pendingFile("t_2", 2, "{")
	rows := d.rows()
	l, err := d.List(ctx, "")
	d.must(err)
	if len(l.Pending) != 2 || l.Pending[0].Outcome != Applied || l.Pending[1].Outcome != Quarantined {
		t.Errorf("listed %+v", l.Pending)
	}
	d.mode(path, 0o644)
	if d.rows() != rows || d.files() != "t_1.1.terminal.pending.json t_2.2.terminal.pending.json" {
		t.Error("listing changed something")
	}
	d.replay()
	d.mode(d.folder(Name{"t_1", 1}.committed()), 0o600)
}
