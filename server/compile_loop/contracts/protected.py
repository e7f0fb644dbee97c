"""Files that decide whether code is right, and what became of them (SPEC K6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from compile_loop.contracts.diagnostics import Diagnostic
    from compile_loop.contracts.edits import FileChange
    from compile_loop.contracts.honesty import Finding
    from compile_loop.contracts.protocols import Shadow


@dataclass(frozen=True, slots=True)
class FileMark:
    """A file's bytes in short: a digest of them all, and the first 32. `digest` is None where there is no file.

    `trace` becomes another one by every write to the file, whatever the bytes are in the end; also by a touch.
    """

    digest: bytes | None
    head: bytes = b""
    trace: tuple[int, ...] = ()


AS_THE_USERS = FileMark(b"as in the user's tree")
"""The mark of a file that nobody has reached; the digest of one whose bytes are the user's all the same."""

Marks = Mapping[str, FileMark]
"""By workspace-relative path. What is not in it is as it is in the user's tree."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that decides about green and is not as it was; `sentence` says which, and how."""

    path: str
    sentence: str


class ProtectedFiles(Protocol):
    """The protected files of one workspace."""

    def decides(self, path: str) -> bool:
        """Whether a workspace-relative path names a file that decides about green."""
        ...

    def remade(self, before: Marks, after: Marks) -> Sequence[str]:
        """Files with a protected name that a check's own script says it writes, and that became different."""
        ...

    def holds_against(self, path: str) -> bool:
        """Whether a workspace-relative path names a helper of tests, which holds the code against what is right."""
        ...

    def addition(self, path: str, apart: Collection[str]) -> tuple[str, bool] | None:
        """Why a new file of an edit decides about green, and whether that is certain.

        `apart` are all files that the edit adds or removes.
        """
        ...

    def doubt(self, change: FileChange, failures: Sequence[Diagnostic]) -> Finding | None:
        """What is doubtful about one file of an edit: the check goes by it, and none of the failures asked for it."""
        ...

    async def look(self, shadow: Shadow) -> Marks:
        """Those files as they are now in the shadow. Raises `ShadowError`."""
        ...

    def broken(self, before: Marks, after: Marks) -> Sequence[Broken]:
        """What became different, where that can matter: files that tools make, and ignored ones, cannot."""
        ...

    def passing(self, arrived: Collection[str], after: Marks) -> Sequence[Broken]:
        """Those of the files that came while a check ran that a tool takes into account by their names, and that are gone."""
        ...

    def rewritten(self, before: Marks, after: Marks) -> Sequence[Broken]:
        """What was written, or only touched, and has the same bytes again, where that can matter."""
        ...
