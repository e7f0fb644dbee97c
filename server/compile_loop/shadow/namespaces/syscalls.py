"""The few Linux calls that Python 3.10 does not offer: namespaces, mounts, Landlock. Each raises `OSError`."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MS_SLAVE = 1 << 19
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
CAP_SYS_ADMIN = 21

PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

# The same numbers on every architecture but Alpha.
_SYS_MOUNT_SETATTR = 442
_SYS_LANDLOCK_CREATE_RULESET = 444
_SYS_LANDLOCK_ADD_RULE = 445
_SYS_LANDLOCK_RESTRICT_SELF = 446
_AT_FDCWD = -100
_MOUNT_ATTR_RDONLY = 1

_libc = ctypes.CDLL(None, use_errno=True)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones."""
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int) -> None:
    """Enter the namespace that a file below `/proc/PID/ns` stands for."""
    _check(_libc.setns(descriptor, kind), "setns")


def mount(source: bytes, target: bytes, kind: bytes, flags: int, options: bytes = b"") -> None:
    """Mount; the arguments are those of mount(2)."""
    _check(
        _libc.mount(source, target, kind or None, ctypes.c_ulong(flags), options or None), f"mount {os.fsdecode(kind)}"
    )


def unmount(target: bytes) -> None:
    """Take a mount off its place at once; what still uses it keeps it alive."""
    _check(_libc.umount2(target, MNT_DETACH), "umount")


def make_read_only(target: bytes) -> None:
    """Make one mount read-only, its other attributes kept (Linux 5.12)."""
    wanted = _MountAttributes(attr_set=_MOUNT_ATTR_RDONLY)
    _check(
        _libc.syscall(
            ctypes.c_long(_SYS_MOUNT_SETATTR),
            ctypes.c_int(_AT_FDCWD),
            ctypes.c_char_p(target),
            ctypes.c_uint(0),
            ctypes.byref(wanted),
            ctypes.c_size_t(ctypes.sizeof(wanted)),
        ),
        "mount_setattr",
    )


def landlock_version() -> int:
    """The version of Landlock."""
    result = int(_libc.syscall(ctypes.c_long(_SYS_LANDLOCK_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(1)))
    _check(min(result, 0), "landlock")
    return result


def landlock_ruleset(handled: int) -> int:
    """A new set of rules over the accesses `handled`; returns its descriptor."""
    wanted = ctypes.c_uint64(handled)
    result = int(
        _libc.syscall(
            ctypes.c_long(_SYS_LANDLOCK_CREATE_RULESET), ctypes.byref(wanted), ctypes.c_size_t(8), ctypes.c_uint(0)
        )
    )
    _check(min(result, 0), "landlock")
    return result


def landlock_allow(ruleset: int, folder: int, allowed: int) -> None:
    """Allow accesses below a folder that is open as `folder`."""
    rule = _PathBeneath(allowed, folder)
    _check(
        _libc.syscall(
            ctypes.c_long(_SYS_LANDLOCK_ADD_RULE),
            ctypes.c_int(ruleset),
            ctypes.c_int(1),
            ctypes.byref(rule),
            ctypes.c_uint(0),
        ),
        "landlock",
    )


def landlock_restrict(ruleset: int) -> None:
    """Put this process, and all that it starts, under the rules. It cannot gain rights by a program any more."""
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0), "prctl")
    _check(
        _libc.syscall(ctypes.c_long(_SYS_LANDLOCK_RESTRICT_SELF), ctypes.c_int(ruleset), ctypes.c_uint(0)), "landlock"
    )


def watcher() -> int:
    """A descriptor from which the events of watched files can be read, without waiting."""
    result = int(_libc.inotify_init1(ctypes.c_int(os.O_NONBLOCK | os.O_CLOEXEC)))
    _check(min(result, 0), "inotify_init1")
    return result


def watch(descriptor: int, path: bytes, events: int) -> int:
    """Have a file or folder watched, beside what is watched already; returns its number in the events."""
    result = int(_libc.inotify_add_watch(ctypes.c_int(descriptor), ctypes.c_char_p(path), ctypes.c_uint32(events)))
    _check(min(result, 0), "inotify_add_watch")
    return result


def die_with_parent(number: int) -> None:
    """Get signal `number` when the parent ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number), 0, 0, 0), "prctl")


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own."""
    _check(_libc.prctl(PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0), "prctl")


def give_up_capability(number: int) -> None:
    """No program that this process starts can have the capability."""
    _check(_libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(number), 0, 0, 0), "prctl")


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
