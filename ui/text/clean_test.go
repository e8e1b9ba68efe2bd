package text

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

func TestCleanMakesOneHarmlessLine(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Fix the login flow", "Fix the login flow"},
		{"clear screen", "clear\x1b[2J\x1b[H title", "clear␛␛ title"},
		{"window title", "title\x1b]0;PWNED\aset", "title␛set"},
		{"clipboard", "clip\x1b]52;c;cm0gLXJm\a", "clip␛"},
		{"hyperlink", "link \x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "link ␛click␛"},
		{"query and device control", "ask \x1b[6n \x1bP$q\"p\x1b\\", "ask ␛ ␛"},
		{"eight-bit sequence", "c1 \u009b31m red", "c1 ␛ red"},
		{"eight-bit byte", "c1 \x9b31m", "c1 �31m"},
		{"character set", "\x1b(Bx", "␛x"},
		{"terminal reset", "bye\x1bc", "bye␛"},
		{"endless sequence keeps its text", "a\x1b]0;rest", "a␛0;rest"},
		{"endless CSI keeps its text", "a\x1b[31", "a␛31"},
		{"carriage return and bell", "cr\rOVER\b\a", "cr␍OVER␈␇"},
		{"nul and delete", "a\x00b\x7f", "a␀b␡"},
		{"line breaks", "line1\nline2\r\nline3\ttab\n", "line1↵line2↵line3 tab"},
		{"separators", "a\u2028b\u0085c", "a↵b↵c"},
		{"reordering", "bidi \u202egpj.exe\u202c \u2066x\u2069\u200f", "bidi gpj.exe x"},
		{"zero width", "ze\u200bro\ufeff wi\u200cdth\u2060", "zero width"},
		{"tags", "tag \U000e0001\U000e0041", "tag "},
		{"invalid", "a\xff\xc3(", "a��("},
		{"family", "👨\u200d👩\u200d👧!", "👨👩👧!"},
		{"heart", "❤\ufe0f", "❤"},
		{"skin tone", "👍🏽", "👍"},
		{"flag", "🇩🇪", "DE"},
		{"keycap", "1\ufe0f\u20e3", "1"},
		{"accent stays", "e\u0301tude", "e\u0301tude"},
		{"stacked marks", "z" + strings.Repeat("\u0301", 40), "z"},
		{"lone mark", "\u0301a", "�a"},
		{"wide", "日本語", "日本語"},
		{"hebrew stays in order", "שלום", "שלום"},
		{"wide space", "a\u3000b\u00a0c", "a  b c"},
		{"private use", "\ue0b0", "\ue0b0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCleanLinesKeepsLines(t *testing.T) {
	got := CleanLines("a\r\nb\tc\r\x1b[31md\n\n日本")
	if want := "a\nb    c␍␛d\n\n日本"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCommonScriptsSurvive guards against a rule that is too broad: letters of
// living scripts and ordinary symbols come through as they are.
func TestCommonScriptsSurvive(t *testing.T) {
	for _, s := range []string{"Straße façade", "Привет мир", "Ελληνικά", "한국어 카드", "中文看板", "ไทย", "العربية", "→ ✓ ↻ ⚠ ♥ … ± × “quoted”", "🔐🚀"} {
		if got := Clean(s); got != s {
			t.Errorf("Clean(%q) = %q", s, got)
		}
	}
}

func harmless(t *testing.T, in, out string, lines bool) {
	t.Helper()
	for _, r := range out {
		if r == '\n' && lines {
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			t.Fatalf("%q came out as %q, which holds %U", in, out, r)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if g, w := ansi.StringWidth(line), ansi.StringWidthWc(line); g != w {
			t.Fatalf("%q came out as %q, measured %d and %d cells", in, line, g, w)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31mb\x1b[m", "\x1b]8;;x\x1b\\y", "\u009b1m\x9b", "👨‍👩‍👧‍👦 🇩🇪 1️⃣", "क्षि स्ते", "\u1100\u1161\u11a8", "a\u0300\u0301", "\u0600\u0601x", "\r\n\t\v"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		harmless(t, in, out, false)
		if again := Clean(out); again != out {
			t.Fatalf("not settled: %q, then %q, then %q", in, out, again)
		}
		lines := CleanLines(in)
		harmless(t, in, lines, true)
		if again := CleanLines(lines); again != lines {
			t.Fatalf("lines not settled: %q, then %q, then %q", in, lines, again)
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{"ascii": "Fix the login flow after the session moved", "wide": "日本語のタイトル 🔐 café"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Clean(s)
			}
		})
	}
}
