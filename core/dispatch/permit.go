package dispatch

import (
	"errors"
	"fmt"
)

// ErrWatching: this tick may not dispatch, for a reason that is no failure: an
// emergency stop, a pause, a network file system, or a Hermes gateway that
// dispatches on this home.
var ErrWatching = errors.New("only watching")

// ErrNetworkFS: the board lies where locks cannot be trusted between machines.
// Unlike the other reasons to watch it does not go away by itself.
var ErrNetworkFS = fmt.Errorf("%w, for locks cannot be trusted there", ErrWatching)

// mayDispatch looks for what forbids dispatching here. why is the reason in one
// line; the error wraps ErrWatching then, and no ErrWatching where the reason
// could not be looked for.
func (d *Dispatcher) mayDispatch(o Options) (why string, err error) {
	if remote, kind, err := d.networkFS(); err != nil {
		return "", err
	} else if remote {
		why := networkWords(kind)
		return why, fmt.Errorf("%s: %w; allow it with --allow-network-fs or allow_network_fs in the settings", why, ErrNetworkFS)
	}
	for _, hindered := range []func() string{d.stopGate, d.pauseGate} {
		if why := hindered(); why != "" {
			return why, fmt.Errorf("%s: %w", why, ErrWatching)
		}
	}
	if o.LanesOnly {
		return "", nil
	}
	held, err := d.Home.GatewayHolds()
	if err != nil {
		return "", fmt.Errorf("cannot tell whether a Hermes gateway dispatches here, so this program does not: %w", err)
	}
	if held {
		return gatewayWords, fmt.Errorf("%s: %w", gatewayWords, ErrWatching)
	}
	return "", nil
}

const gatewayWords = "a Hermes gateway dispatches here"

// networkFS asks what the board lies on. A file system that cannot be asked is
// an error: nobody then knows what its locks are worth.
func (d *Dispatcher) networkFS() (remote bool, kind string, err error) {
	if d.NetworkFS == nil {
		return false, "", nil
	}
	remote, kind, err = d.NetworkFS(d.Place.DB)
	if err != nil {
		err = fmt.Errorf("cannot tell whether the board's locks can be trusted, so this program does not dispatch: %w", err)
	}
	return remote, kind, err
}

func networkWords(kind string) string {
	return fmt.Sprintf("network file system (%s): viewing only, dispatching is off", kind)
}

func (d *Dispatcher) stopGate() string {
	if stopped, why := d.Home.Stopped(d.Now()); stopped {
		return why
	}
	return ""
}

func (d *Dispatcher) pauseGate() string {
	if paused, why := d.Place.Paused(); paused {
		return why
	}
	return ""
}
