package ui

import tea "charm.land/bubbletea/v2"

// viewActions open what is more than the board, and change how things look.
func viewActions() []action {
	view := func(id string, s scope, key, help string, enabled func(*Model) string, run func(*Model) tea.Cmd) action {
		return action{id: id, scope: s, keys: []string{key}, help: help, group: groupViews, enabled: enabled, run: run}
	}
	return []action{
		view("why", anywhere, "w", "what stands between this card and a running worker", canExplain, (*Model).openWhy),
		view("log", anywhere, "L", "what the workers of this card write", canReadLog, (*Model).openLog),
		view("graph", anywhere, "t", "what this card waits for, and what waits for it", needsCard, (*Model).openGraph),
		view("journals", anywhere, "ctrl+j", "results that wait, are late, or could not be trusted", canListJournals, (*Model).openJournals),
		{id: "restore", scope: onPage, keys: []string{"ctrl+r"}, label: "restore", group: groupPage, acts: true,
			help: "take a journal out of the quarantine", enabled: onJournal(quarantinedJournal, "no journal in quarantine is chosen"), run: (*Model).restoreJournal},
		{id: "accept", scope: onPage, keys: []string{"ctrl+a"}, label: "accept", group: groupPage, acts: true,
			help: "accept a late result", enabled: onJournal(lateJournal, "no late result is chosen"), run: (*Model).acceptJournal},
		view("feed", anywhere, "f", "what happened on the board", needsBoard, (*Model).openFeed),
		view("statistics", anywhere, "S", "throughput, cycle time, failures", needsBoard, (*Model).openStats),
		view("boards", anywhere, "b", "the boards of this home", canSwitch, (*Model).openBoards),
		{id: "init", scope: onBoard, keys: []string{"i"}, label: "make this board", help: "make the board whose file is missing", group: groupBoard, acts: true, enabled: canInit, run: (*Model).openInit},
		view("themes", anywhere, "T", "choose a theme", nil, (*Model).openThemes),
		view("order", onBoard, "O", "sort the cards another way", nil, (*Model).cycleOrder),
		view("lanes", onBoard, "M", "a lane for each owner, or none", nil, (*Model).toggleLanes),
		view("pick", onBoard, "space", "choose a card together with others", needsCard, (*Model).pick),
		view("pick-range", onBoard, "v", "choose all cards from the last chosen one to this", needsCard, (*Model).pickRange),
		view("copy-id", anywhere, "y", "copy the card's id", needsCard, (*Model).copyID),
		view("copy-title", anywhere, "Y", "copy the card's title", needsCard, (*Model).copyTitle),
		view("mouse", anywhere, "ctrl+t", "let the mouse select and scroll, or not", nil, (*Model).toggleMouse),
		{id: "undo", scope: anywhere, keys: []string{"ctrl+z"}, help: "undo what was done to a card from here", group: groupCards, acts: true, enabled: canUndo, run: (*Model).undo},
		{id: "redo", scope: anywhere, keys: []string{"ctrl+y"}, help: "do again what was undone", group: groupCards, acts: true, enabled: canRedo, run: (*Model).redo},
	}
}
