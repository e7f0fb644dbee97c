"""A change to files, as bytes before and after with the hunks between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hunk:
    """Replace bytes `start` up to `end` of the file before with `new`; offsets are in bytes."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's change. `before` None: it is created; `after` None: it is deleted.

    `path` is relative to the workspace root, with forward slashes. `hunks` are minimal, sorted and disjoint, and
    rebuild `after` from `before` exactly; `encoding` is the Python codec name that the file's text is read with (a byte
    order mark is kept apart).
    """

    path: str
    before: bytes | None
    after: bytes | None
    hunks: tuple[Hunk, ...]
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Edit:
    """All files' changes of one result, sorted by path; applied whole or not at all (SPEC E6)."""

    files: tuple[FileChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        """The workspace-relative paths that change."""
        return tuple(change.path for change in self.files)


FileTexts = Mapping[str, "bytes | None"]
"""File contents by workspace-relative path; None where the file does not exist."""
