package board

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strconv"
)

// row is one row as the driver hands it over. SQLite lets every column hold
// every type, so each value is taken for what it is: nothing in it can make
// reading fail.
type row []driver.Value

// text is the value as text: a blob's bytes as they are, a number in digits,
// NULL as nothing.
func (v row) text(i int) string {
	switch value := v[i].(type) {
	case string:
		return value
	case []byte:
		return string(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	return ""
}

// number is the value as a whole number, zero for NULL, a text or a blob.
func (v row) number(i int) int64 {
	switch value := v[i].(type) {
	case int64:
		return value
	case float64:
		return int64(value)
	}
	return 0
}

// isText and isNumber report whether the value has a type that belongs in a
// column of texts or numbers; NULL does.
func (v row) isText(i int) bool {
	_, blob := v[i].([]byte)
	return !blob
}

func (v row) isNumber(i int) bool {
	switch v[i].(type) {
	case nil, int64, float64:
		return true
	}
	return false
}

// every hands each row of a query to fn, past database/sql, whose conversions
// would cost more than the reading on a board of many cards. The row is valid
// during the call only.
func (r *reader) every(ctx context.Context, query string, fn func(row)) error {
	return r.conn.Raw(func(conn any) error {
		rows, err := conn.(driver.QueryerContext).QueryContext(ctx, query, nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		values := make(row, len(rows.Columns()))
		for {
			if err := rows.Next(values); errors.Is(err, io.EOF) {
				return ctx.Err()
			} else if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			fn(values)
		}
	})
}
