// Package demo is the onboarding world: a real board in a temporary folder, fake
// agents that are real processes started by the real dispatcher, and the faults
// of the field played on purpose. It never touches the person's own boards.
package demo
