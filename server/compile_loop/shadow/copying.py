"""What of a workspace goes into a copy of it, and how."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from compile_loop.contracts.protocols import ShadowError

MAX_FILES = 50_000
MAX_BYTES = 2 << 30
DEPENDENCY_FOLDERS = frozenset({"node_modules", ".venv", "venv"})
"""Installed packages: linked, since copying them costs minutes and a check only reads them."""
CACHE_TAG = "CACHEDIR.TAG"
"""Marks a folder that its tool can make again (https://bford.info/cachedir/); Cargo, pytest, mypy and others write it.
"""


@dataclass(slots=True)
class _Room:
    files: int = 0
    size: int = 0

    def take(self, size: int) -> None:
        self.files += 1
        self.size += size
        if self.files > MAX_FILES or self.size > MAX_BYTES:
            raise ShadowError(
                f"The workspace is too large to copy (over {MAX_FILES} files or {MAX_BYTES >> 30} GiB). "
                "Open the folder of the package that you want to fix instead."
            )


def copy_tree(source: Path, target: Path, stop: Event) -> None:
    """Copy `source` to `target`, times and modes kept. Nothing outside `source` is copied: a link stays a link.

    Raises `ShadowError` where there is no room or no right to read, and stops early when `stop` is set.
    """
    room = _Room()
    try:
        target.mkdir(parents=True)
        pending = [(source, target)]
        while pending and not stop.is_set():
            here, there = pending.pop()
            pending.extend(_copy_folder(source, target, here, there, room, stop))
    except OSError as error:
        raise ShadowError(f"The workspace could not be copied: {error}.") from error


def _copy_folder(
    source: Path, target: Path, here: Path, there: Path, room: _Room, stop: Event
) -> Iterator[tuple[Path, Path]]:
    with os.scandir(here) as entries:
        for entry in entries:
            if stop.is_set():
                return
            copy = there / entry.name
            if entry.is_symlink():
                _copy_link(source, target, Path(entry.path), copy)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name in DEPENDENCY_FOLDERS:
                    copy.symlink_to(entry.path, target_is_directory=True)
                elif not Path(entry.path, CACHE_TAG).exists():
                    copy.mkdir()
                    yield Path(entry.path), copy
            elif entry.is_file(follow_symlinks=False):
                room.take(entry.stat(follow_symlinks=False).st_size)
                shutil.copy2(entry.path, copy)
                copy.chmod(copy.stat().st_mode | stat.S_IWUSR)
            # sockets, pipes and devices are no part of a program's source


def _copy_link(source: Path, target: Path, link: Path, copy: Path) -> None:
    """Copy a link. One into the workspace by absolute path must lead into the copy: writes go through it."""
    destination = link.readlink()
    if destination.is_absolute() and destination.is_relative_to(source):
        destination = target / destination.relative_to(source)
    copy.symlink_to(destination)
