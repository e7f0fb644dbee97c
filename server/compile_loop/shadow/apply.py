"""Writing an accepted edit to disk, for faces without an editor.

Whole or not at all, also when the process is killed meanwhile (SPEC W4), and never over what changed in between.
"""

from __future__ import annotations

from pathlib import Path

from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.full_disk import why
from compile_loop.shadow.journal import Journal, is_write_protected, recover


class ApplyError(Exception):
    """The edit was not applied, and every file is as it was; the message is a sentence for the user."""


def apply_edit(root: Path, edit: Edit, journals: Path) -> None:
    """Write `edit` below `root`. Raises `ApplyError`, with every file put back, when one of them cannot be written.

    `journals` is the folder for originals: what a killed process left half written is put back when the next one starts.
    """
    recover(journals)
    for change in edit.files:
        _refuse_if_changed(root, change)
        if change.after is not None and is_write_protected(root / change.path):
            raise ApplyError(f"{change.path} is write-protected. Make it writable first; nothing was changed.")
    journal = Journal(journals)
    try:
        for change in edit.files:
            journal.write(root / change.path, change.after)
    except (OSError, ShadowError) as error:
        try:
            journal.restore()
        except OSError as trouble:
            raise ApplyError(
                f"The edit could not be written: {_words(error)}. The files could not be put back yet either ({_words(trouble)}); "
                "they will be at the next start."
            ) from error
        journal.discard()
        raise ApplyError(f"The edit could not be written, and nothing was changed: {_words(error)}.") from error
    journal.discard()
    for change in edit.files:
        place = root / change.path
        if (place.read_bytes() if place.exists() else None) != change.after:
            raise ApplyError(
                f"{change.path} was written, but is not what was meant: it changed at the same moment. Look at it."
            )


def _words(error: OSError | ShadowError) -> str:
    if isinstance(error, OSError):
        return why(error, Path(error.filename or "a file"))
    return str(error).rstrip(".")


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
