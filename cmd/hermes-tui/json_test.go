package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkJSON looks into the JSON that the last program printed:
//
//	json .results[0].ok == true     equal to a JSON value
//	json .id '~' '^t_'              the text matches
//	json .tasks len 2               so many elements or keys
//	json . keys id,status           exactly these keys
//	json .x none                    there is no such thing
//	json .id as ID                  keep it in a variable
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json PATH OPERATOR [VALUE]")
	}
	var root any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &root); err != nil {
		ts.Fatalf("standard output is not one JSON value: %v\n%s", err, ts.ReadFile("stdout"))
	}
	got, err := dig(root, args[0])
	if args[1] == "none" {
		if err == nil {
			ts.Fatalf("%s is %s", args[0], compact(got))
		}
		return
	}
	ts.Check(err)
	if len(args) != 3 {
		ts.Fatalf("usage: json PATH %s VALUE", args[1])
	}
	if args[1] == "as" {
		ts.Setenv(args[2], plainText(got))
		return
	}
	if !holds(ts, got, args[1], args[2]) {
		ts.Fatalf("%s is %s, want %s %s", args[0], compact(got), args[1], args[2])
	}
}

func holds(ts *testscript.TestScript, got any, operator, want string) bool {
	switch operator {
	case "==":
		var value any
		ts.Check(json.Unmarshal([]byte(want), &value))
		return compact(got) == compact(value)
	case "~":
		return regexp.MustCompile(want).MatchString(plainText(got))
	case "len":
		return strconv.Itoa(size(got)) == want
	case "keys":
		object, _ := got.(map[string]any)
		var names []string
		for name := range object {
			names = append(names, name)
		}
		sort.Strings(names)
		return strings.Join(names, ",") == want
	}
	ts.Fatalf("unknown operator %q", operator)
	return false
}

// dig follows a path such as .results[0].ok
func dig(value any, path string) (any, error) {
	for _, step := range regexp.MustCompile(`[^.\[\]]+`).FindAllString(path, -1) {
		switch v := value.(type) {
		case map[string]any:
			next, found := v[step]
			if !found {
				return nil, fmt.Errorf("no key %q in %s", step, compact(v))
			}
			value = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil, fmt.Errorf("no element %q in %s", step, compact(v))
			}
			value = v[i]
		default:
			return nil, fmt.Errorf("%s holds no %q", compact(v), step)
		}
	}
	return value, nil
}

func size(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return -1
}

func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return compact(v)
}

func compact(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
