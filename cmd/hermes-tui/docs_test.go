package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hermes-tui/hermes-tui/core/home"
	"github.com/hermes-tui/hermes-tui/themes"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTablesInTheDocumentsAreThoseOfTheProgram(t *testing.T) {
	for name, command := range map[string]string{"configuration.md": "config", "themes.md": "themes"} {
		dir := t.TempDir()
		var out, errOut bytes.Buffer
		env := home.Env{UserHome: dir, Cwd: dir, Vars: []string{"HOME=" + dir}}
		if code := run([]string{command, "--markdown"}, env, strings.NewReader(""), &out, &errOut); code != exitDone {
			t.Fatalf("exit code %d: %s", code, errOut.String())
		}
		if !strings.HasSuffix(document(t, name), out.String()) {
			t.Errorf("docs/%s is out of date; write the output of: hermes-tui %s --markdown", name, command)
		}
	}
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// examples are the blocks of YAML in a document; there must be some.
func examples(t *testing.T, name string) []string {
	t.Helper()
	var list []string
	for _, block := range yamlBlock.FindAllStringSubmatch(document(t, name), -1) {
		list = append(list, block[1])
	}
	if len(list) == 0 {
		t.Fatalf("docs/%s has no example", name)
	}
	return list
}

func TestExamplesOfTheConfigurationAreAccepted(t *testing.T) {
	for _, name := range []string{"configuration.md", "lanes.md", "dispatching.md"} {
		for _, example := range examples(t, name) {
			if _, err := home.ParseSettings("docs/"+name, []byte(example)); err != nil {
				t.Errorf("%v\n%s", err, example)
			}
		}
	}
}

func TestExamplesOfThemesAreAcceptedAndReadable(t *testing.T) {
	for _, example := range examples(t, "themes.md") {
		theme, err := themes.Parse("mine", []byte(example))
		if err != nil {
			t.Errorf("%v\n%s", err, example)
			continue
		}
		for _, pair := range theme.HardToRead(themes.Readable) {
			t.Errorf("%s\n%s", pair, example)
		}
	}
}
