"""Whether the bytes of files are written while a check runs, told apart from a touch, a new mode or a further name.

The system does not tell of a write through a shared mapping. Such a file was opened for writing, and has another time
though nobody set one, or its old time though somebody did. What is not seen: one that is written so and then touched, and,
in an ordinary user's overlay, a write by a further name that the file got there (a hard link, which is another file to it).
"""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING

from compile_loop.shadow.namespaces import syscalls as system

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSED_AFTER_WRITING, _NEW_ATTRIBUTES = 0x8, 0x4
_MODIFIED, _MOVED_FROM, _MOVED_TO, _CREATED, _DELETED = 0x2, 0x40, 0x80, 0x100, 0x200
_LOST = 0x4000
_FOLDER_ONLY, _NOT_THROUGH_LINKS, _ADD = 0x01000000, 0x02000000, 0x20000000
_OF_A_NAME = _MODIFIED | _MOVED_FROM | _MOVED_TO | _CREATED | _DELETED
_EVENT = struct.Struct("iIII")


class Watch:
    """Watches files below `root`, and the folders on the way to them, by the kernel's own events."""

    def __init__(self, root: bytes, paths: Iterable[bytes]) -> None:
        """Begin. Raises `OSError` where a file is not there or cannot be watched."""
        self._descriptor = system.watcher()
        self._files: dict[int, set[bytes]] = {}
        self._names: dict[int, dict[bytes, set[bytes]]] = {}
        self._times: dict[int, tuple[bytes, int]] = {}
        self._opened: set[int] = set()
        self._dressed: set[int] = set()
        self._written: set[bytes] = set()
        try:
            for path in paths:
                self._add(root, path)
        except OSError:
            self.close()
            raise

    def _add(self, root: bytes, path: bytes) -> None:
        folder = root
        for name in path.split(b"/"):
            number = system.watch(self._descriptor, folder, _OF_A_NAME | _FOLDER_ONLY | _ADD)
            self._names.setdefault(number, {}).setdefault(name, set()).add(path)
            folder = os.path.join(folder, name)
        # By whatever name it is written.
        of_the_file = _MODIFIED | _CLOSED_AFTER_WRITING | _NEW_ATTRIBUTES
        number = system.watch(self._descriptor, folder, of_the_file | _NOT_THROUGH_LINKS | _ADD)
        self._files.setdefault(number, set()).add(path)
        self._times[number] = folder, os.lstat(folder).st_mtime_ns

    def written(self) -> list[bytes]:
        """The files whose bytes were written since, or that were removed, replaced or renamed."""
        while data := self._read():
            at = 0
            while at < len(data):
                number, events, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size + length
                self._take(number, events, data[at - length : at].rstrip(b"\0"))
        for number in self._opened:
            if self._has_new_time(number) != (number in self._dressed):
                self._written |= self._files[number]
        return sorted(self._written)

    def _has_new_time(self, number: int) -> bool:
        path, time = self._times[number]
        try:
            return os.lstat(path).st_mtime_ns != time
        except OSError:
            return True

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 16)
        except BlockingIOError:
            return b""

    def _take(self, number: int, events: int, name: bytes) -> None:
        if number in self._times and not name:
            if events & _CLOSED_AFTER_WRITING:
                self._opened.add(number)
            if events & _NEW_ATTRIBUTES:
                self._dressed.add(number)
        if events & _LOST:
            self._written.update(*self._files.values())
        elif events & _OF_A_NAME:
            self._written |= self._names.get(number, {}).get(name, set()) if name else self._files.get(number, set())

    def close(self) -> None:
        """Watch no more."""
        os.close(self._descriptor)


def watch_below(root: bytes, paths: Iterable[bytes]) -> Watch | None:
    """Begin to watch; None where the system has no such thing, or has no room for it."""
    if sys.platform != "linux":
        return None
    try:
        return Watch(root, paths)
    except OSError:
        return None
