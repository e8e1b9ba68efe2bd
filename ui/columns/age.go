package columns

import "strconv"

// unknownAge stands for a moment nobody recorded.
const unknownAge = -1

// bucket rounds the seconds from then to now down to what is shown of them:
// steps of ten under a minute, then minutes, hours and days. A card is drawn
// again only when its bucket changes.
func bucket(now, then int64) int64 {
	if then <= 0 {
		return unknownAge
	}
	age := max(0, now-then)
	switch {
	case age < 60:
		return age - age%10
	case age < 3600:
		return age - age%60
	case age < 86400:
		return age - age%3600
	}
	return age - age%86400
}

// ageText is how a bucket reads: "now", "20s", "5m", "3h", "12d".
func ageText(age int64) string {
	switch {
	case age < 0:
		return ""
	case age < 10:
		return "now"
	case age < 60:
		return strconv.FormatInt(age, 10) + "s"
	case age < 3600:
		return strconv.FormatInt(age/60, 10) + "m"
	case age < 86400:
		return strconv.FormatInt(age/3600, 10) + "h"
	}
	return strconv.FormatInt(age/86400, 10) + "d"
}

// Age tells how long before now a moment was, in the words of the board; empty
// for a moment nobody recorded. Both are seconds since the epoch.
func Age(now, then int64) string { return ageText(bucket(now, then)) }

// Span is how a length of time in seconds reads, exact under two minutes.
func Span(seconds int64) string {
	if seconds < 120 {
		return strconv.FormatInt(max(0, seconds), 10) + "s"
	}
	return ageText(seconds)
}
