"""Which files come into a tree while a check runs, also those that are gone again before anybody looks."""

from __future__ import annotations

import os
import struct
import sys

from compile_loop.shadow.namespaces import syscalls as system

_CREATED, _MOVED_TO, _IS_FOLDER = 0x100, 0x80, 0x40000000
_FOLDER_ONLY, _NOT_THROUGH_LINKS = 0x01000000, 0x02000000
_EVENT = struct.Struct("iIII")
_NOT_LOOKED_INTO = frozenset((b".git", b".hg", b"node_modules", b".venv", b"venv", b"__pycache__", b"target"))
_MOST_FOLDERS = 4000


class Arrivals:
    """Watches the folders of a tree by the kernel's own events, those nearest to its root first, so many at most.

    A folder that is made meanwhile is not watched: what a tool builds there is its own.
    """

    def __init__(self, root: bytes) -> None:
        """Begin. Raises `OSError` where the system does not allow it."""
        self._root = root
        self._descriptor = system.watcher()
        self._folders: dict[int, bytes] = {}
        self._seen: set[bytes] = set()
        try:
            self._watch_all()
        except OSError:
            if not self._folders:
                self.close()
                raise

    def _watch_all(self) -> None:
        pending = [b""]
        for below in pending:
            if len(self._folders) >= _MOST_FOLDERS:
                return
            place = os.path.join(self._root, below) if below else self._root
            number = system.watch(self._descriptor, place, _CREATED | _MOVED_TO | _FOLDER_ONLY | _NOT_THROUGH_LINKS)
            self._folders[number] = below
            try:
                with os.scandir(place) as entries:
                    names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            pending += [os.path.join(below, name) for name in sorted(names) if name not in _NOT_LOOKED_INTO]

    def seen(self) -> list[bytes]:
        """The paths below the root of all files that came since, made or moved there."""
        while data := self._read():
            at = 0
            while at < len(data):
                number, events, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size + length
                if events & (_CREATED | _MOVED_TO) and not events & _IS_FOLDER and number in self._folders:
                    self._seen.add(os.path.join(self._folders[number], data[at - length : at].rstrip(b"\0")))
        return sorted(self._seen)

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 16)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Watch no more."""
        os.close(self._descriptor)


def arrivals_in(root: bytes) -> Arrivals | None:
    """Begin to watch; None where the system has no such thing, or has no room for it."""
    if sys.platform != "linux":
        return None
    try:
        return Arrivals(root)
    except OSError:
        return None
