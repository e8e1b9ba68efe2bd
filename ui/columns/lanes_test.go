package columns

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/hermes-tui/hermes-tui/core"
)

// laned is a board of several owners.
func laned(n int) *Board {
	cards := many(n)
	for i := range cards {
		cards[i].Assignee = []string{"dev", "ops", "", "docs"}[i%7%4]
	}
	b := newBoard(cards)
	b.SetLanes(true)
	return b
}

func TestLanesKeepTheSelectionInSight(t *testing.T) {
	b := laned(300)
	random := rand.New(rand.NewSource(3))
	for range 400 {
		switch random.Intn(5) {
		case 0:
			b.MoveColumn(1)
		case 1:
			b.MoveColumn(-1)
		case 2:
			b.CycleDensity()
		default:
			b.MoveRow(random.Intn(9) - 4)
		}
		s := slots(b, 22)
		lines := b.View(s, 30, now)
		if len(lines) != 30 {
			t.Fatalf("%d lines", len(lines))
		}
		seen := false
		for _, line := range lines {
			if got, want := ansi.StringWidth(line), len(s)*23-1; got != want {
				t.Fatalf("a line takes %d cells, want %d", got, want)
			}
			seen = seen || strings.Contains(ansi.Strip(line), b.signs.Bar)
		}
		if !seen {
			t.Fatalf("%s (%s) is out of sight:\n%s", b.sel, b.density, plainView(b, 22, 30))
		}
		b.Forget()
		if diff := cmp.Diff(b.View(s, 30, now), lines); diff != "" {
			t.Fatalf("the kept lines are wrong:\n%s", diff)
		}
	}
}

func TestLanesHaveEveryCardOnce(t *testing.T) {
	b := laned(60)
	all := plainView(b, 22, 2000)
	for id := range b.snap.ByID {
		if n := strings.Count(all, id); n != 1 {
			t.Errorf("%s is drawn %d times", id, n)
		}
	}
	order := []int{strings.Index(all, "─ dev "), strings.Index(all, "─ docs "), strings.Index(all, "─ ops "), strings.Index(all, "─ nobody ")}
	if !slices.IsSorted(order) || order[0] < 0 {
		t.Errorf("the lanes are at %v:\n%s", order, all)
	}
}

func TestMovingSidewaysStaysInTheLane(t *testing.T) {
	b := laned(300)
	for range 40 {
		owner := b.Selected().Assignee
		b.MoveColumn(1)
		if got := b.Selected().Assignee; got != owner {
			t.Errorf("from the lane of %q to that of %q", owner, got)
		}
		b.MoveRow(3)
		b.CycleColumn(1)
	}
}

func TestCardUnderTheMouseIsTheOneThatIsDrawnThere(t *testing.T) {
	for _, lanes := range []bool{false, true} {
		b := laned(80)
		b.SetLanes(lanes)
		b.MoveRow(5)
		s := slots(b, 22)
		for y, line := range strings.Split(plainView(b, 22, 30), "\n") {
			for _, slot := range s {
				cell := line
				if len([]rune(cell)) <= slot.X+1 {
					continue
				}
				words := strings.Fields(string([]rune(cell)[slot.X+1:]))
				if len(words) == 0 || !strings.HasPrefix(words[0], "t_") || len(words[0]) != 10 {
					continue
				}
				if got := b.CardAt(s, slot.X+2, y, 30); got != words[0] {
					t.Errorf("lanes %v: at %d,%d is %s, not %q", lanes, slot.X+2, y, words[0], got)
				}
			}
		}
	}
}

func TestOrders(t *testing.T) {
	at := func(id string, created, beat int64) core.Card {
		return core.Card{ID: id, Title: "title of " + id, Status: core.Ready, CreatedAt: created, Heartbeat: beat, Priority: created % 2}
	}
	b := newBoard([]core.Card{at("c", 1, 50), at("a", 2, 0), at("b", 3, 9)})
	for order, want := range map[Order]string{Usual: "b c a", Oldest: "c a b", Newest: "b a c", ByTitle: "a b c", Latest: "c b a"} {
		b.SetOrder(order)
		var ids []string
		for _, l := range b.lists {
			for _, c := range l.cards {
				ids = append(ids, c.ID)
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
		if OrderNamed(order.String()) != order {
			t.Errorf("%s is not found by its name", order)
		}
	}
	if OrderNamed("nosuch") != Usual || DensityNamed("nosuch") != Normal || BadgeNamed("nosuch") != NoBadge {
		t.Error("an unknown name is not the usual")
	}
}

func TestChosenColumnsInTheirOrder(t *testing.T) {
	b := newBoard(append(many(40), core.Card{ID: "t_odd", Status: "from a newer Hermes"}))
	b.SetColumns([]core.Status{core.Done, core.Running})
	var got []core.Status
	for _, h := range b.Heads() {
		got = append(got, h.Status)
	}
	if want := []core.Status{core.Done, core.Running, core.Other}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v: cards of an unknown status are never left out", got, want)
	}
}

func TestPickedCards(t *testing.T) {
	b := newBoard(many(80))
	first := b.Selected().ID
	if b.PickRange() {
		t.Error("a range without a beginning")
	}
	b.Pick()
	b.MoveRow(3)
	b.PickRange()
	if got := b.Picked(); len(got) != 4 || got[0] != first {
		t.Errorf("picked %v", got)
	}
	b.MoveColumn(1)
	if b.PickRange() {
		t.Error("a range over two columns")
	}
	cards := many(80)
	cards = slices.DeleteFunc(cards, func(c core.Card) bool { return c.ID == first })
	b.SetSnapshot(core.NewSnapshot(cards))
	if got := b.Picked(); len(got) != 3 {
		t.Errorf("a card that is gone is still picked: %v", got)
	}
	if !strings.Contains(strings.Join(b.View(slots(b, 22), 30, now), ""), b.signs.Picked) {
		t.Error("nothing shows what is picked")
	}
	b.Unpick()
	if len(b.Picked()) > 0 {
		t.Error("still picked")
	}
}

func BenchmarkLanes(b *testing.B) {
	board := laned(10000)
	s := slots(board, 22)
	for b.Loop() {
		board.View(s, 46, now.Add(time.Second))
	}
}
