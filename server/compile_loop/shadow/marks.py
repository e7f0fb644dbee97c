"""A file's bytes in short, so that two looks at a tree can be compared (SPEC K6)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from compile_loop.contracts.protected import FileMark
from compile_loop.shadow.dependencies import holds_packages
from compile_loop.shadow.namespaces.layer import mark


def mark_of(path: Path) -> FileMark:
    """The mark of a file; one without a digest where there is none or it cannot be read."""
    digest, head = mark(os.fsencode(path))
    try:
        status = path.lstat()
    except OSError:
        return FileMark(digest, head)
    return FileMark(digest, head, (status.st_ino, status.st_ctime_ns, status.st_mtime_ns))


def marks_below(root: Path, concerns: Callable[[str], bool]) -> dict[str, FileMark]:
    """The marks of files below `root` that `concerns` holds for, by their path relative to it."""
    return {path: mark_of(root / path) for path in files_below(root) if concerns(path)}


def files_below(root: Path) -> Iterator[str]:
    """Files and links below `root`, relative to it; installed packages and Git's own are not looked into."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and not holds_packages(Path(folder, name))]
        here = Path(folder).relative_to(root).as_posix()
        yield from (name if here == "." else f"{here}/{name}" for name in names)
