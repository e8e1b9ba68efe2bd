package reconcile_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core/reconcile"
)

// noFiles says that nothing is there.
type noFiles struct{}

func (noFiles) Exists(string) bool     { return false }
func (noFiles) Log(task string) string { return "/logs/" + task }

func TestWhatCannotBeTrueIsShownAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.sql(`INSERT INTO tasks(id,title,status,created_at,claim_lock,claim_expires,last_heartbeat_at,current_run_id,workspace_path,completed_at,result) VALUES
	 ('t_ahead','x','running',@NOW@-900,'@HOST@:1',@NOW@+900,@NOW@+9000,1,'/gone',NULL,NULL),
	 ('t_fine','x','running',@NOW@-900,'@HOST@:1',@NOW@+900,@NOW@-5,2,'',NULL,NULL),
	 ('t_done','x','done',@NOW@-900,NULL,NULL,NULL,NULL,NULL,NULL,NULL),
	 ('t_good','x','done',@NOW@-900,NULL,NULL,NULL,NULL,NULL,@NOW@-5,'fine');
	INSERT INTO task_runs(id,task_id,status,started_at) VALUES (1,'t_ahead','running',@NOW@+5000),(2,'t_fine','running',@NOW@-800);
	INSERT INTO task_events(task_id,run_id,kind,created_at) VALUES ('t_ahead',1,'spawned',@NOW@)`)
	w.pass.Files = noFiles{}
	before := w.dump()
	plan, err := w.pass.Plan(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range plan.Findings {
		if f.Action != reconcile.Show {
			t.Errorf("finding %+v", f)
		}
		got = append(got, f.Task+" "+string(f.Kind))
	}
	slices.Sort(got)
	want := []string{
		"t_ahead heartbeat_in_future", "t_ahead log_missing", "t_ahead start_in_future", "t_ahead workspace_missing", "t_done done_without_record",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if ids, _ := w.run(); len(ids) != 0 {
		t.Errorf("repaired %v", ids)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}
