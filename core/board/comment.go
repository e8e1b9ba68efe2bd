package board

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// Comment adds a comment to a card and returns its id. Author and text are
// stored without blanks at their ends; neither may be blank.
func (b *Board) Comment(ctx context.Context, target Target, author, body string) (int64, error) {
	what := fmt.Sprintf("comment on task %q", target.ID)
	if strip(body) == "" {
		return 0, fmt.Errorf("%s: %w", what, invalid("the comment has no text"))
	}
	if strip(author) == "" {
		return 0, fmt.Errorf("%s: %w", what, invalid("the comment has no author"))
	}
	var id int64
	err := b.write(ctx, what, func(t *tx) error {
		task, err := t.find(target)
		if err != nil {
			return err
		}
		id, err = t.insert("task_comments", fields{
			{"task_id", task.ID}, {"author", strip(author)}, {"body", strip(body)}, {"created_at", t.now},
		})
		if err != nil {
			return err
		}
		return t.event(task.ID, nil, "commented", target.by(field{"author", author}, field{"len", utf8.RuneCountInString(body)}))
	})
	return id, err
}
