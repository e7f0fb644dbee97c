"""What a reader may see of the world: the files as they were when the tool ran."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Protocol

from compile_loop.toolchains.plain_files import data_of

SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "target", "__pycache__", ".venv", "venv", "build", "dist", "out"}
)
"""Folders in which no sources of the user's are looked for."""
_MOST = 200_000


class Sources(Protocol):
    """The user's files at the moment the check ran. Paths are absolute and in the user's terms."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is no such file or it cannot be read."""
        ...

    def exists(self, path: str) -> bool:
        """Whether `path` is a file."""
        ...

    def find(self, suffix: str) -> list[str]:
        """The files of the workspace whose path is `suffix` or ends in `/suffix`; for tools that print base names."""
        ...

    def spelling(self, path: str) -> str:
        """A file's path as it is written on the disk, where that does not tell upper from lower case."""
        ...


def spelling_on_disk(path: str) -> str:
    """What Windows itself calls a file, with forward slashes; elsewhere the path as it is."""
    if os.name != "nt":
        return path
    try:
        return Path(path).resolve(strict=True).as_posix()
    except (OSError, ValueError):
        return path


class FolderSources:
    """Files below and around `root` as they are now. The list of files for `find` is made once, when it is needed."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where it cannot be read."""
        try:
            return data_of(Path(path))
        except (OSError, ValueError):
            return None

    def exists(self, path: str) -> bool:
        """Whether `path` is a file."""
        try:
            return Path(path).is_file()
        except (OSError, ValueError):
            return False

    def find(self, suffix: str) -> list[str]:
        """The files below the root whose path ends in `suffix`."""
        name = suffix.rsplit("/", 1)[-1]
        return [path for path in self._by_name.get(name, ()) if path.endswith("/" + suffix)]

    def spelling(self, path: str) -> str:
        """A file's path as it is written on the disk."""
        return spelling_on_disk(path)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        count = 0
        for directory, directories, files in os.walk(self._root):
            directories[:] = sorted(set(directories) - SKIPPED)
            for name in files:
                found.setdefault(name, []).append(f"{directory.rstrip(os.sep)}/{name}".replace(os.sep, "/"))
            count += len(files)
            if count > _MOST:
                break
        return found
