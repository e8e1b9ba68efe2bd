package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/home"
)

func TestTheDocumentedKeysAreThoseOfTheScreen(t *testing.T) {
	documented, err := os.ReadFile("../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var out, errOut bytes.Buffer
	env := home.Env{UserHome: dir, Cwd: dir, Vars: []string{"HOME=" + dir}}
	if code := run([]string{"keys", "--markdown"}, env, strings.NewReader(""), &out, &errOut); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	if !strings.HasSuffix(string(documented), out.String()) {
		t.Error("docs/keys.md is out of date; write the output of: hermes-tui keys --markdown")
	}
}
