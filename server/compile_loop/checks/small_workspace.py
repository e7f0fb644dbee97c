"""The source files of a workspace that is small enough to be shown whole (SPEC Q4).

A check that fails without naming any file (a comparison of output, a script) leaves nothing else to go by.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from compile_loop.checks.tools_make import is_nobodys
from compile_loop.conversation.languages import language_of

_MOST_FILES = 12
_MOST_BYTES = 60_000
_MOST_ENTRIES = 2000


def sources_of(root: Path, why_not: Callable[[str], str | None]) -> tuple[str, ...]:
    """Relative paths of the source files that `why_not` has nothing against; none where they are too many to show."""
    found: list[str] = []
    seen = size = 0
    for folder, folders, names in os.walk(root):
        below = Path(folder).relative_to(root)
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not is_nobodys(f"{below / name}/-")
        )
        seen += len(names) + len(folders)
        for name in sorted(names):
            path, place = (below / name).as_posix(), Path(folder, name)
            if language_of(path) and place.is_file() and not place.is_symlink() and why_not(path) is None:
                found.append(path)
                size += place.stat().st_size
        if seen > _MOST_ENTRIES or len(found) > _MOST_FILES or size > _MOST_BYTES:
            return ()
    return tuple(found)
