// Package columns is the board itself: columns as virtual lists of cards. Only
// the cards that can be seen are drawn, from lines that are kept until
// something they show changes. The selection is a card's id, so it stays on the
// card while the board changes under it.
package columns
