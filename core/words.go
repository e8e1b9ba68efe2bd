package core

import "fmt"

// Count says how many there are of something: "1 card", "2 cards".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
