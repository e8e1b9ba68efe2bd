package ui

import (
	"fmt"
	"testing"
)

func (r Rect) within(w, h int) bool {
	return r.X >= 0 && r.Y >= 0 && r.W >= 0 && r.H >= 0 && r.X+r.W <= w && r.Y+r.H <= h
}

func (r Rect) overlaps(o Rect) bool {
	return r.W > 0 && r.H > 0 && o.W > 0 && o.H > 0 && r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

func checkLayout(t *testing.T, w, h int, in LayoutInput) {
	t.Helper()
	l := Arrange(w, h, in)
	if small := w < 40 || h < 8; l.TooSmall != small {
		t.Fatalf("%dx%d: too small is %v", w, h, l.TooSmall)
	}
	if l.TooSmall {
		return
	}
	parts := map[string]Rect{"header": l.Header, "banners": l.Banners, "strip": l.Strip, "board": l.Board, "page": l.Page, "message": l.Message, "footer": l.Footer}
	area := 0
	for a, r := range parts {
		if !r.within(w, h) {
			t.Fatalf("%dx%d %+v: %s leaves the screen: %+v", w, h, in, a, r)
		}
		area += r.W * r.H
		for b, o := range parts {
			if a < b && r.overlaps(o) {
				t.Fatalf("%dx%d %+v: %s %+v and %s %+v overlap", w, h, in, a, r, b, o)
			}
		}
	}
	if divider := h * w; area > divider {
		t.Fatalf("%dx%d: %d cells are given out", w, h, area)
	}
	x, focused := 0, false
	for i, s := range l.Slots {
		if s.X != x || s.Width < 1 {
			t.Fatalf("%dx%d %+v: slot %d is %+v, want it at %d", w, h, in, i, s, x)
		}
		x += s.Width + 1
		focused = focused || s.Column == in.Focus
	}
	if len(l.Slots) > 0 && x-1 != l.Board.W {
		t.Fatalf("%dx%d %+v: the columns take %d of %d cells", w, h, in, x-1, l.Board.W)
	}
	if len(l.Slots) > 0 && in.Filled[in.Focus] && !focused {
		t.Fatalf("%dx%d %+v: the focus is not shown", w, h, in)
	}
	if w < 60 && len(l.Slots) > 1 {
		t.Fatalf("%dx%d: %d columns", w, h, len(l.Slots))
	}
}

func TestLayoutHoldsAtEverySize(t *testing.T) {
	fills := [][]bool{
		{true, true, true, true, true, true, true, true},
		{false, false, true, false, true, false, false, true},
		{false, false, false, false, false, false, false, false},
		{true, true, true, true, true, true, true, true, true, true},
	}
	for w := 0; w <= 300; w++ {
		for _, h := range []int{0, 1, 5, 7, 8, 9, 15, 16, 24, 40, 100} {
			for i, filled := range fills {
				for _, page := range []bool{false, true} {
					checkLayout(t, w, h, LayoutInput{Filled: filled, Focus: (w + h + i) % len(filled), First: w % 9, Page: page, Banners: (w + h) % 4})
				}
			}
		}
	}
	for w := 20; w <= 300; w += 7 {
		for h := 5; h <= 100; h++ {
			checkLayout(t, w, h, LayoutInput{Filled: fills[0], Focus: h % 8, Page: w%2 == 0, Banners: 1})
		}
	}
}

func TestFewColumnsFollowTheFocus(t *testing.T) {
	filled := []bool{true, true, true, false, true, true, true, true}
	first := 0
	for _, step := range []struct {
		focus int
		want  string
	}{{0, "[0 1 2]"}, {2, "[0 1 2]"}, {4, "[1 2 4]"}, {7, "[5 6 7]"}, {6, "[5 6 7]"}, {2, "[2 4 5]"}} {
		l := Arrange(80, 24, LayoutInput{Filled: filled, Focus: step.focus, First: first})
		var got []int
		for _, s := range l.Slots {
			got = append(got, s.Column)
		}
		if fmt.Sprint(got) != step.want {
			t.Errorf("focus %d: %v, want %s", step.focus, got, step.want)
		}
		if l.Strip.H != 1 {
			t.Error("no strip of counts")
		}
		first = l.First
	}
}
