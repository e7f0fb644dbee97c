"""Writing an accepted edit to disk, for faces without an editor.

Whole or not at all, and never over what changed meanwhile.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from compile_loop.contracts.edits import Edit, FileChange


class ApplyError(Exception):
    """The edit was not applied, and every file is as it was; the message is a sentence for the user."""


def apply_edit(root: Path, edit: Edit) -> None:
    """Write `edit` below `root`. Raises `ApplyError`, with every file put back, when one of them cannot be written."""
    for change in edit.files:
        _refuse_if_changed(root, change)
    done: list[FileChange] = []
    try:
        for change in edit.files:
            _put(root / change.path, change.after)
            done.append(change)
    except OSError as error:
        for change in reversed(done):
            _put(root / change.path, change.before)
        raise ApplyError(f"The edit could not be written, and nothing was changed: {error}.") from error


def _refuse_if_changed(root: Path, change: FileChange) -> None:
    place = root / change.path
    if not place.resolve().is_relative_to(root.resolve()):
        raise ApplyError(f"{change.path} lies outside the workspace by a link. Nothing was changed.")
    try:
        now = place.read_bytes() if place.exists() else None
    except OSError as error:
        raise ApplyError(f"{change.path} cannot be read: {error}. Nothing was changed.") from error
    if now != change.before:
        what = "was deleted" if now is None else "was changed"
        raise ApplyError(f"{change.path} {what} while the run went on. Nothing was changed; run again.")


def _put(place: Path, data: bytes | None) -> None:
    """Replace a file in one step, its mode kept; a link keeps pointing at the file that is replaced."""
    place = place.resolve()
    if data is None:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = place.stat().st_mode if place.exists() else None
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode if mode is not None else 0o666 & ~_umask())
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
