"""New files that belong to others by their names: what one declares another defines, and a check may not miss it (SPEC K10)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compile_loop.contracts.edits import Edit, Hunk

Unit = tuple[str, Hunk | None]
"""One hunk of a file; None: the file's creation or deletion as a whole."""

_OPENS_FOLDER = re.compile(r"(?:__init__\.pyi?|index\.(?:d\.)?[cm]?[jt]sx?|mod\.rs|package-info\.java)")
_DECLARES = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|d\.[cm]?ts|pyi|mli|fsi)$")


def bundles(units: Sequence[Unit], edit: Edit) -> list[list[Unit]]:
    """The units in the order in which they are tried; new files of one stem together, what opens a folder after its files."""
    new = _new(edit)
    together: dict[str, list[Unit]] = {}
    for path in sorted(new, key=lambda path: (_opens(path), -path.count("/") if _opens(path) else 0, path)):
        together.setdefault(path.rpartition("/")[0] + "/" if _opens(path) else _stem(path), []).append((path, None))
    return [*([unit] for unit in units if unit[0] not in new), *together.values()]


def keeps_together(kept: Sequence[Unit], edit: Edit) -> bool:
    """Whether no new file is left out that a new file in its folder, or a declaration of its stem, is kept without."""
    new, paths = _new(edit), {path for path, _ in kept}
    for path in new - paths:
        folder = path.rpartition("/")[0]
        if _opens(path):
            if any(other in new and other.startswith(f"{folder}/" if folder else "") for other in paths):
                return False
        elif any(_DECLARES.search(other) and _stem(other) == _stem(path) for other in paths):
            return False
    return True


def _new(edit: Edit) -> set[str]:
    return {change.path for change in edit.files if change.before is None}


def _opens(path: str) -> bool:
    return _OPENS_FOLDER.fullmatch(path.rpartition("/")[2]) is not None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
