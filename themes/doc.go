// Package themes holds the colours of the screen as data, and the one builder
// that turns a theme into the styles that everything is drawn with. A colour is
// never the only carrier of a meaning: every state also has a sign and a word,
// so that the monochrome theme tells as much as the others.
package themes
