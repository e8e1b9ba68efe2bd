package board

import (
	"database/sql"
	"testing"
)

func TestAnOwnerIsNamedInGoAsInSQL(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, assignee := range []string{"", "  ", "Dev", " dev\t", "\u00a0Dev ", "ÉMILE", "İ", "a\x00B", "\xff\xfeQ ", " ẞ x "} {
		var want string
		query := "SELECT " + owner + " FROM (SELECT ? AS assignee)"
		if err := db.QueryRowContext(t.Context(), query, []byte(assignee)).Scan(&want); err != nil {
			t.Fatal(err)
		}
		if got := ownerName(assignee); got != want {
			t.Errorf("the owner %q is %q in Go and %q in SQL", assignee, got, want)
		}
	}
}
