// Package text makes text from outside fit for a terminal. Everything that a
// board, a log, a file name or a configuration brings is written by others,
// often by programs fed with other people's pages, so it passes through Clean
// before it enters a display model. What comes out holds no control character,
// no escape sequence, nothing that reorders or hides other text, and takes the
// same number of cells in every terminal.
package text
