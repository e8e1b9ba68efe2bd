// Package home knows where things are: the Hermes root and its boards, the
// configuration of Hermes and our own, profiles, lock files and the emergency
// stop. It is the only place that reads the environment, and it reads it once:
// Find takes an Env, a plain value, so that a test can give its own.
//
// Looking changes nothing. Only functions that say so in their name (Create,
// SwitchTo, Archive, Engage, Release, TryLock and their kind) write, and none
// of them touches a board file.
//
// Paths, file formats and defaults are those of Hermes Agent.
package home
