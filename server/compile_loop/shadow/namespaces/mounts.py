"""The mounts of one shadow, made inside its own mount namespace."""

from __future__ import annotations

import errno
import os

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.wire import NOT_ALLOWED

PSEUDO = frozenset(
    b"proc sysfs cgroup cgroup2 devpts devtmpfs mqueue debugfs tracefs securityfs bpf fusectl autofs rpc_pipefs binfmt_misc "
    b"configfs pstore efivarfs hugetlbfs nsfs ramfs tmpfs".split()
)
"""File systems that hold none of a user's files: control files, and memory."""


class MountError(Exception):
    """The overlay cannot be had here; the message says why, for people."""


def mount_points() -> dict[bytes, bytes]:
    """Every mount point that this process sees, with the kind of file system that is on top there."""
    found = {}
    with open("/proc/self/mountinfo", "rb") as table:
        for line in table:
            before, _, after = line.partition(b" - ")
            found[_unescaped(before.split(b" ")[4])] = after.split(b" ")[0]
    return found


def mount_ids() -> dict[bytes, set[int]]:
    """The numbers of the mounts on each mount point; only one of them is on top."""
    found: dict[bytes, set[int]] = {}
    with open("/proc/self/mountinfo", "rb") as table:
        for line in table:
            fields = line.split(b" ")
            found.setdefault(_unescaped(fields[4]), set()).add(int(fields[0]))
    return found


def _unescaped(field: bytes) -> bytes:
    """Spaces, line ends and backslashes are octal in the table."""
    first, *escapes = field.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in escapes)


def is_below(path: bytes, folder: bytes) -> bool:
    """Whether `path` is `folder` or lies in it; both are absolute and resolved."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def enter_namespaces() -> bool:
    """Get a mount namespace of one's own; returns whether it took a user namespace, too. Raises `MountError`."""
    privileged = True
    try:
        system.unshare(system.CLONE_NEWNS)
    except OSError:
        privileged = False
        _unshare_as_user()
    # A file system that the user takes off must not be kept busy here; nothing that is mounted here shows outside.
    system.mount(b"none", b"/", b"", system.MS_REC | system.MS_SLAVE)
    return not privileged


def _unshare_as_user() -> None:
    uid, gid = os.geteuid(), os.getegid()
    try:
        system.unshare(system.CLONE_NEWUSER | system.CLONE_NEWNS)
        _set("/proc/self/setgroups", "deny")
        _set("/proc/self/uid_map", f"{uid} {uid} 1")
        _set("/proc/self/gid_map", f"{gid} {gid} 1")
    except OSError as error:
        raise MountError(f"a private user namespace is {NOT_ALLOWED} ({error.strerror}){_who_forbids()}") from error


def _set(path: str, value: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def _who_forbids() -> str:
    """The kernel setting that is known to forbid it, where it says so."""
    for name, forbidding in (
        ("kernel/unprivileged_userns_clone", "0"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
        ("user/max_user_namespaces", "0"),
    ):
        try:
            with open(f"/proc/sys/{name}") as file:
                if file.read().strip() == forbidding:
                    return f": {name.replace('/', '.')} is {forbidding}"
        except OSError:
            continue
    return ""


def in_first_user_namespace() -> bool:
    """Whether this process may use the attributes that overlays keep for the system's own administrator."""
    with open("/proc/self/uid_map", "rb") as file:
        return file.read().split() == [b"0", b"0", b"4294967295"]


class Overlay:
    """One folder that gets a writable layer over it. Make it before anything is mounted: it remembers what is there now.

    `below` are the folders that show through instead of what is there, the upmost first.
    """

    def __init__(self, place: bytes, below: tuple[bytes, ...] = ()) -> None:
        self.place = place
        self.layers = b""
        """Where its layers lie, once it is mounted: what is written is in `u`."""
        self._below = below
        self._lower = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def mount(self, layers: bytes, label: bytes, own_attributes: bool) -> None:
        """Mount it, its layers in the existing, empty folder `layers`. Raises `MountError`."""
        here = os.open(b"/", os.O_PATH | os.O_CLOEXEC)
        os.chdir(layers)
        try:
            os.mkdir(b"u")
            os.mkdir(b"w")
            lower = b":".join(self._below) or b"/proc/self/fd/%d" % self._lower
            was = os.stat(self._lower)
            os.chmod(b"u", was.st_mode & 0o7777 | 0o700)
            os.utime(b"u", ns=(was.st_atime_ns, was.st_mtime_ns))
            extra = b",userxattr" if own_attributes else b",redirect_dir=on,index=off,metacopy=off"
            if self._below and own_attributes:  # a layer of another overlay may lie below this one
                extra += b",index=off"
            options = b"lowerdir=%s,upperdir=u,workdir=w%s" % (lower, extra)
            try:  # what is written is thrown away, so that nothing waits for the disk
                system.mount(label, self.place, b"overlay", 0, options + b",volatile")
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                system.mount(label, self.place, b"overlay", 0, options)
            self.layers = layers
        except OSError as error:
            raise MountError(f"{os.fsdecode(self.place)}: {error.strerror}") from error
        finally:
            os.chdir(here)
            os.close(here)

    def show_lower(self, layers: bytes) -> None:
        """Show in `l` of its layers what it lies over, so that a namespace that is made later can find it."""
        place = os.path.join(layers, b"l")
        os.mkdir(place)
        system.mount(b"/proc/self/fd/%d" % self._lower, place, b"", system.MS_BIND)

    def close(self) -> None:
        """Remember no more what was there."""
        os.close(self._lower)


def nested(root: bytes) -> list[Overlay]:
    """What is mounted below `root`, outermost first. Raises `MountError` where a single file is mounted."""
    found = []
    for point in sorted(mount_points()):
        if point != root and is_below(point, root):
            if not os.path.isdir(point):
                raise MountError(f"{os.fsdecode(point)} is mounted as a single file")
            found.append(Overlay(point))
    return found


def confine(home: Overlay | None, layers: bytes, open_places: list[bytes], closed_folders: list[bytes], label: bytes,
            own_attributes: bool) -> str:  # fmt: skip
    """Let checks write only to the workspace, memory, and `open_places` (folders, and files that exist).

    What they write elsewhere in the home folder goes to a layer that is thrown away, or is refused where there can be no
    such layer; everything else is read-only, so are `closed_folders` and whatever else is mounted in the home folder.
    Returns what could not be confined, empty where all could. Called before the workspace's own overlay is mounted.
    """
    if home is not None:
        closed_folders = closed_folders + [
            point for point in mount_points()
            if is_below(point, home.place) and point != home.place and not any(is_below(point, p) for p in open_places)
        ]  # fmt: skip
    held = _held(open_places + closed_folders)
    writable = [place for place in held if place in open_places]
    # An outer one first, the home folder among them: what is mounted later covers what lies below it.
    for place in sorted({*held, *([home.place] if home is not None else [])}):
        if home is not None and place == home.place:
            try:
                home.mount(layers, label, own_attributes)
                writable.append(place)
            except MountError:
                continue  # read-only then, as the disk that it is on
        else:
            system.mount(b"/proc/self/fd/%d" % held[place], place, b"", system.MS_BIND | system.MS_REC)
            os.close(held[place])
    missed = ""
    for point, kind in mount_points().items():
        inside = any(is_below(point, place) for place in writable)
        if point in closed_folders or (not inside and kind not in PSEUDO):
            try:
                system.make_read_only(point)
            except OSError as error:
                if error.errno != errno.EINVAL:  # hidden below another mount
                    missed = missed or f"{os.fsdecode(point)} stays writable ({error.strerror})"
    return missed


def keep(overlay: Overlay, layers: bytes, label: bytes, own_attributes: bool) -> None:
    """Lay a layer over a folder; where there can be none, it becomes read-only."""
    try:
        overlay.mount(layers, label, own_attributes)
    except MountError:
        system.mount(overlay.place, overlay.place, b"", system.MS_BIND | system.MS_REC)
        system.make_read_only(overlay.place)


def seal(caches: list[bytes], allowed: list[bytes], layers: bytes, label: bytes, own_attributes: bool) -> list[Overlay]:
    """Give each of the folders `caches` a layer that is thrown away, save for the places in them that are `allowed`.

    One that cannot have a layer, since ours lie in it or it is gone, stays as it is.
    """
    held = _held(allowed)
    found = []
    for number, place in enumerate(caches):
        folder = os.path.join(layers, b"%d" % number)
        os.mkdir(folder)
        try:
            overlay = Overlay(place)
            overlay.mount(folder, label, own_attributes)
            found.append(overlay)
        except (MountError, OSError):
            continue
    for place, descriptor in sorted(held.items()):
        system.mount(b"/proc/self/fd/%d" % descriptor, place, b"", system.MS_BIND | system.MS_REC)
        os.close(descriptor)
    return found


def _held(places: list[bytes]) -> dict[bytes, int]:
    """Places as they are now, by a descriptor each; those that are none are left out."""
    found = {}
    for place in dict.fromkeys(places):
        try:
            found[place] = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
    return found
