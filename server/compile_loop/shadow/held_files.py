"""Files that runs of several processes may not write at once (SPEC L18).

A run holds each of its files by the kernel's lock on a file of the state folder, which ends with the process however that
ends. Inside one process the faces know their runs themselves, so there a file may be held more than once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_MOST = 100
"""Files that one run holds at most: each takes a descriptor, and a folder-wide run may name thousands."""
_BEYOND = 1 << 30
"""Where Windows locks, which keeps others from reading what lies there."""


@dataclass(slots=True)
class _Lock:
    place: Path
    descriptor: int
    runs: int = 1


_guard = threading.Lock()
_ours: dict[Path, _Lock] = {}


class HeldFiles:
    """What one run holds of the workspace `root`. `folder` is the place of the locks, the same for all processes."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self._held: set[Path] = set()

    def claim(self, run_id: str, paths: Sequence[str]) -> str | None:
        """Hold further files; a sentence where a run of another process holds one of them. Never waits."""
        for path in paths:
            for file in _keys(self._root / path):
                if file in self._held or len(self._held) >= _MOST:
                    continue
                try:
                    other = _take(self._folder, file, run_id)
                except OSError:  # a state folder without locks, or that cannot be written, is no reason not to run
                    continue
                if other is not None:
                    return f"Run {other} in another process holds {path}. Wait for it, or stop it first."
                self._held.add(file)
        return None

    def release(self) -> None:
        """Hold nothing any more. Safe to call more than once."""
        for file in self._held:
            _give_back(file)
        self._held.clear()


def _keys(path: Path) -> list[Path]:
    """What stands for a file: its place, and where it has several names (hard links), what they all name."""
    place = path.resolve()
    try:
        status = place.stat()
    except OSError:
        return [place]
    return [place] if status.st_nlink < 2 else [place, Path(f"{status.st_dev}:{status.st_ino}")]


def _take(folder: Path, file: Path, run_id: str) -> str | None:
    """Hold a file; returns the run that does where another process has it. Raises `OSError`."""
    with _guard:
        if (lock := _ours.get(file)) is not None:
            lock.runs += 1
            return None
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / hashlib.sha256(str(file).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        while True:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if not _locked(descriptor):
                    other = os.read(descriptor, 100).decode("ascii", "replace").strip()
                    os.close(descriptor)
                    return other or "unknown"
                if not _is_at(place, descriptor):  # its last holder took it away meanwhile
                    os.close(descriptor)
                    continue
                os.truncate(descriptor, 0)
                os.write(descriptor, f"{run_id}\n".encode())
            except OSError:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
                raise
            _ours[file] = _Lock(place, descriptor)
            return None


def _give_back(file: Path) -> None:
    with _guard:
        lock = _ours[file]
        lock.runs -= 1
        if lock.runs == 0:
            del _ours[file]
            with contextlib.suppress(OSError):
                lock.place.unlink()
            os.close(lock.descriptor)


def _is_at(place: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(place.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _locked(descriptor: int) -> bool:
    """Whether the lock could be had at once. Raises `OSError` where the file system knows no locks."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
