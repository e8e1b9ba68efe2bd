package main

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARecordOfALockedBoardIsDurableWhenItsExitCodeSaysSo(t *testing.T) {
	env := testEnv(t)
	command(t, env, "init")
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(command(t, env, "task", "create", "one", "--assignee", "default", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	command(t, env, "task", "claim", made.ID)
	result := filepath.Join(env.UserHome, "result.json")
	if err := os.WriteFile(result, []byte(`{"status": "completed", "summary": "ported"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", "file:"+filepath.Join(env.UserHome, ".hermes", "kanban.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN EXCLUSIVE"); err != nil { // it cannot even be read
		t.Fatal(err)
	}
	impatient := env
	impatient.Vars = append(impatient.Vars, "HERMES_KANBAN_BUSY_TIMEOUT_MS=50")
	var out, errOut strings.Builder
	code := runContext(t.Context(), []string{"journal", "record", "--task", made.ID, "--run", "1", "--result-file", result, "--json"}, impatient, strings.NewReader(""), &out, &errOut)
	if code != exitLater || !strings.Contains(out.String(), `"outcome":"waiting"`) {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errOut.String())
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if out := command(t, env, "journal", "replay", "--json"); !strings.Contains(out, `"replayed":1`) {
		t.Errorf("replay: %s", out)
	}
}
