package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Why a file went to quarantine, as the card and the list say it.
const (
	reasonName      = "malformed-name"
	reasonMalformed = "malformed-payload"
	reasonDigest    = "digest-mismatch"
	reasonForeign   = "foreign"
	reasonEmpty     = "empty-result"
	reasonNoResult  = "not-a-result"
	reasonTooBig    = "too-big"
	reasonLinks     = "hard-links"
	reasonOwner     = "wrong-owner"
	reasonWritable  = "writable-by-others"
)

var (
	errGone     = errors.New("the file is gone")
	errMoved    = errors.New("the file changed while it was looked at")
	errNoAccess = errors.New("the file cannot be read")
)

// held is a record together with the file it was read from.
type held struct {
	Record
	info Info
}

// read reads and checks a journal in the folder. A *fault says that it must not
// be trusted; errNewer, errGone, errMoved and errors of the file system say
// nothing about the record.
func (f *Folder) read(file string, name Name) (held, error) {
	info, data, err := readFile(f.dir, file, f.trusts)
	if err != nil {
		return held{info: info}, err
	}
	r, err := decode(data)
	if err == nil {
		err = r.agree(f.slug, name)
	}
	if err == nil && r.WrittenAt == 0 {
		r.WrittenAt = info.Modified / 1e9
	}
	return held{r, info}, err
}

// hide takes the rights of others to read a record away: it may hold what is not
// for everybody. Failing changes nothing.
func (f *Folder) hide(file string, seen Info) {
	if seen.Mode == 0o600 {
		return
	}
	h, err := f.dir.Open(file)
	if err != nil {
		return
	}
	defer h.Close()
	if now, err := h.Stat(); err == nil && now.sameFile(seen) {
		_ = h.Chmod(0o600)
	}
}

// still fails when the name leads to another file by now, or to another content.
func (f *Folder) still(file string, seen Info) error {
	now, err := f.dir.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err == nil && !unmoved(now, seen) {
		err = errMoved
	}
	return err
}

func unmoved(now, seen Info) bool {
	return now.Kind == seen.Kind && now.sameFile(seen) && now.Size == seen.Size && now.Modified == seen.Modified
}

// readFile reads a file that must be a regular one of a trusted owner, with one
// name, not writable by others and not too big. It waits for nobody and follows
// nothing; what it returns was one file from the first look to the last.
func readFile(dir Dir, name string, trusts func(uint32) bool) (Info, []byte, error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return info, nil, errGone
	}
	if err != nil {
		return info, nil, err
	}
	if err := trustworthy(info, trusts); err != nil {
		return info, nil, err
	}
	file, err := dir.Open(name)
	if err != nil {
		return info, nil, fmt.Errorf("%w: %w", errNoAccess, err)
	}
	defer file.Close()
	open, err := file.Stat()
	if err == nil && !unmoved(open, info) {
		err = errMoved
	}
	if err != nil {
		return info, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxRecord+1))
	if err != nil {
		return info, nil, err
	}
	if int64(len(data)) != info.Size {
		return info, nil, errMoved
	}
	if after, err := dir.Lstat(name); err != nil || !unmoved(after, info) {
		return info, nil, errMoved
	}
	return info, data, nil
}

// trustworthy refuses what nobody should read a result from.
func trustworthy(info Info, trusts func(uint32) bool) error {
	switch {
	case info.Kind != regular:
		return &fault{string(info.Kind), "it is no regular file"}
	case !trusts(info.Owner):
		return &fault{reasonOwner, fmt.Sprintf("it belongs to user %d", info.Owner)}
	case info.Links != 1:
		return &fault{reasonLinks, fmt.Sprintf("it has %d names", info.Links)}
	case info.Mode&0o022 != 0:
		return &fault{reasonWritable, fmt.Sprintf("others may write to it (mode %04o)", info.Mode)}
	case info.Size > MaxRecord:
		return &fault{reasonTooBig, fmt.Sprintf("it has %d bytes, and %d are the limit", info.Size, MaxRecord)}
	}
	return nil
}

func readAll(file File) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(file, MaxRecord+1))
	if err == nil && len(data) > MaxRecord {
		err = errMoved
	}
	return data, err
}
