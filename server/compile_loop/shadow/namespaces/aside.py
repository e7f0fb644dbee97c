"""A layer over everything that a check can write to, for a while: what is written meanwhile is gone afterwards (SPEC K5).

It is a mount namespace of its own beside the shadow's, with the same files to begin with. The holder moves into it, and
back; who enters the holder's namespaces meanwhile comes there.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.mounts import MountError, Overlay, is_below, mount_ids, mount_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_IN_MEMORY = frozenset((b"tmpfs", b"ramfs"))
_KEPT_BY_THE_KERNEL = frozenset((b"devtmpfs", b"mqueue", b"hugetlbfs"))
_CONTROL = (b"/dev", b"/sys", b"/proc")
_SHARED_MEMORY = b"/dev/shm"


class Aside:
    """The namespace with the layer. Making it moves this process there; `leave` moves it back.

    `base` is the folder of ours, `layered` are the overlays that the shadow has there already, each with the name of its
    folder in `base`; `open_places` is what checks write to directly. Raises `MountError` or `OSError`, and then this
    process is where it was.
    """

    def __init__(
        self, name: bytes, base: bytes, layered: Sequence[tuple[bytes, bytes]], open_places: Sequence[bytes], label: bytes,
        own_attributes: bool,
    ) -> None:  # fmt: skip
        self._label, self._own_attributes = label, own_attributes
        self._number = 0
        self._home = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        self._held: list[int] = []
        system.unshare(system.CLONE_NEWNS)
        try:
            system.unmount(base)  # what covers the layers, in this namespace only
            layers = b"/proc/self/fd/%d" % self._hold(base)
            self.folder = os.path.join(layers, name)
            self._memory = os.path.join(self.folder, b"memory")
            os.makedirs(self._memory)
            system.mount(label, self._memory, b"tmpfs", system.MS_NOSUID | system.MS_NODEV, b"mode=700")
            self._lay(base, {place: os.path.join(layers, folder) for place, folder in layered}, open_places)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Go back; the layer is gone with the last process that is in it."""
        system.setns(self._home, system.CLONE_NEWNS)
        for descriptor in (self._home, *self._held):
            os.close(descriptor)
        self._held = []

    def _hold(self, place: bytes) -> int:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
        self._held.append(descriptor)
        return descriptor

    def _hold_all(self, places: Iterable[bytes]) -> dict[bytes, int]:
        """Those of the places that are still there."""
        found = {}
        for place in places:
            with contextlib.suppress(OSError):
                found[place] = self._hold(place)
        return found

    def _lay(self, base: bytes, layered: dict[bytes, bytes], open_places: Sequence[bytes]) -> None:
        """Every place in its turn, an outer one first: what is mounted later covers what lies below it."""
        kinds = mount_points()
        folders = {place: self._hold(place) for place in layered}
        free = self._hold_all(
            place for place in (*_folders(open_places), *_in_memory(kinds, base)) if place not in folders
        )
        folders.update(free)
        files = self._hold_all(place for place in open_places if os.path.isfile(place))
        beside = self._hold_all(_beside(kinds, folders, base))
        sockets = (place for place in _sockets() if any(is_below(place, folder) for folder in free))
        beside.update(self._hold_all(place for place in sockets if place not in beside))
        self.uppers: dict[bytes, bytes] = {}
        for place in sorted({*folders, *files, *beside, base}):
            if place == base:
                flags = system.MS_RDONLY | system.MS_NOSUID | system.MS_NODEV
                system.mount(self._label, base, b"tmpfs", flags, b"size=4k,mode=000")
            elif place in layered:
                below = (os.path.join(layered[place], b"u"), os.path.join(layered[place], b"l"))
                self.uppers[place] = self._over(place, below, is_below(base, place))
            elif place in folders:
                self._over_or_empty(place, b"/proc/self/fd/%d" % folders[place], is_below(base, place))
            elif place in files:
                self._copy(place, b"/proc/self/fd/%d" % files[place])
            else:
                with contextlib.suppress(OSError):  # somebody took it away meanwhile
                    system.mount(b"/proc/self/fd/%d" % beside[place], place, b"", system.MS_BIND)
        for place, kind in kinds.items():
            if kind in _KEPT_BY_THE_KERNEL or (kind in _IN_MEMORY and _is_control(place)):
                _close(place)

    def _over(self, place: bytes, below: tuple[bytes, ...], holds_layers: bool) -> bytes:
        """Lay a layer over a place, in memory where the others lie in it. Raises `MountError`."""
        if not holds_layers:
            try:
                return self._mount(place, below, self.folder)
            except MountError:
                pass
        return self._mount(place, below, self._memory)

    def _over_or_empty(self, place: bytes, below: bytes, holds_layers: bool) -> None:
        """Lay a layer over a place; one that can have none is an empty folder."""
        try:
            self._over(place, (below,), holds_layers)
        except FileNotFoundError:  # somebody took it away meanwhile
            return
        except MountError:
            with contextlib.suppress(FileNotFoundError):
                mode = b"mode=%o" % stat.S_IMODE(os.stat(place).st_mode)
                system.mount(self._label, place, b"tmpfs", system.MS_NOSUID | system.MS_NODEV, mode)

    def _mount(self, place: bytes, below: tuple[bytes, ...], where: bytes) -> bytes:
        self._number += 1
        layers = os.path.join(where, b"%d" % self._number)
        os.mkdir(layers)
        overlay = Overlay(place, below)
        try:
            overlay.mount(layers, self._label, self._own_attributes)
        finally:
            overlay.close()
        return os.path.join(layers, b"u")

    def _copy(self, place: bytes, original: bytes) -> None:
        """Show a copy of a file, such as a lock, in its place."""
        self._number += 1
        copy = os.path.join(self.folder, b"%d" % self._number)
        try:
            with open(original, "rb") as source, open(copy, "xb") as target:
                target.write(source.read())
            os.chmod(copy, stat.S_IMODE(os.stat(original).st_mode))
            system.mount(copy, place, b"", system.MS_BIND)
        except OSError:
            _close(place)


def _folders(places: Sequence[bytes]) -> Iterator[bytes]:
    return (place for place in places if os.path.isdir(place))


def _is_control(place: bytes) -> bool:
    return any(is_below(place, folder) for folder in _CONTROL) and not is_below(place, _SHARED_MEMORY)


def _in_memory(kinds: dict[bytes, bytes], base: bytes) -> Iterator[bytes]:
    """Memory that is mounted and can be written to."""
    for place, kind in kinds.items():
        if kind in _IN_MEMORY and not is_below(place, base) and not _is_control(place) and os.access(place, os.W_OK):
            yield place


def _beside(kinds: dict[bytes, bytes], folders: dict[bytes, int], base: bytes) -> Iterator[bytes]:
    """What is mounted below one of the folders, can be seen there, and is none of them."""
    seen = mount_ids()
    for place in kinds:
        if place in folders or is_below(place, base) or not any(is_below(place, folder) for folder in folders):
            continue
        try:
            descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as table:
            number = next(int(line.split()[1]) for line in table if line.startswith(b"mnt_id"))
        os.close(descriptor)
        if number in seen[place]:
            yield place


def _sockets() -> Iterator[bytes]:
    """Where sockets of this machine are bound that still are there: they do not answer through an overlay."""
    try:
        with open("/proc/net/unix", "rb") as table:
            places = {fields[7] for line in table if len(fields := line.rstrip(b"\n").split(b" ", 7)) == 8}
    except OSError:
        return
    for place in sorted({each[each.index(b"/") :] for each in places if b"/" in each}):
        try:
            if stat.S_ISSOCK(os.lstat(place).st_mode):
                yield os.path.realpath(place)
        except (OSError, ValueError):
            continue


def _close(place: bytes) -> None:
    with contextlib.suppress(OSError):  # covered, or away
        system.make_read_only(place)
