package ui

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/hermes-tui/hermes-tui/ui/text"
)

// largestText bounds what is read back from an editor.
const largestText = 4 << 20

// wrote is a text that an editor outside has left.
type wrote struct {
	form  *form
	entry *entry
	text  string
	err   error
}

// editOutside hands a text to the person's editor, which gets the terminal until
// it ends. The file is private and is removed afterwards.
func (m *Model) editOutside(f *form, e *entry) tea.Cmd {
	if m.deps.Editor == nil {
		f.complain = "No editor is known: set EDITOR."
		return nil
	}
	path, err := m.writeDraft(e.area.value())
	if err != nil {
		f.complain = text.Clean(err.Error())
		return nil
	}
	edit := tea.ExecProcess(m.deps.Editor(path), func(err error) tea.Msg {
		defer os.Remove(path)
		w := wrote{form: f, entry: e}
		if err != nil {
			w.err = fmt.Errorf("the editor ended with an error, the text is as it was: %w", err)
			return w
		}
		w.text, w.err = readDraft(path)
		return w
	})
	return tea.Sequence(tea.Raw(ansi.ResetModeLightDark), edit)
}

func (m *Model) writeDraft(words string) (path string, err error) {
	file, err := os.CreateTemp(m.deps.DraftDir, "hermes-tui-*.md")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	_, err = file.WriteString(words)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(file.Name()) // of no use without the text
		return "", fmt.Errorf("write the file for the editor: %w", err)
	}
	return file.Name(), nil
}

func readDraft(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read what the editor wrote: %w", err)
	}
	if info.Size() > largestText {
		return "", fmt.Errorf("read what the editor wrote: %d bytes are too many", info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read what the editor wrote: %w", err)
	}
	return string(data), nil
}

// onWrote puts the text back into its form.
func (m *Model) onWrote(w wrote) {
	m.dirty = true
	if w.err != nil {
		w.form.complain = text.Clean(w.err.Error())
		return
	}
	w.entry.area.set(w.text)
}
