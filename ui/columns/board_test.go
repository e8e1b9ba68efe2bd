package columns

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
	"github.com/hermes-tui/hermes-tui/themes"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func newBoard(cards []core.Card) *Board {
	b := New(themes.Build(themes.Dark), themes.Unicode, false)
	b.SetSnapshot(core.NewSnapshot(slices.Clone(cards)))
	return b
}

// many is a board of n cards spread over the columns.
func many(n int) []core.Card {
	statuses := []core.Status{core.Triage, core.Todo, core.Ready, core.Running, core.Blocked, core.Review, core.Done, core.Scheduled}
	cards := make([]core.Card, n)
	for i := range cards {
		cards[i] = core.Card{ID: fmt.Sprintf("t_%08x", i), Title: fmt.Sprintf("Make the thing number %d work as it should", i), Assignee: "dev",
			Status: statuses[i%len(statuses)], Priority: int64(i % 4), CreatedAt: now.Unix() - int64(i*61), CompletedAt: now.Unix() - int64(i*7),
			ClaimLock: "box:1", WorkerPID: 7, RunStarted: now.Unix() - int64(i*13), Heartbeat: now.Unix() - int64(i%90), Attempts: i % 3, BlockReason: "which key?", Summary: "merged"}
	}
	return cards
}

// slots gives every column of a board an equal width.
func slots(b *Board, width int) []Slot {
	var out []Slot
	for i, h := range b.Heads() {
		out = append(out, Slot{Column: i, X: i * (width + 1), Width: width, Folded: h.Count == 0})
	}
	return out
}

func plainView(b *Board, width, height int) string {
	lines := b.View(slots(b, width), height, now)
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

func TestOnlyVisibleCardsAreDrawn(t *testing.T) {
	b := newBoard(many(8000))
	s := slots(b, 22)
	b.View(s, 42, now)
	visible := 8 * 10 // forty lines hold ten cards of four
	if b.Renders() != visible {
		t.Errorf("%d cards were drawn, %d are visible", b.Renders(), visible)
	}
	b.View(s, 42, now)
	if b.Renders() != visible {
		t.Error("an unchanged view was drawn again")
	}
	b.MoveRow(1)
	b.View(s, 42, now)
	if got := b.Renders() - visible; got != 2 {
		t.Errorf("moving the selection by one drew %d cards", got)
	}
	before := b.Renders()
	changed := many(8000)
	changed[3].Title = "Another title"
	b.SetSnapshot(core.NewSnapshot(changed))
	b.View(s, 42, now)
	if got := b.Renders() - before; got > 1 {
		t.Errorf("one changed card drew %d", got)
	}
	before = b.Renders()
	b.View(s, 42, now.Add(time.Second))
	if got := b.Renders() - before; got > 12 {
		t.Errorf("a second later %d cards were drawn", got)
	}
}

// TestKeptLinesAreWhatAColdRenderDraws changes everything that can change, one
// after the other, and compares with a board that keeps nothing.
func TestKeptLinesAreWhatAColdRenderDraws(t *testing.T) {
	cards := many(400)
	b := newBoard(cards)
	at := now
	width := 22
	random := rand.New(rand.NewSource(7))
	reload := func() { b.SetSnapshot(core.NewSnapshot(slices.Clone(cards))) }
	changes := map[string]func(){
		"nothing":     func() {},
		"title":       func() { cards[random.Intn(80)].Title = fmt.Sprint("title ", random.Int()); reload() },
		"status":      func() { cards[random.Intn(80)].Status = core.Statuses[random.Intn(9)]; reload() },
		"heartbeat":   func() { cards[3].Heartbeat = at.Unix(); reload() },
		"odd value":   func() { cards[random.Intn(40)].Odd = []string{"started_at"}; reload() },
		"odd gone":    func() { cards[random.Intn(40)].Odd = nil; reload() },
		"comments":    func() { cards[random.Intn(80)].Comments++; reload() },
		"children":    func() { cards[random.Intn(80)].Children++; reload() },
		"owner gone":  func() { cards[random.Intn(80)].Assignee = ""; reload() },
		"claim gone":  func() { cards[random.Intn(80)].ClaimLock = ""; reload() },
		"time":        func() { at = at.Add(time.Duration(random.Intn(5000)) * time.Millisecond) },
		"a day":       func() { at = at.Add(24 * time.Hour) },
		"selection":   func() { b.MoveRow(random.Intn(7) - 3) },
		"column":      func() { b.CycleColumn(1) },
		"reconciled":  func() { b.Flash(cards[random.Intn(80)].ID, Reconciled, at) },
		"quarantined": func() { b.Flash(cards[random.Intn(80)].ID, Quarantined, at) },
		"seen":        func() { b.Seen(b.Selected().ID) },
		"next badge":  func() { b.NextBadge(1) },
		"density":     func() { b.CycleDensity() },
		"width":       func() { width = 12 + random.Intn(30) },
		"theme": func() {
			b.SetStyles(themes.Build([]themes.Theme{themes.Dark, themes.Light, themes.Monochrome}[random.Intn(3)]))
		},
		"held":         func() { b.SetFacts(Facts{Held: map[string]string{cards[random.Intn(80)].ID: "survived"}}) },
		"names":        func() { b.SetFacts(Facts{Known: func(string) bool { return random.Intn(2) == 0 }}) },
		"filter":       func() { b.SetFilter(func(c *core.Card) bool { return c.Priority > 1 }) },
		"no filter":    func() { b.SetFilter(nil) },
		"archived":     func() { b.ToggleArchived() },
		"card deleted": func() { cards = slices.Delete(cards, 5, 6); reload() },
	}
	names := make([]string, 0, len(changes))
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	for round := range 600 {
		name := names[random.Intn(len(names))]
		changes[name]()
		b.facts.Known = nil
		warm := b.View(slots(b, width), 40, at)
		b.Forget()
		cold := b.View(slots(b, width), 40, at)
		if diff := cmp.Diff(cold, warm); diff != "" {
			t.Fatalf("round %d, after %q the kept lines are wrong (-cold +kept):\n%s", round, name, diff)
		}
		for _, line := range warm {
			if got, want := ansi.StringWidth(line), len(b.lists)*(width+1)-1; got != want {
				t.Fatalf("after %q a line takes %d cells, want %d: %q", name, got, want, ansi.Strip(line))
			}
		}
	}
}

func TestCardsInTheirDensities(t *testing.T) {
	ago := func(s int64) int64 { return now.Unix() - s }
	cards := []core.Card{
		{ID: "t_1", Title: "Fix the login flow after the session moved", Assignee: "dev", Status: core.Ready, Priority: 5, CreatedAt: ago(11000), Comments: 3},
		{ID: "t_2", Title: "Nobody's", Status: core.Ready, CreatedAt: ago(95)},
		{ID: "t_3", Title: "Port the parser", Assignee: "dev", Status: core.Running, ClaimLock: "b:1", WorkerPID: 1, RunStarted: ago(725), Heartbeat: ago(28), Attempts: 2, Children: 4, DoneChildren: 1},
		{ID: "t_4", Title: "Zombie", Assignee: "dev", Status: core.Running},
		{ID: "t_5", Title: "Rotate keys", Assignee: "ops", Status: core.Blocked, BlockKind: "needs_input", BlockReason: "which vault holds the key?", CreatedAt: ago(90000)},
	}
	b := newBoard(cards)
	b.Flash("t_5", Quarantined, now.Add(-time.Minute))
	b.Select("t_1")
	var s []Slot
	for i, h := range b.Heads() {
		if h.Count > 0 {
			s = append(s, Slot{Column: i, X: len(s) * 25, Width: 24})
		}
	}
	draw := func(height int) string {
		lines := b.View(s, height, now)
		for i := range lines {
			lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
		}
		return strings.Join(lines, "\n")
	}
	want := []string{
		` Ready 2                  Running 2                Blocked 1
━━━━━━━━━━━━━━━━━━━━━━━━┬────────────────────────┬────────────────────────
▌Fix the login flow… P5 │ Port the parser        │ Rotate keys          ⚠
▌t_1 dev             3h │ t_3 dev                │ t_5 ops             1d
▌▸ starts next       ¶3 │ ● 12m  ♥ 20s  try 2    │ ⚠ quarantined
                        │                        │
 Nobody's               │ Zombie                 │
 t_2                 1m │ t_4 dev                │
 ! no owner             │ ! running, unclaimed   │`,
		` Ready 2                  Running 2                Blocked 1
━━━━━━━━━━━━━━━━━━━━━━━━┬────────────────────────┬────────────────────────
▌▸ Fix the login… P5 3h │ ● Port the parser  12m │ ⚠ Rotate keys       1d
 ! Nobody's          1m │ ! Zombie               │`,
		` Ready 2             ↓1   Running 2           ↓1   Blocked 1
━━━━━━━━━━━━━━━━━━━━━━━━┬────────────────────────┬────────────────────────
▌Fix the login flow  P5 │ Port the parser        │ Rotate keys          ⚠
▌after the session mov… │ t_3 dev                │ t_5 ops             1d
▌t_1 dev             3h │ ● 12m  ♥ 20s  try 2    │ ⚠ quarantined
▌▸ starts next       ¶3 │                        │ ■ needs_input: which
▌                       │                        │ vault holds the key?`,
	}
	for i, height := range []int{9, 4, 7} {
		if diff := cmp.Diff(want[i], draw(height)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", b.density, diff, draw(height))
		}
		b.CycleDensity()
	}
}

func TestScrollingShowsWhatLiesOutside(t *testing.T) {
	b := newBoard(many(240)) // thirty in each column
	b.Select(b.lists[3].cards[0].ID)
	b.MoveRow(15)
	view := plainView(b, 22, 42)
	if !strings.Contains(view, "↑7 ↓13") {
		t.Errorf("the counts of cards outside are wrong:\n%s", strings.SplitN(view, "\n", 2)[0])
	}
	top := b.lists[b.col].top
	b.MoveRow(-3)
	plainView(b, 22, 42)
	if b.lists[b.col].top != top {
		t.Error("the column moved though the selection stayed inside")
	}
	b.MoveRow(1 << 30)
	if view := plainView(b, 22, 42); !strings.Contains(view, "↑20") || strings.Contains(strings.SplitN(view, "\n", 2)[0], "↑20 ↓") {
		t.Error("the end of the column is not shown")
	}
}

func TestNextIsTheOldestOfTheHighestPriority(t *testing.T) {
	cards := []core.Card{
		{ID: "t_new", Assignee: "dev", Status: core.Ready, Priority: 5, CreatedAt: 300},
		{ID: "t_old", Assignee: "dev", Status: core.Ready, Priority: 5, CreatedAt: 100},
		{ID: "t_free", Status: core.Ready, Priority: 5, CreatedAt: 50},
		{ID: "t_ghost", Assignee: "ghost", Status: core.Ready, Priority: 9, CreatedAt: 50},
		{ID: "t_held", Assignee: "dev", Status: core.Ready, Priority: 9, CreatedAt: 60},
		{ID: "t_passed", Assignee: "dev", Status: core.Ready, Priority: 9, CreatedAt: 61},
		{ID: "t_low", Assignee: "dev", Status: core.Ready, Priority: 1, CreatedAt: 1},
	}
	b := newBoard(cards)
	b.SetFacts(Facts{Known: func(name string) bool { return name == "dev" }, Held: map[string]string{"t_held": "lease held"}, Passed: map[string]bool{"t_passed": true}})
	if b.next != "t_old" {
		t.Errorf("next is %q", b.next)
	}
}

func TestStrongerBadgeStays(t *testing.T) {
	b := newBoard(many(8))
	b.Flash("t_00000000", Quarantined, now)
	b.Flash("t_00000000", Reconciled, now.Add(time.Hour))
	if b.Badge("t_00000000") != Quarantined {
		t.Error("a repair hides the quarantine")
	}
	b.Flash("t_00000001", Reconciled, now)
	b.Flash("t_00000001", Reconciled, now.Add(time.Second))
	if b.Pulsing(now.Add(3500 * time.Millisecond)) {
		t.Error("a second report of the same tick restarts the pulse")
	}
	b.still = true
	if b.Pulsing(now) {
		t.Error("something moves though motion is off")
	}
}

func TestAges(t *testing.T) {
	for age, want := range map[int64]string{0: "now", 9: "now", 10: "10s", 59: "50s", 60: "1m", 3599: "59m", 3600: "1h", 86399: "23h", 86400: "1d", -5: "now"} {
		if got := Age(now.Unix(), now.Unix()-age); got != want {
			t.Errorf("%d seconds read %q, want %q", age, got, want)
		}
	}
	if Age(now.Unix(), 0) != "" {
		t.Error("an unknown moment has an age")
	}
}

func BenchmarkView(b *testing.B) {
	board := newBoard(many(10000))
	s := slots(board, 24)
	b.Run("kept/10k", func(b *testing.B) {
		for b.Loop() {
			board.View(s, 47, now)
		}
	})
	b.Run("cold/10k", func(b *testing.B) {
		for b.Loop() {
			board.Forget()
			board.View(s, 47, now)
		}
	})
	b.Run("swap/10k", func(b *testing.B) {
		snap := core.NewSnapshot(many(10000))
		for b.Loop() {
			board.SetSnapshot(snap)
		}
	})
}
