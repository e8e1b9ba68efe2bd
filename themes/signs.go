package themes

// Signs are the shapes that carry meaning without colour. Each takes exactly
// one cell in every terminal.
type Signs struct {
	Reconciled, Quarantined   string
	Heart, Run, Next, Waits   string
	Blocked, Review, Done     string
	Attention, Held, Comments string
	Up, Down, Left, Right     string
	Bar, BarFlash             string // beside the selected card, beside a flashing one
	Rule, RuleFocus           string
	Divider, Tee              string
	Dot, Ellipsis             string
	TopLeft, TopRight         string
	BottomLeft, BottomRight   string
	Wall                      string
	Branch, LastBranch, Trunk string
	Steps                     [8]string // a column of a plot, from low to high
	Picked                    string    // a card chosen together with others
}

// Unicode is the ordinary set.
var Unicode = Signs{
	Reconciled: "↻", Quarantined: "⚠",
	Heart: "♥", Run: "●", Next: "▸", Waits: "◷",
	Blocked: "■", Review: "◆", Done: "✓",
	Attention: "!", Held: "‖", Comments: "¶",
	Up: "↑", Down: "↓", Left: "←", Right: "→",
	Bar: "▌", BarFlash: "█",
	Rule: "─", RuleFocus: "━", Divider: "│", Tee: "┬",
	Dot: "·", Ellipsis: "…",
	TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯", Wall: "│",
	Branch: "├", LastBranch: "└", Trunk: "│",
	Steps: [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, Picked: "◉",
}

// ASCII is for terminals whose character set lacks the shapes.
var ASCII = Signs{
	Reconciled: "@", Quarantined: "!",
	Heart: "h", Run: "*", Next: ">", Waits: "~",
	Blocked: "#", Review: "?", Done: "+",
	Attention: "!", Held: "=", Comments: "c",
	Up: "^", Down: "v", Left: "<", Right: ">",
	Bar: "|", BarFlash: "#",
	Rule: "-", RuleFocus: "=", Divider: "|", Tee: "+",
	Dot: "-", Ellipsis: "~",
	TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+", Wall: "|",
	Branch: "+", LastBranch: "`", Trunk: "|",
	Steps: [8]string{"_", ".", ":", "-", "=", "+", "*", "#"}, Picked: "x",
}

// Words is for text that is read line by line, perhaps aloud: where words say it
// already there is no sign. It is of no use for frames.
var Words = words()

func words() Signs {
	s := ASCII
	s.Reconciled, s.Quarantined, s.Blocked, s.Review, s.Done, s.Waits, s.Held = "", "", "", "", "", "", ""
	s.Run, s.Heart, s.Attention, s.Comments = "for", "heartbeat", "attention:", "comments "
	s.Dot, s.Ellipsis, s.Up, s.Down = ",", "...", "up", ""
	return s
}
