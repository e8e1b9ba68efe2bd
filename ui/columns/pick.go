package columns

// Pick chooses the selected card together with others, or takes it out again.
func (b *Board) Pick() {
	if b.sel == "" {
		return
	}
	if b.picked[b.sel] {
		delete(b.picked, b.sel)
	} else {
		b.picked[b.sel] = true
	}
	b.anchor = b.sel
}

// PickCard chooses a card of that id, wherever it stands.
func (b *Board) PickCard(id string) { b.picked[id] = true }

// PickRange chooses every card between the one that was picked last and the
// selected one, if they stand in one column.
func (b *Board) PickRange() bool {
	col, from, found := b.find(b.anchor)
	if !found || col != b.col {
		return false
	}
	for row := min(from, b.row); row <= max(from, b.row); row++ {
		b.picked[b.lists[col].cards[row].ID] = true
	}
	return true
}

// Unpick lets go of all chosen cards.
func (b *Board) Unpick() { clear(b.picked) }

// Picked lists the chosen cards as they stand on the board.
func (b *Board) Picked() []string {
	var ids []string
	for _, l := range b.lists {
		for _, c := range l.cards {
			if b.picked[c.ID] {
				ids = append(ids, c.ID)
			}
		}
	}
	return ids
}
