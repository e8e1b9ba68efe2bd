package journal

import (
	"io"
	"maps"
	"slices"
	"syscall"
)

// memFS is a file system in memory that can fail at each operation and that
// knows what a power cut may leave of it: of the changes of names that no sync
// of a directory has covered any subset, of content that no sync of its file has
// covered the old one, half of the new one, zeros or all of it.
type memFS struct {
	machine
	root     *node
	inodes   uint64
	unsynced []change
	now      int64
	mutant   mutant
}

// machine counts the operations of file system and board and breaks the one
// that the plan names.
type machine struct {
	op     int // all operations so far
	writes int // those that may change something
	plan   plan
}

// plan breaks one operation, and stops the program after another.
type plan struct {
	errorAt int // number of an operation; 0 for none
	failure failure
	crashAt int // number of a write; negative for none
}

var peaceful = plan{crashAt: -1}

// failure is how an operation fails.
type failure int

const (
	noSpace failure = iota
	ioError
	ioErrorApplied // it says that it failed, but it did not
	noPermission
	shortWrite // half of it; of operations that write no content the same as noSpace
	failures
)

func (f failure) error() error {
	switch f {
	case noSpace, shortWrite:
		return syscall.ENOSPC
	case noPermission:
		return syscall.EACCES
	}
	return syscall.EIO
}

// crash is what a program dies of in the middle.
type crash struct{}

// do is one operation.
func (m *machine) do(writes bool, effect func() error) error {
	return m.doFailing(writes, effect, func(failure) {})
}

// doFailing is an operation that leaves something behind when it fails.
func (m *machine) doFailing(writes bool, effect func() error, failed func(failure)) error {
	m.op++
	var err error
	if m.op == m.plan.errorAt {
		err = m.plan.failure.error()
		if m.plan.failure == ioErrorApplied {
			_ = effect()
		} else {
			failed(m.plan.failure)
		}
	} else {
		err = effect()
	}
	if writes {
		m.writes++
		if m.writes == m.plan.crashAt {
			panic(crash{})
		}
	}
	return err
}

type node struct {
	ino      uint64
	kind     kind
	mode     uint32
	owner    uint32
	mtime    int64
	target   string
	data     []byte // what programs see
	disk     []byte // what a sync has covered
	dirty    bool
	lost     bool // a sync failed: the system believes that all is written
	reserved int64
	names    map[string]*node // of a directory, as programs see them
	durable  map[string]*node // and as they are on the disk
}

// change is a change of names that is one step for the file system.
type change []entry

type entry struct {
	dir  *node
	name string
	node *node // nil: removed
}

func newMemFS() *memFS {
	m := &memFS{now: 1_750_000_000, machine: machine{plan: peaceful}}
	m.root = m.node(directory)
	return m
}

func (m *memFS) node(k kind) *node {
	m.inodes++
	n := &node{ino: m.inodes, kind: k, mode: 0o600, mtime: m.now * 1e9}
	if k == directory {
		n.mode, n.names, n.durable = 0o700, map[string]*node{}, map[string]*node{}
	}
	return n
}

func (m *memFS) change(c change) {
	for _, e := range c {
		set(e.dir.names, e.name, e.node)
	}
	m.unsynced = append(m.unsynced, c)
}

func set(names map[string]*node, name string, n *node) {
	if n == nil {
		delete(names, name)
	} else {
		names[name] = n
	}
}

// syncDir makes the changes durable that touch a directory. What was done to the
// same names before is history then.
func (m *memFS) syncDir(dir *node) {
	var left []change
	for _, c := range m.unsynced {
		if !slices.ContainsFunc(c, func(e entry) bool { return e.dir == dir }) {
			left = append(left, c)
			continue
		}
		for _, e := range c {
			set(e.dir.durable, e.name, e.node)
			for i := range left {
				left[i] = slices.DeleteFunc(left[i], func(old entry) bool { return old.dir == e.dir && old.name == e.name })
			}
		}
	}
	m.unsynced = slices.DeleteFunc(left, func(c change) bool { return len(c) == 0 })
}

func (m *memFS) links(n *node) uint64 {
	count := uint64(0)
	var walk func(*node)
	walk = func(d *node) {
		for _, child := range d.names {
			if child == n {
				count++
			}
			if child.kind == directory {
				walk(child)
			}
		}
	}
	walk(m.root)
	return count
}

func (m *memFS) info(n *node) Info {
	return Info{Kind: n.kind, Links: m.links(n), Owner: n.owner, Mode: n.mode, Size: int64(len(n.data)),
		Modified: n.mtime, Changed: n.mtime, Device: 1, Inode: n.ino}
}

// copy is the same file system again, with nothing in common.
func (m *memFS) copy() *memFS {
	c := &memFS{now: m.now, inodes: m.inodes, mutant: m.mutant, machine: machine{plan: peaceful}}
	seen := map[*node]*node{}
	var twin func(*node) *node
	names := func(from map[string]*node) map[string]*node {
		to := make(map[string]*node, len(from))
		for name, n := range from {
			to[name] = twin(n)
		}
		return to
	}
	twin = func(n *node) *node {
		if n == nil {
			return nil
		}
		if t := seen[n]; t != nil {
			return t
		}
		t := new(node)
		*t = *n
		seen[n] = t
		t.data, t.disk = slices.Clone(n.data), slices.Clone(n.disk)
		if n.kind == directory {
			t.names, t.durable = names(n.names), names(n.durable)
		}
		return t
	}
	c.root = twin(m.root)
	for _, change := range m.unsynced {
		d := slices.Clone(change)
		for i := range d {
			d[i].dir, d[i].node = twin(d[i].dir), twin(d[i].node)
		}
		c.unsynced = append(c.unsynced, d)
	}
	return c
}

// maxSubset is up to how many unsynced changes all subsets are tried; of more,
// all beginnings and all with one left out.
const maxSubset = 5

// powerCuts returns every file system that may be left when the power fails now.
func (m *memFS) powerCuts() []*memFS {
	var out []*memFS
	for _, survives := range subsets(len(m.unsynced)) {
		var contents int
		for content := 0; content == 0 || content < contents; content++ {
			c := m.copy()
			for i, change := range c.unsynced {
				if survives[i] {
					for _, e := range change {
						set(e.dir.durable, e.name, e.node)
					}
				}
			}
			c.unsynced = nil
			if c.boot(content) {
				contents = 4
			}
			out = append(out, c)
		}
	}
	return out
}

func subsets(n int) [][]bool {
	var out [][]bool
	if n <= maxSubset {
		for bits := range 1 << n {
			s := make([]bool, n)
			for i := range s {
				s[i] = bits>>i&1 == 1
			}
			out = append(out, s)
		}
		return out
	}
	for k := 0; k <= n; k++ {
		first, without := make([]bool, n), make([]bool, n)
		for i := range n {
			first[i], without[i] = i < k, i != k
		}
		out = append(out, first, without)
	}
	return out
}

// boot shows programs what is on the disk. It returns whether any file's content
// was uncertain; content picks what became of it.
func (m *memFS) boot(content int) bool {
	uncertain := false
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.kind == directory {
			n.names = maps.Clone(n.durable)
			for _, child := range n.names {
				walk(child)
			}
			return
		}
		if n.dirty || n.lost {
			uncertain = true
			switch content {
			case 0:
				n.data = slices.Clone(n.disk)
			case 1:
				n.data = n.data[:len(n.data)/2]
			case 2:
				n.data = make([]byte, len(n.data))
			}
		}
		n.disk, n.dirty, n.lost, n.reserved = slices.Clone(n.data), false, false, 0
	}
	walk(m.root)
	return uncertain
}

// memDir is a handle of a directory.
type memDir struct {
	fs *memFS
	at *node
}

func (m *memFS) open() Dir { return &memDir{m, m.root} }

func (d *memDir) find(name string) (*node, error) {
	if name == "." {
		return d.at, nil
	}
	if n := d.at.names[name]; n != nil {
		return n, nil
	}
	return nil, syscall.ENOENT
}

func (d *memDir) Enter(name string) (Dir, error) {
	var inside *memDir
	err := d.fs.do(false, func() error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		if n.kind != directory {
			return syscall.ENOTDIR
		}
		inside = &memDir{d.fs, n}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return inside, nil
}

func (d *memDir) Make(name string) error {
	return d.fs.do(true, func() error {
		if d.at.names[name] != nil {
			return syscall.EEXIST
		}
		d.fs.change(change{{d.at, name, d.fs.node(directory)}})
		return nil
	})
}

func (d *memDir) Create(name string) (File, error) {
	var f *memFile
	err := d.fs.do(true, func() error {
		if d.at.names[name] != nil {
			return syscall.EEXIST
		}
		n := d.fs.node(regular)
		d.fs.change(change{{d.at, name, n}})
		f = &memFile{fs: d.fs, node: n}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *memDir) Open(name string) (File, error) {
	var f *memFile
	err := d.fs.do(false, func() error {
		n, err := d.find(name)
		if err == nil && n.kind == symlink {
			err = syscall.ELOOP
		}
		f = &memFile{fs: d.fs, node: n}
		return err
	})
	if err != nil && d.fs.mutant == quarantineOnErrors {
		return nil, &fault{"unreadable", err.Error()}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *memDir) Lstat(name string) (Info, error) {
	var info Info
	err := d.fs.do(false, func() error {
		n, err := d.find(name)
		if err == nil {
			info = d.fs.info(n)
		}
		return err
	})
	return info, err
}

func (d *memDir) Readlink(name string) (string, error) {
	var target string
	err := d.fs.do(false, func() error {
		n, err := d.find(name)
		if err == nil {
			target = n.target
		}
		return err
	})
	return target, err
}

func (d *memDir) Unlink(name string) error {
	return d.fs.do(true, func() error {
		if d.at.names[name] == nil {
			return syscall.ENOENT
		}
		d.fs.change(change{{d.at, name, nil}})
		return nil
	})
}

func (d *memDir) RenameNew(name string, to Dir, as string) error {
	target := to.(*memDir)
	return d.fs.do(true, func() error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		if target.at.names[as] != nil {
			return errTaken
		}
		d.fs.change(change{{d.at, name, nil}, {target.at, as, n}})
		return nil
	})
}

func (d *memDir) Names() ([]string, error) {
	var names []string
	err := d.fs.do(false, func() error {
		names = slices.Sorted(maps.Keys(d.at.names))
		return nil
	})
	return names, err
}

func (d *memDir) Chmod(mode uint32) error {
	return d.fs.do(true, func() error { d.at.mode = mode; return nil })
}

func (d *memDir) Sync() error {
	if d.fs.mutant == noDirSync {
		return nil
	}
	return d.fs.do(true, func() error { d.fs.syncDir(d.at); return nil })
}

func (d *memDir) Lock(name string) (io.Closer, error) {
	err := d.fs.do(true, func() error {
		if d.at.names[name] == nil {
			d.fs.change(change{{d.at, name, d.fs.node(regular)}})
		}
		return nil
	})
	return io.NopCloser(nil), err
}

func (d *memDir) Close() error { return nil }

// memFile is a handle of a file.
type memFile struct {
	fs   *memFS
	node *node
	read int
}

func (f *memFile) Read(p []byte) (int, error) {
	n := 0
	err := f.fs.do(false, func() error {
		n = copy(p, f.node.data[min(f.read, len(f.node.data)):])
		f.read += n
		if n == 0 {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (f *memFile) Write(p []byte) (int, error) {
	put := func(p []byte) {
		f.node.data = append(f.node.data, p...)
		f.node.dirty = true
	}
	done := 0
	err := f.fs.doFailing(true, func() error {
		put(p)
		done = len(p)
		return nil
	}, func(how failure) {
		if how == shortWrite {
			put(p[:len(p)/2])
			done = len(p) / 2
		}
	})
	return done, err
}

func (f *memFile) Stat() (Info, error) {
	var info Info
	err := f.fs.do(false, func() error { info = f.fs.info(f.node); return nil })
	return info, err
}

func (f *memFile) Chmod(mode uint32) error {
	return f.fs.do(true, func() error { f.node.mode = mode; return nil })
}

func (f *memFile) Allocate(bytes int64) error {
	return f.fs.do(true, func() error { f.node.reserved = bytes; return nil })
}

func (f *memFile) Release() error {
	return f.fs.do(true, func() error { f.node.reserved = 0; return nil })
}

// Sync that fails clears "dirty" without having written, as kernels do.
func (f *memFile) Sync() error {
	if f.fs.mutant == noFileSync {
		return nil
	}
	sync := func() error {
		return f.fs.doFailing(true, func() error {
			if f.node.dirty {
				f.node.disk, f.node.dirty = slices.Clone(f.node.data), false
			}
			return nil
		}, func(failure) {
			f.node.lost, f.node.dirty = f.node.lost || f.node.dirty, false
		})
	}
	err := sync()
	if err != nil && f.fs.mutant == retrySync {
		return sync()
	}
	return err
}

func (f *memFile) Close() error { return f.fs.do(false, func() error { return nil }) }

// mutant is a deliberate breakage that the schedules must catch.
type mutant int

const (
	sound mutant = iota
	noFileSync
	noDirSync
	retrySync
	commitFirst        // the file is renamed to committed before the board commits
	blockOnDirSync     // an unconfirmed name blocks the card
	noRunGuard         // a result goes to whatever run the card has
	lateToNewer        // a result is applied although a newer run exists
	normalUnverified   // commits are not synced, and nobody compares
	quarantineOnErrors // what cannot be read is put aside
	mutants
)

func (m mutant) String() string {
	return []string{
		"sound", "no file sync", "no directory sync", "retry sync on the same handle", "committed before the board commits",
		"blocked on a directory sync error", "no exact-run guard", "late result applied although a newer run exists",
		"NORMAL without verification", "quarantine on errors",
	}[m]
}

func sortedNames(n *node) []string { return slices.Sorted(maps.Keys(n.names)) }
